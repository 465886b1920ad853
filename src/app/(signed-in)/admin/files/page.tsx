import { getServices } from '../../../../server/wiring/services.ts'
import { FilesPage } from '../../../../ui/admin/files/files-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

type PageProps = { searchParams: Promise<{ userId?: string | string[] }> }

export const generateMetadata = pageTitle('admin.files.title')

export default async function Page({ searchParams }: PageProps) {
  if (!(await requireAdmin('/admin/files'))) return <SignInAgain />
  const { userId } = await searchParams
  const { config } = await getServices()
  return (
    <FilesPage
      userId={typeof userId === 'string' ? userId : undefined}
      policies={[...config.uploads.policies.keys()]}
    />
  )
}
