import type { AdminPage, BackendFile } from '@pigeonhole/client/admin'
import { listBackendFiles } from '../../../../server/api/http/admin/files.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { FilesPage } from '../../../../ui/admin/files/files-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall, searchNameOf } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

type PageProps = { searchParams: Promise<{ userId?: string | string[] }> }

export const generateMetadata = pageTitle('admin.files.title')

export default async function Page({ searchParams }: PageProps) {
  if (!(await requireAdmin('/admin/files'))) return <SignInAgain />
  const { userId } = await searchParams
  const { config } = await getServices()
  const owner = typeof userId === 'string' ? userId : undefined
  const query = owner === undefined ? '' : `?${new URLSearchParams({ userId: owner })}`
  const first = await adminCall<AdminPage<BackendFile>>(listBackendFiles, `/files${query}`)
  const user = owner && (await searchNameOf(owner))
  return <FilesPage user={user} first={first} policies={[...config.uploads.policies.keys()]} />
}
