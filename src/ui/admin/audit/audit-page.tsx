'use client'

import type { AuditEntry } from '@pigeonhole/client/admin'
import { ScrollText } from 'lucide-react'
import { Checkbox } from '../../components/checkbox.tsx'
import { DayHeading, useDayOf } from '../../components/day-heading.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { AuditActionNames, AuditCallNames } from '../../i18n/messages/audit-actions.ts'
import type { AuditDetailTexts } from '../../i18n/messages/audit-details.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { ColumnHeads } from '../columns.tsx'
import { FilterField } from '../filters/filter-fields.tsx'
import { ListFilters } from '../filters/list-filters.tsx'
import { NoMatches } from '../filters/no-matches.tsx'
import { useListFilter } from '../filters/use-list-filter.ts'
import { type FirstMatches, firstOf } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { auditCallOf } from './audit-call.ts'
import { AUDIT_FIELDS, readFilter } from './audit-filter.ts'
import { AUDIT_GRID, AuditRow } from './audit-row.tsx'
import { ExportButton } from './export-button.tsx'

type AuditPageProps = {
  /** Names of the actions. */
  names: AuditActionNames
  /** Names of API calls, by route. */
  calls: AuditCallNames
  texts: AuditDetailTexts
  first: FirstMatches<AuditEntry>
}

/** The audit log by day, without API calls that add nothing to it unless the reader asks for them. */
export function AuditPage({ names, calls, texts, first }: AuditPageProps) {
  const { t, locale } = useMessages()
  const filters = useListFilter(AUDIT_FIELDS)
  const { filter } = filters
  const dayOf = useDayOf()
  const dayHeading = ({ at }: AuditEntry, newer: AuditEntry | undefined) => {
    const day = dayOf(at)
    return (
      (newer === undefined || dayOf(newer.at) !== day) && <DayHeading day={day} dayOf={dayOf} level={2} />
    )
  }
  return (
    <AdminPage
      title={t('admin.audit.title')}
      description={t('admin.audit.text')}
      actions={<ExportButton filter={filter} />}
    >
      <PagedList
        label={t('admin.audit.title')}
        queryKey={[...ADMIN_KEYS.audit, filter]}
        first={firstOf(first, filter)}
        fetchPage={async (cursor, signal) =>
          admin.audit.list({ cursor, ...(await readFilter(filter)) }, signal)
        }
        count={(count) => t('admin.audit.count', { count })}
        filters={(status) => (
          <ListFilters
            label={t('admin.audit.search')}
            filters={filters}
            search={{ name: 'user', label: t('admin.audit.userField') }}
            choice={{
              name: 'action',
              label: t('admin.audit.action'),
              any: t('admin.audit.anyAction'),
              options: Object.entries(names)
                .map(([value, label]) => ({ value, label }))
                .sort((one, other) => one.label.localeCompare(other.label, locale)),
            }}
            more={{
              names: ['actor', 'from', 'to', 'calls'],
              columns: 'sm:grid-cols-[1fr_10.5rem_10.5rem]',
              fields: (
                <>
                  <FilterField
                    label={t('admin.audit.by')}
                    name="actor"
                    placeholder={t('admin.audit.emailOrId')}
                  />
                  <FilterField label={t('admin.audit.since')} name="from" type="date" />
                  <FilterField label={t('admin.audit.until')} name="to" type="date" />
                  <div className="col-span-full">
                    <Checkbox
                      name="calls"
                      label={t('admin.audit.calls')}
                      defaultChecked={filter.calls !== undefined}
                    />
                  </div>
                </>
              ),
            }}
            status={status}
          />
        )}
        expectedErrors={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }}
        head={
          <ColumnHeads
            grid={`gap-x-3 ${AUDIT_GRID}`}
            columns={[
              { label: '' },
              { label: t('admin.audit.time') },
              { label: t('admin.audit.by') },
              { label: t('admin.audit.action') },
              { label: t('admin.audit.subject') },
              { label: t('admin.audit.address') },
            ]}
          />
        }
        row={(entry, index, items) => (
          <AuditRow
            key={entry.id}
            entry={entry}
            heading={dayHeading(entry, items[index - 1])}
            name={names[entry.action]}
            callName={calls[auditCallOf(entry)]}
            texts={texts}
          />
        )}
        empty={
          filters.isActive ? (
            <NoMatches title={t('admin.audit.noneTitle')} onClear={filters.clear} />
          ) : (
            <EmptyState icon={ScrollText} title={t('admin.audit.emptyTitle')} />
          )
        }
      />
    </AdminPage>
  )
}
