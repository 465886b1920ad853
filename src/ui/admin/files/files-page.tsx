'use client'

import type { BackendFile } from '@pigeonhole/client/admin'
import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { findUserId } from '../push-tokens/find-user-id.ts'
import { SearchForm } from '../search-form.tsx'
import { FileRow } from './file-row.tsx'
import { FILE_STATES } from './file-state.ts'
import { DATA_PATTERN, parseDataFilter } from './parse-data-filter.ts'

type FilesPageProps = {
  /** Initial filter, from the page's address. */
  user: string | undefined
  /** Names of the configured policies. Files can also have one that no longer exists. */
  policies: string[]
  first: FirstPage<BackendFile>
}

type Filter = { user?: string; policy?: string; state?: string; data?: string }

const STATES = Object.keys(FILE_STATES) as BackendFile['state'][]

/** The files of all users, with a search. */
export function FilesPage({ user, policies, first }: FilesPageProps) {
  const { t } = useMessages()
  const [initial] = useState<Filter>({ user })
  const [filter, setFilter] = useState(initial)
  async function fetchPage(cursor: string | undefined, signal: AbortSignal) {
    const { user, policy, state, data } = filter
    const owner = user === undefined ? undefined : await findUserId(user)
    return admin.files.list(
      {
        cursor,
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
      <SearchForm label={t('admin.files.search')} filter={filter} onSearch={setFilter}>
        <TextField
          label={t('admin.files.user')}
          name="user"
          type="search"
          defaultValue={filter.user}
          autoComplete="off"
          spellCheck={false}
          className="min-w-0 flex-1 basis-60"
        />
        <SelectField
          label={t('admin.files.state')}
          name="state"
          options={[
            { value: '', label: t('admin.files.anyState') },
            ...STATES.map((state) => ({ value: state, label: t(FILE_STATES[state].label) })),
          ]}
          className="min-w-0 flex-1 basis-40"
        />
        <TextField
          label={t('admin.files.policy')}
          name="policy"
          type="search"
          list="upload-policies"
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          className="min-w-0 flex-1 basis-40"
        />
        <datalist id="upload-policies">
          {policies.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField
          label={t('admin.files.dataField')}
          name="data"
          type="search"
          placeholder={t('admin.files.dataExample')}
          autoComplete="off"
          spellCheck={false}
          pattern={DATA_PATTERN}
          className="min-w-0 flex-1 basis-48"
        />
      </SearchForm>
      <PagedList
        label={t('admin.files.title')}
        queryKey={[...ADMIN_KEYS.files, filter]}
        first={filter === initial ? first : undefined}
        fetchPage={fetchPage}
        expectedErrors={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }}
        row={(file) => <FileRow key={file.id} file={file} />}
        empty={
          <EmptyState icon={SearchX} title={t('admin.files.noneTitle')}>
            {t('admin.files.noneText')}
          </EmptyState>
        }
      />
    </AdminPage>
  )
}
