import { AuditPage } from '../../../../ui/admin/audit/audit-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

type PageProps = { searchParams: Promise<{ userId?: string | string[] }> }

export const generateMetadata = pageTitle('admin.audit.title')

export default async function Page({ searchParams }: PageProps) {
  if (!(await requireAdmin('/admin/audit'))) return <SignInAgain />
  const { userId } = await searchParams
  return <AuditPage userId={typeof userId === 'string' ? userId : undefined} />
}
