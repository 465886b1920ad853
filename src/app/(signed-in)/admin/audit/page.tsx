import type { AdminPage, AuditEntry } from '@pigeonhole/client/admin'
import { listAudit } from '../../../../server/api/http/admin/audit.ts'
import { AuditPage } from '../../../../ui/admin/audit/audit-page.tsx'
import { AUDIT_ACTION_NAMES, AUDIT_CALL_NAMES } from '../../../../ui/i18n/messages/audit-actions.ts'
import { AUDIT_DETAIL_TEXTS } from '../../../../ui/i18n/messages/audit-details.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall, searchNameOf } from '../../../admin-call.ts'
import { pageTitle, requestMessages } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

type PageProps = { searchParams: Promise<{ userId?: string | string[] }> }

export const generateMetadata = pageTitle('admin.audit.title')

export default async function Page({ searchParams }: PageProps) {
  if (!(await requireAdmin('/admin/audit'))) return <SignInAgain />
  const { userId } = await searchParams
  const user = typeof userId === 'string' ? userId : undefined
  const query = new URLSearchParams({ hideCalls: 'true', ...(user !== undefined && { userId: user }) })
  const first = await adminCall<AdminPage<AuditEntry>>(listAudit, `/audit?${query}`)
  const [{ locale }, name] = await Promise.all([requestMessages(), user && searchNameOf(user)])
  return (
    <AuditPage
      names={AUDIT_ACTION_NAMES[locale]}
      calls={AUDIT_CALL_NAMES[locale]}
      texts={AUDIT_DETAIL_TEXTS[locale]}
      user={name}
      first={first}
    />
  )
}
