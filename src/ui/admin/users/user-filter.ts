import type { AdminUserSearch, AdminUserSort } from '@pigeonhole/client/admin'
import type { Filter } from '../filters/parse-filter.ts'

/** Groups of users, in the filter's order. */
export const USER_GROUPS = {
  active: { status: 'active' },
  disabled: { status: 'disabled' },
  admins: { role: 'admin' },
  unverified: { status: 'unverified' },
} as const satisfies Record<string, Pick<AdminUserSearch, 'role' | 'status'>>

export type UserGroup = keyof typeof USER_GROUPS

/** Fields of the filter. */
export const USER_FIELDS = { query: 'text', group: Object.keys(USER_GROUPS) } as const

export const USER_SORTS = ['newest', 'oldest', 'name', 'storage', 'lastSeen'] as const

/** The order, as a filter of the address. */
export const SORT_FIELDS = { sort: USER_SORTS } as const

export const DEFAULT_SORT = 'newest'

/** Returns the search for a filter and an order. Unknown values in an address have no effect. */
export function userSearchOf({ query, group, sort }: Filter<keyof typeof USER_FIELDS | 'sort'>) {
  return {
    query,
    sort: USER_SORTS.includes(sort as AdminUserSort) ? (sort as AdminUserSort) : DEFAULT_SORT,
    ...(USER_GROUPS[group as UserGroup] as Pick<AdminUserSearch, 'role' | 'status'> | undefined),
  }
}
