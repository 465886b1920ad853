'use client'

import type { AuditEntry } from '@pigeonhole/client/admin'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { SearchForm } from '../search-form.tsx'
import { AUDIT_ACTIONS } from './audit-actions.ts'
import { AuditRow } from './audit-row.tsx'
import { ExportButton } from './export-button.tsx'
import { type AuditFilter, readFilter } from './read-filter.ts'

type AuditPageProps = {
  /** Initial filter, from the page's address. */
  userId: string | undefined
  first: FirstPage<AuditEntry>
}

/** The audit log, without the reader's own page views unless the reader asks for them. */
export function AuditPage({ userId, first }: AuditPageProps) {
  const { t } = useMessages()
  const [initial] = useState<AuditFilter>({ user: userId })
  const [filter, setFilter] = useState(initial)
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.audit.title')}</AdminHeading>
      <Card
        title={t('admin.audit.entries')}
        description={t('admin.audit.text')}
        actions={<ExportButton filter={filter} />}
      >
        <SearchForm label={t('admin.audit.search')} onSearch={setFilter}>
          <TextField
            label={t('admin.audit.user')}
            name="user"
            type="search"
            defaultValue={userId}
            autoComplete="off"
            spellCheck={false}
            className="min-w-0 flex-1 basis-72"
          />
          <TextField
            label={t('admin.audit.actor')}
            name="actor"
            type="search"
            autoComplete="off"
            spellCheck={false}
            className="min-w-0 flex-1 basis-72"
          />
          <TextField
            label={t('admin.audit.action')}
            name="action"
            type="search"
            list="audit-actions"
            autoComplete="off"
            spellCheck={false}
            className="min-w-0 flex-1 basis-56"
          />
          <datalist id="audit-actions">
            {AUDIT_ACTIONS.map((action) => (
              <option key={action} value={action} />
            ))}
          </datalist>
          <TextField
            label={t('admin.audit.since')}
            name="from"
            type="date"
            className="min-w-0 flex-1 basis-36 sm:max-w-48"
          />
          <TextField
            label={t('admin.audit.until')}
            name="to"
            type="date"
            className="min-w-0 flex-1 basis-36 sm:max-w-48"
          />
          <Checkbox name="ownReads" label={t('admin.audit.ownReads')} />
        </SearchForm>
        <PagedList
          label={t('admin.audit.title')}
          queryKey={[...ADMIN_KEYS.audit, filter]}
          first={filter === initial ? first : undefined}
          fetchPage={async (cursor, signal) =>
            admin.audit.list({ cursor, ...(await readFilter(filter)) }, signal)
          }
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
