import type { AdminBroadcastDetails } from '@pigeonhole/client/admin'
import { getBroadcast } from '../../../../../server/api/http/admin/broadcasts.ts'
import { BroadcastPage } from '../../../../../ui/admin/broadcasts/broadcast-page.tsx'
import { SignInAgain } from '../../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../../admin-call.ts'
import { pageTitle } from '../../../../locale.ts'
import { requireAdmin } from '../../../../session.ts'

type PageProps = { params: Promise<{ id: string }> }

export const generateMetadata = pageTitle('admin.broadcasts.one')

export default async function Page({ params }: PageProps) {
  const { id } = await params
  if (!(await requireAdmin(`/admin/broadcasts/${id}`))) return <SignInAgain />
  const first = await adminCall<AdminBroadcastDetails>(
    (request, services) => getBroadcast(request, services, { id }),
    `/broadcasts/${encodeURIComponent(id)}`,
  )
  return <BroadcastPage id={id} first={first} />
}
