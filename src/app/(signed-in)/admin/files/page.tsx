import type { BackendFile } from '@pigeonhole/client/admin'
import { listBackendFiles } from '../../../../server/api/http/admin/files.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { FILE_FIELDS } from '../../../../ui/admin/files/file-filter.ts'
import { FilesPage } from '../../../../ui/admin/files/files-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { firstMatches, isUserId, type SearchParams } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.files.title')

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  if (!(await requireAdmin('/admin/files'))) return <SignInAgain />
  const { config } = await getServices()
  const first = await firstMatches<BackendFile, (typeof FILE_FIELDS)[number]>(
    searchParams,
    FILE_FIELDS,
    listBackendFiles,
    '/files',
    ({ user, data, ...others }) =>
      isUserId(user) && data === undefined ? { ...others, userId: user } : undefined,
  )
  return <FilesPage first={first} policies={[...config.uploads.policies.keys()]} />
}
