import type { AdminUser } from '@pigeonhole/client/admin'
import { getUser } from '../../../../../server/api/http/admin/users.ts'
import { getServices } from '../../../../../server/wiring/services.ts'
import { UserPage } from '../../../../../ui/admin/users/user-page.tsx'
import { SignInAgain } from '../../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../../admin-call.ts'
import { pageTitle } from '../../../../locale.ts'
import { requireAdmin } from '../../../../session.ts'

type PageProps = { params: Promise<{ id: string }> }

export const generateMetadata = pageTitle('admin.users.one')

export default async function Page({ params }: PageProps) {
  const { id } = await params
  if (!(await requireAdmin(`/admin/users/${id}`))) return <SignInAgain />
  const { config } = await getServices()
  const { uploads, mail } = config
  const first = await adminCall<AdminUser>(
    (request, services) => getUser(request, services, { id }),
    `/users/${encodeURIComponent(id)}`,
  )
  return (
    <UserPage
      id={id}
      defaultQuotaBytes={uploads.defaultQuotaBytes}
      canMail={mail !== undefined}
      first={first}
    />
  )
}
