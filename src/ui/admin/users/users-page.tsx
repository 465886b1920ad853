'use client'

import type { AdminUser, AdminUserSort } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { SortHead } from '../../components/sort-head.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { ColumnHeads } from '../columns.tsx'
import { ListFilters } from '../filters/list-filters.tsx'
import { NoMatches } from '../filters/no-matches.tsx'
import { useListFilter } from '../filters/use-list-filter.ts'
import { type FirstMatches, firstOf } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import {
  DEFAULT_SORT,
  SORT_FIELDS,
  USER_FIELDS,
  USER_GROUPS,
  USER_SORTS,
  type UserGroup,
  userSearchOf,
} from './user-filter.ts'
import { USER_GRID, UserRow } from './user-row.tsx'

/** Few visitors of the page create a user. Loaded when somebody reaches the button. */
const loadDialog = async () => ({ default: (await import('./create-user-dialog.tsx')).CreateUserDialog })
const CreateUserDialog = lazy(loadDialog)
const preloadDialog = () => void loadDialog().catch(() => {})

type UsersPageProps = {
  /** Quota of users without their own quota. */
  defaultQuotaBytes: number
  canInvite: boolean
  first: FirstMatches<AdminUser>
}

const ASCENDING: readonly AdminUserSort[] = ['name', 'oldest']

/** All users, with a search and a dialog that creates one. */
export function UsersPage({ defaultQuotaBytes, canInvite, first }: UsersPageProps) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const queries = useQueryClient()
  const filters = useListFilter(USER_FIELDS)
  const { filter, isActive } = filters
  const order = useListFilter(SORT_FIELDS)
  const search = userSearchOf({ ...filter, ...order.filter })
  const { sort } = search
  const setSort = (next: AdminUserSort) => order.apply(next === DEFAULT_SORT ? {} : { sort: next })
  const [creating, setCreating] = useState(false)
  const newButton = useRef<HTMLButtonElement>(null)
  const sortable = (label: string, sorts: [AdminUserSort, ...AdminUserSort[]]) => ({
    label,
    button: <SortHead label={label} sorts={sorts} ascending={ASCENDING} sort={sort} onSort={setSort} />,
  })
  const create = (
    <Button
      ref={newButton}
      variant="primary"
      onPointerEnter={preloadDialog}
      onFocus={preloadDialog}
      onClick={() => setCreating(true)}
    >
      {t('admin.users.new')}
    </Button>
  )
  return (
    <AdminPage title={t('admin.users.title')} description={t('admin.users.text')} actions={create}>
      {creating && (
        <Suspense>
          <CreateUserDialog
            canInvite={canInvite}
            defaultQuotaBytes={defaultQuotaBytes}
            onCreated={({ email }, isInvited) => {
              notify(
                t(isInvited ? 'admin.users.invited' : 'admin.users.canSignIn', { email: email! }),
                'info',
              )
              void queries.invalidateQueries({ queryKey: ADMIN_KEYS.users })
              setCreating(false)
            }}
            onClose={() => setCreating(false)}
            onClosed={() => newButton.current?.focus()}
          />
        </Suspense>
      )}
      <PagedList
        label={t('admin.users.title')}
        queryKey={[...ADMIN_KEYS.users, search]}
        first={firstOf(first, { ...filter, ...order.filter })}
        // Only the first page returns the total.
        fetchPage={(cursor, signal) =>
          admin.users.list({ ...search, cursor, ...(cursor === undefined && { withTotal: true }) }, signal)
        }
        count={(count) => t('admin.users.total', { count })}
        filters={(status) => (
          <ListFilters
            label={t('admin.users.search')}
            filters={filters}
            search={{ name: 'query', label: t('admin.users.searchField'), maxLength: 254 }}
            choice={{
              name: 'group',
              label: t('admin.users.show'),
              any: t('admin.users.groups.all'),
              options: (Object.keys(USER_GROUPS) as UserGroup[]).map((value) => ({
                value,
                label: t(`admin.users.groups.${value}`),
              })),
            }}
            status={status}
          >
            {/* On wide screens, the column heads sort the list. */}
            <ChoiceSelect<AdminUserSort>
              compact
              label={t('admin.sort')}
              value={sort}
              onChange={setSort}
              options={USER_SORTS.map((value) => ({ value, label: t(`admin.users.sorts.${value}`) }))}
              className="min-w-0 text-sm max-sm:basis-[52%] max-[22.5rem]:basis-full lg:hidden"
            />
          </ListFilters>
        )}
        head={
          <ColumnHeads
            grid={`gap-x-4 ${USER_GRID}`}
            columns={[
              sortable(t('common.email'), ['name']),
              { label: t('admin.users.role') },
              { label: t('admin.status') },
              sortable(t('admin.users.storage'), ['storage']),
              sortable(t('admin.users.created'), ['newest', 'oldest']),
              sortable(t('admin.users.lastSeen'), ['lastSeen']),
            ]}
          />
        }
        row={(user) => <UserRow key={user.id} user={user} defaultQuotaBytes={defaultQuotaBytes} />}
        empty={isActive && <NoMatches title={t('admin.users.noneTitle')} onClear={filters.clear} />}
      />
    </AdminPage>
  )
}
