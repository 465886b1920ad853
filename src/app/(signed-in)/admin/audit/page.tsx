import type { Metadata } from 'next'
import { AuditPage } from '../../../../ui/admin/audit/audit-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { requestWords } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

type PageProps = { searchParams: Promise<{ userId?: string | string[] }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('admin.audit.title') }
}

export default async function Page({ searchParams }: PageProps) {
  if (!(await requireAdmin('/admin/audit'))) return <SignInAgain />
  const { userId } = await searchParams
  return <AuditPage userId={typeof userId === 'string' ? userId : undefined} />
}
