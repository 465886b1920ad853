'use client'

import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { findUserId } from '../push-tokens/find-user-id.ts'
import { SearchForm } from '../search-form.tsx'
import { AuditRow } from './audit-row.tsx'

/** Actions in the audit log, suggested by the search field. */
const AUDIT_ACTIONS = [
  'account.created',
  'account.deleted',
  'account.taken_over',
  'admin.called',
  'admin.refused',
  'api_key.created',
  'api_key.revoked',
  'device.moved',
  'passkey.changed',
  'passkey.created',
  'passkey.deleted',
  'password.changed',
  'password.refused',
  'push.broadcast',
  'push.cancelled',
  'push.sent',
  'push.token.created',
  'push.token.revoked',
  'recovery_code.used',
  'recovery_codes.created',
  'server_key.created',
  'server_key.revoked',
  'session.created',
  'session.ended',
  'session.refused',
  'session.renewed',
  'share.refused',
  'user.changed',
  'user.disabled',
  'user.enabled',
  'user.role.changed',
  'webhook.changed',
] as const

type Filter = { user?: string; action?: string }

/** The audit log. `userId`, from the page's address, is the initial filter. */
export function AuditPage({ userId }: { userId: string | undefined }) {
  const { t } = useMessages()
  const [filter, setFilter] = useState<Filter>({ user: userId })
  async function fetchPage(cursor: string | undefined, signal: AbortSignal) {
    const { user, action } = filter
    const id = user === undefined ? undefined : await findUserId(user)
    return admin.audit.list({ cursor, action, userId: id }, signal)
  }
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.audit.title')}</AdminHeading>
      <Card>
        <SearchForm label={t('admin.audit.search')} onSearch={setFilter}>
          <TextField
            label={t('admin.audit.user')}
            name="user"
            type="search"
            defaultValue={userId}
            autoComplete="off"
            spellCheck={false}
            className="min-w-0 flex-1 basis-60"
          />
          <TextField
            label={t('admin.audit.action')}
            name="action"
            type="search"
            list="audit-actions"
            autoComplete="off"
            spellCheck={false}
            className="min-w-0 flex-1 basis-48"
          />
          <datalist id="audit-actions">
            {AUDIT_ACTIONS.map((action) => (
              <option key={action} value={action} />
            ))}
          </datalist>
        </SearchForm>
        <PagedList
          label={t('admin.audit.title')}
          queryKey={[...ADMIN_KEYS.audit, filter]}
          fetchPage={fetchPage}
          expectedErrors={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }}
          row={(entry) => <AuditRow key={entry.id} entry={entry} />}
          empty={
            <EmptyState icon={ScrollText} title={t('admin.audit.noneTitle')}>
              {t('admin.audit.noneText')}
            </EmptyState>
          }
        />
      </Card>
    </div>
  )
}
