import type { AuditEntry } from '@pigeonhole/client/admin'
import { listAudit } from '../../../../server/api/http/admin/audit.ts'
import { AUDIT_FIELDS, readFilter } from '../../../../ui/admin/audit/audit-filter.ts'
import { AuditPage } from '../../../../ui/admin/audit/audit-page.tsx'
import { AUDIT_ACTION_NAMES, AUDIT_CALL_NAMES } from '../../../../ui/i18n/messages/audit-actions.ts'
import { AUDIT_DETAIL_TEXTS } from '../../../../ui/i18n/messages/audit-details.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { addressOf, findUserIdForPage, firstMatches, type SearchParams } from '../../../admin-call.ts'
import { pageTitle, requestMessages } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.audit.title')

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  if (!(await requireAdmin(await addressOf('/admin/audit', searchParams)))) return <SignInAgain />
  const first = await firstMatches<AuditEntry, keyof typeof AUDIT_FIELDS>(
    searchParams,
    AUDIT_FIELDS,
    listAudit,
    '/audit',
    // The days are those of the reader's time zone.
    async (filter) => (filter.from || filter.to ? undefined : readFilter(filter, findUserIdForPage)),
  )
  const { locale } = await requestMessages()
  return (
    <AuditPage
      names={AUDIT_ACTION_NAMES[locale]}
      calls={AUDIT_CALL_NAMES[locale]}
      texts={AUDIT_DETAIL_TEXTS[locale]}
      first={first}
    />
  )
}
