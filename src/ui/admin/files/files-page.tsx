'use client'

import type { BackendFile } from '@pigeonhole/client/admin'
import { FolderOpen } from 'lucide-react'
import { EmptyState } from '../../components/empty-state.tsx'
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
import { findUserId } from '../push-tokens/find-user-id.ts'
import { FILE_FIELDS, fileSearchOf } from './file-filter.ts'
import { FILE_GRID, FileRow } from './file-row.tsx'
import { FILE_STATES } from './file-state.ts'
import { DATA_PATTERN } from './parse-data-filter.ts'

type FilesPageProps = {
  /** Names of the configured policies. Files can also have one that no longer exists. */
  policies: string[]
  first: FirstMatches<BackendFile>
}

const STATES = Object.keys(FILE_STATES) as BackendFile['state'][]

/** The files of all users, with a search. */
export function FilesPage({ policies, first }: FilesPageProps) {
  const { t } = useMessages()
  const filters = useListFilter(FILE_FIELDS)
  const { filter } = filters
  async function fetchPage(cursor: string | undefined, signal: AbortSignal) {
    const userId = filter.user === undefined ? undefined : await findUserId(filter.user)
    return admin.files.list({ ...fileSearchOf(filter, userId), cursor }, signal)
  }
  return (
    <AdminPage title={t('admin.files.title')} description={t('admin.files.text')}>
      <PagedList
        label={t('admin.files.title')}
        queryKey={[...ADMIN_KEYS.files, filter]}
        first={firstOf(first, filter)}
        fetchPage={fetchPage}
        count={(count) => t('admin.files.count', { count })}
        isUnfiltered={!filters.isActive}
        filters={(status) => (
          <ListFilters
            label={t('admin.files.search')}
            filters={filters}
            search={{ name: 'query', label: t('admin.files.name'), maxLength: 255 }}
            choice={{
              name: 'state',
              label: t('admin.status'),
              any: t('admin.anyStatus'),
              options: STATES.map((state) => ({ value: state, label: t(FILE_STATES[state].label) })),
            }}
            more={{
              names: ['user', 'policy', 'data'],
              columns: 'sm:grid-cols-3',
              fields: (
                <>
                  <FilterField
                    label={t('admin.files.owner')}
                    name="user"
                    placeholder={t('admin.files.ownerExample')}
                  />
                  <FilterField
                    label={t('admin.files.policy')}
                    name="policy"
                    suggestions={policies}
                    maxLength={255}
                  />
                  <FilterField
                    label={t('admin.files.dataField')}
                    name="data"
                    placeholder={t('admin.files.dataExample')}
                    pattern={DATA_PATTERN}
                  />
                </>
              ),
            }}
            status={status}
          />
        )}
        expectedErrors={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }}
        head={
          <ColumnHeads
            grid={`gap-x-4 ${FILE_GRID}`}
            columns={[
              { label: t('admin.files.one') },
              { label: t('admin.files.owner') },
              { label: t('admin.files.size'), isNumber: true },
              { label: t('admin.files.created') },
              { label: t('admin.status') },
            ]}
          />
        }
        row={(file) => <FileRow key={file.id} file={file} />}
        empty={
          filters.isActive ? (
            <NoMatches title={t('admin.files.noneTitle')} onClear={filters.clear} />
          ) : (
            <EmptyState icon={FolderOpen} title={t('admin.files.emptyTitle')}>
              {t('admin.files.emptyText')}
            </EmptyState>
          )
        }
      />
    </AdminPage>
  )
}
