'use client'

import type { AuditEntry } from '@pigeonhole/client/admin'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { AuditActionNames, AuditCallNames } from '../../i18n/messages/audit-actions.ts'
import type { AuditDetailTexts } from '../../i18n/messages/audit-details.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { ColumnHeads } from '../columns.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { SearchField, SearchSelect } from '../search-fields.tsx'
import { SearchForm } from '../search-form.tsx'
import { auditCallOf } from './audit-call.ts'
import { AUDIT_GRID, AuditRow } from './audit-row.tsx'
import { ExportButton } from './export-button.tsx'
import { type AuditFilter, readFilter } from './read-filter.ts'

type AuditPageProps = {
  /** Names of the actions. */
  names: AuditActionNames
  /** Names of API calls, by route. */
  calls: AuditCallNames
  texts: AuditDetailTexts
  /** Initial filter, from the page's address. */
  user: string | undefined
  first: FirstPage<AuditEntry>
}

/** The audit log, without API calls that add nothing to it unless the reader asks for them. */
export function AuditPage({ names, calls, texts, user, first }: AuditPageProps) {
  const { t, locale } = useMessages()
  const [initial] = useState<AuditFilter>({ user })
  const [filter, setFilter] = useState(initial)
  return (
    <AdminPage
      title={t('admin.audit.title')}
      description={t('admin.audit.text')}
      actions={<ExportButton filter={filter} />}
    >
      <SearchForm
        label={t('admin.audit.search')}
        filter={filter}
        onSearch={setFilter}
        more={{
          names: ['actor', 'from', 'to', 'calls'],
          columns: 'sm:grid-cols-[1fr_10.5rem_10.5rem]',
          fields: (
            <>
              <SearchField
                label={t('admin.audit.by')}
                name="actor"
                placeholder={t('admin.audit.emailOrId')}
              />
              <SearchField label={t('admin.audit.since')} name="from" type="date" />
              <SearchField label={t('admin.audit.until')} name="to" type="date" />
              <div className="col-span-full">
                <Checkbox name="calls" label={t('admin.audit.calls')} />
              </div>
            </>
          ),
        }}
      >
        <SearchField
          label={t('admin.audit.about')}
          name="user"
          placeholder={t('admin.audit.emailOrId')}
          defaultValue={filter.user}
        />
        <SearchSelect
          label={t('admin.audit.action')}
          name="action"
          options={Object.entries(names)
            .map(([value, label]) => ({ value, label }))
            .sort((one, other) => one.label.localeCompare(other.label, locale))}
        />
      </SearchForm>
      <PagedList
        label={t('admin.audit.title')}
        queryKey={[...ADMIN_KEYS.audit, filter]}
        first={filter === initial ? first : undefined}
        fetchPage={async (cursor, signal) =>
          admin.audit.list({ cursor, ...(await readFilter(filter)) }, signal)
        }
        expectedErrors={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }}
        head={
          <ColumnHeads
            grid={`gap-x-3 ${AUDIT_GRID}`}
            columns={[
              { label: '' },
              { label: t('admin.audit.time') },
              { label: t('admin.audit.by') },
              { label: t('admin.audit.action') },
              { label: t('admin.audit.about') },
              { label: t('admin.audit.address') },
            ]}
          />
        }
        row={(entry) => (
          <AuditRow
            key={entry.id}
            entry={entry}
            name={names[entry.action]}
            callName={calls[auditCallOf(entry)]}
            texts={texts}
          />
        )}
        empty={
          <EmptyState icon={ScrollText} title={t('admin.audit.noneTitle')}>
            {t('admin.audit.noneText')}
          </EmptyState>
        }
      />
    </AdminPage>
  )
}
