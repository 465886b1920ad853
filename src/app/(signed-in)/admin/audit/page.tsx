import type { AdminPage, AuditEntry } from '@pigeonhole/client/admin'
import { listAudit } from '../../../../server/api/http/admin/audit.ts'
import { AuditPage } from '../../../../ui/admin/audit/audit-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

type PageProps = { searchParams: Promise<{ userId?: string | string[] }> }

export const generateMetadata = pageTitle('admin.audit.title')

export default async function Page({ searchParams }: PageProps) {
  if (!(await requireAdmin('/admin/audit'))) return <SignInAgain />
  const { userId } = await searchParams
  const user = typeof userId === 'string' ? userId : undefined
  const query = new URLSearchParams({ hideOwnReads: 'true', ...(user !== undefined && { userId: user }) })
  const first = await adminCall<AdminPage<AuditEntry>>(listAudit, `/audit?${query}`)
  return <AuditPage userId={user} first={first} />
}
