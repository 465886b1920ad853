import type { AdminUserSearch, AdminUserSort } from '@pigeonhole/client/admin'
import type { Filter } from '../filters/parse-filter.ts'

/** Names of the filter's fields. */
export const USER_FIELDS = ['query', 'group'] as const

/** Groups of users, in the filter's order. */
export const USER_GROUPS = {
  active: { status: 'active' },
  disabled: { status: 'disabled' },
  admins: { role: 'admin' },
  unverified: { status: 'unverified' },
} as const satisfies Record<string, Pick<AdminUserSearch, 'role' | 'status'>>

export type UserGroup = keyof typeof USER_GROUPS

export const USER_SORTS = ['newest', 'oldest', 'name', 'storage', 'lastSeen'] as const

export const DEFAULT_SORT = 'newest'

/** Returns the search for a filter and an order. Unknown values in an address have no effect. */
export function userSearchOf({ query, group, sort }: Filter<(typeof USER_FIELDS)[number] | 'sort'>) {
  return {
    query,
    sort: USER_SORTS.includes(sort as AdminUserSort) ? (sort as AdminUserSort) : DEFAULT_SORT,
    ...(USER_GROUPS[group as UserGroup] as Pick<AdminUserSearch, 'role' | 'status'> | undefined),
  }
}
