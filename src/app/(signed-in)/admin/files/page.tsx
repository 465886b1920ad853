import type { BackendFile } from '@pigeonhole/client/admin'
import { listBackendFiles } from '../../../../server/api/http/admin/files.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { FILE_FIELDS, fileSearchOf } from '../../../../ui/admin/files/file-filter.ts'
import { FilesPage } from '../../../../ui/admin/files/files-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { addressOf, findUserIdForPage, firstMatches, type SearchParams } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.files.title')

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  if (!(await requireAdmin(await addressOf('/admin/files', searchParams)))) return <SignInAgain />
  const { config } = await getServices()
  const first = await firstMatches<BackendFile, keyof typeof FILE_FIELDS>(
    searchParams,
    FILE_FIELDS,
    listBackendFiles,
    '/files',
    async (filter) => fileSearchOf(filter, filter.user && (await findUserIdForPage(filter.user))),
  )
  return <FilesPage first={first} policies={[...config.uploads.policies.keys()]} />
}
