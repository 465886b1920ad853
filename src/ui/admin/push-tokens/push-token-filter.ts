import type { Filter } from '../filters/parse-filter.ts'

/** Fields of the filter. */
export const TOKEN_FIELDS = { user: 'text', status: ['active', 'expired', 'revoked'] } as const

export type TokenFilter = Filter<keyof typeof TOKEN_FIELDS>
