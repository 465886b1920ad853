'use client'

import type { AuditEntry } from '@pigeonhole/client/admin'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { AuditActionNames } from '../../i18n/messages/audit-actions.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { SearchForm } from '../search-form.tsx'
import { AuditRow } from './audit-row.tsx'
import { ExportButton } from './export-button.tsx'
import { type AuditFilter, readFilter } from './read-filter.ts'

type AuditPageProps = {
  /** Names of the actions. */
  names: AuditActionNames
  /** Initial filter, from the page's address. */
  user: string | undefined
  first: FirstPage<AuditEntry>
}

/** The audit log, without the reader's own page views unless the reader asks for them. */
export function AuditPage({ names, user, first }: AuditPageProps) {
  const { t } = useMessages()
  const [initial] = useState<AuditFilter>({ user })
  const [filter, setFilter] = useState(initial)
  return (
    <AdminPage
      title={t('admin.audit.title')}
      description={t('admin.audit.text')}
      actions={<ExportButton filter={filter} />}
    >
      <SearchForm label={t('admin.audit.search')} filter={filter} onSearch={setFilter}>
        <TextField
          label={t('admin.audit.user')}
          name="user"
          type="search"
          defaultValue={filter.user}
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
          {Object.entries(names).map(([action, name]) => (
            <option key={action} value={action}>
              {name}
            </option>
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
        row={(entry) => <AuditRow key={entry.id} entry={entry} name={names[entry.action]} />}
        empty={
          <EmptyState icon={ScrollText} title={t('admin.audit.noneTitle')}>
            {t('admin.audit.noneText')}
          </EmptyState>
        }
      />
    </AdminPage>
  )
}
