import type { Filter } from '../filters/parse-filter.ts'

/** Names of the filter's fields. */
export const TOKEN_FIELDS = ['user', 'status'] as const

export type TokenFilter = Filter<(typeof TOKEN_FIELDS)[number]>
