'use client'

import type { BackendFile } from '@pigeonhole/client/admin'
import { FolderOpen, SearchX } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { ColumnHeads } from '../columns.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { findUserId } from '../push-tokens/find-user-id.ts'
import { SearchField, SearchSelect } from '../search-fields.tsx'
import { SearchForm } from '../search-form.tsx'
import { FILE_GRID, FileRow } from './file-row.tsx'
import { FILE_STATES } from './file-state.ts'
import { DATA_PATTERN, parseDataFilter } from './parse-data-filter.ts'

type FilesPageProps = {
  /** Initial filter, from the page's address. */
  user: string | undefined
  /** Names of the configured policies. Files can also have one that no longer exists. */
  policies: string[]
  first: FirstPage<BackendFile>
}

type Filter = { query?: string; user?: string; policy?: string; state?: string; data?: string }

const STATES = Object.keys(FILE_STATES) as BackendFile['state'][]

/** The files of all users, with a search. */
export function FilesPage({ user, policies, first }: FilesPageProps) {
  const { t } = useMessages()
  const [initial] = useState<Filter>({ user })
  const [filter, setFilter] = useState(initial)
  async function fetchPage(cursor: string | undefined, signal: AbortSignal) {
    const { query, user, policy, state, data } = filter
    const owner = user === undefined ? undefined : await findUserId(user)
    return admin.files.list(
      {
        cursor,
        query,
        policy,
        userId: owner,
        state: state as BackendFile['state'] | undefined,
        data: data === undefined ? undefined : parseDataFilter(data),
      },
      signal,
    )
  }
  return (
    <AdminPage title={t('admin.files.title')} description={t('admin.files.text')}>
      <SearchForm
        label={t('admin.files.search')}
        filter={filter}
        onSearch={setFilter}
        more={{
          names: ['user', 'policy', 'data'],
          columns: 'sm:grid-cols-2 lg:grid-cols-3',
          fields: (
            <>
              <SearchField label={t('admin.files.user')} name="user" defaultValue={filter.user} />
              <SearchField
                label={t('admin.files.policy')}
                name="policy"
                suggestions={policies}
                maxLength={255}
              />
              <SearchField
                label={t('admin.files.dataField')}
                name="data"
                placeholder={t('admin.files.dataExample')}
                pattern={DATA_PATTERN}
              />
            </>
          ),
        }}
      >
        <SearchField label={t('admin.files.name')} name="query" maxLength={255} />
        <SearchSelect
          label={t('admin.files.state')}
          name="state"
          options={STATES.map((state) => ({ value: state, label: t(FILE_STATES[state].label) }))}
        />
      </SearchForm>
      <PagedList
        label={t('admin.files.title')}
        queryKey={[...ADMIN_KEYS.files, filter]}
        first={filter === initial ? first : undefined}
        fetchPage={fetchPage}
        expectedErrors={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }}
        head={
          <ColumnHeads
            grid={`gap-x-4 ${FILE_GRID}`}
            columns={[
              { label: t('admin.files.one') },
              { label: t('admin.files.owner') },
              { label: t('admin.files.size'), isNumber: true },
              { label: t('admin.files.created') },
              { label: t('admin.files.state') },
            ]}
          />
        }
        row={(file) => <FileRow key={file.id} file={file} />}
        empty={
          Object.values(filter).some((value) => value !== undefined) ? (
            <EmptyState icon={SearchX} title={t('admin.files.noneTitle')}>
              {t('admin.files.noneText')}
            </EmptyState>
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
