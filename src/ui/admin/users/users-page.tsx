'use client'

import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { SearchForm } from '../search-form.tsx'
import { UserRow } from './user-row.tsx'

/** `defaultQuotaBytes`: of users without a quota of their own. */
export function UsersPage({ defaultQuotaBytes }: { defaultQuotaBytes: number }) {
  const { t } = useWords()
  const [query, setQuery] = useState<string>()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.users.title')}</AdminHeading>
      <Card>
        <SearchForm label={t('admin.users.search')} onSearch={({ query }) => setQuery(query)}>
          <TextField
            label={t('admin.users.searchField')}
            name="query"
            type="search"
            autoComplete="off"
            maxLength={254}
            className="min-w-0 flex-1 basis-60"
          />
        </SearchForm>
        <PagedList
          label={t('admin.users.title')}
          queryKey={[...ADMIN_KEYS.users, query]}
          fetchPage={(cursor, signal) => admin.users.list({ cursor, query }, signal)}
          row={(user) => <UserRow key={user.id} user={user} defaultQuotaBytes={defaultQuotaBytes} />}
          empty={
            <EmptyState icon={SearchX} title={t('admin.users.noneTitle')}>
              {t('admin.users.noneText')}
            </EmptyState>
          }
        />
      </Card>
    </div>
  )
}
