'use client'

import type { AdminUser, AdminUserSearch, AdminUserSort } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { SortHead } from '../../components/sort-head.tsx'
import { useFocusOnClose } from '../../components/use-focus-on-close.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { ColumnHeads } from '../columns.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { SearchBar } from '../search-bar.tsx'
import { CreateUserForm } from './create-user-form.tsx'
import { USER_GRID, UserRow } from './user-row.tsx'

type UsersPageProps = {
  /** Quota of users without their own quota. */
  defaultQuotaBytes: number
  canInvite: boolean
  first: FirstPage<AdminUser>
}

const USER_SORTS = ['newest', 'oldest', 'name', 'storage', 'lastSeen'] as const
const ASCENDING: readonly AdminUserSort[] = ['name', 'oldest']

/** Users to show. */
const USER_GROUPS = {
  all: {},
  active: { status: 'active' },
  disabled: { status: 'disabled' },
  admins: { role: 'admin' },
  unverified: { status: 'unverified' },
} as const satisfies Record<string, Pick<AdminUserSearch, 'role' | 'status'>>

type UserGroup = keyof typeof USER_GROUPS

/** All users, with a search and a form that creates one. */
export function UsersPage({ defaultQuotaBytes, canInvite, first }: UsersPageProps) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const queries = useQueryClient()
  const [query, setQuery] = useState<string>()
  const [sort, setSort] = useState<AdminUserSort>('newest')
  const [group, setGroup] = useState<UserGroup>('all')
  const isFiltered = query !== undefined || group !== 'all'
  const [creating, setCreating] = useState(false)
  const newButton = useFocusOnClose(creating)
  const sortable = (label: string, sorts: [AdminUserSort, ...AdminUserSort[]]) => ({
    label,
    button: <SortHead label={label} sorts={sorts} ascending={ASCENDING} sort={sort} onSort={setSort} />,
  })
  const create = !creating && (
    <Button ref={newButton} variant="primary" onClick={() => setCreating(true)}>
      {t('admin.users.new')}
    </Button>
  )
  return (
    <AdminPage title={t('admin.users.title')} actions={create}>
      {creating && (
        <CreateUserForm
          canInvite={canInvite}
          defaultQuotaBytes={defaultQuotaBytes}
          onCreated={({ email }, isInvited) => {
            notify(t(isInvited ? 'admin.users.invited' : 'admin.users.canSignIn', { email: email! }), 'info')
            void queries.invalidateQueries({ queryKey: ADMIN_KEYS.users })
            setCreating(false)
          }}
          onCancel={() => setCreating(false)}
        />
      )}
      <PagedList
        label={t('admin.users.title')}
        queryKey={[...ADMIN_KEYS.users, query, group, sort]}
        first={!isFiltered && sort === 'newest' ? first : undefined}
        // Only the first page returns the total.
        fetchPage={(cursor, signal) =>
          admin.users.list(
            { cursor, query, sort, ...USER_GROUPS[group], ...(cursor === undefined && { withTotal: true }) },
            signal,
          )
        }
        tools={
          !creating && (
            <SearchBar
              label={t('admin.users.search')}
              field={t('admin.users.searchField')}
              maxLength={254}
              query={query}
              onSearch={setQuery}
            >
              <ChoiceSelect<UserGroup>
                compact
                label={t('admin.users.show')}
                value={group}
                onChange={setGroup}
                options={(Object.keys(USER_GROUPS) as UserGroup[]).map((value) => ({
                  value,
                  label: t(`admin.users.groups.${value}`),
                }))}
                className="min-w-0 text-sm max-sm:flex-auto"
              />
              {/* On wide screens, the column heads sort the list. */}
              <ChoiceSelect<AdminUserSort>
                compact
                label={t('admin.sort')}
                value={sort}
                onChange={setSort}
                options={USER_SORTS.map((value) => ({ value, label: t(`admin.users.sorts.${value}`) }))}
                className="text-sm max-sm:flex-auto lg:hidden"
              />
            </SearchBar>
          )
        }
        summary={(count) => t(isFiltered ? 'admin.users.found' : 'admin.users.total', { count })}
        head={
          <ColumnHeads
            grid={`gap-x-4 ${USER_GRID}`}
            columns={[
              sortable(t('admin.users.one'), ['name']),
              { label: t('admin.users.role') },
              sortable(t('admin.users.storage'), ['storage']),
              sortable(t('admin.users.created'), ['newest', 'oldest']),
              sortable(t('admin.users.lastSeen'), ['lastSeen']),
              { label: t('admin.status') },
            ]}
          />
        }
        row={(user) => <UserRow key={user.id} user={user} defaultQuotaBytes={defaultQuotaBytes} />}
        empty={
          <EmptyState icon={SearchX} title={t('admin.users.noneTitle')}>
            {t('admin.users.noneText')}
          </EmptyState>
        }
      />
    </AdminPage>
  )
}
