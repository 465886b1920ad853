import { FilePage } from '../../../../../ui/admin/files/file-page.tsx'
import { SignInAgain } from '../../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../../locale.ts'
import { requireAdmin } from '../../../../session.ts'

type PageProps = { params: Promise<{ id: string }> }

export const generateMetadata = pageTitle('admin.files.one')

export default async function Page({ params }: PageProps) {
  const { id } = await params
  if (!(await requireAdmin(`/admin/files/${id}`))) return <SignInAgain />
  return <FilePage id={id} />
}
