import type { BackendFile, BackendFileSearch } from '@pigeonhole/client/admin'
import type { Filter } from '../filters/parse-filter.ts'
import { parseDataFilter } from './parse-data-filter.ts'

/** Names of the filter's fields. */
export const FILE_FIELDS = ['query', 'state', 'user', 'policy', 'data'] as const

export type FileFilter = Filter<(typeof FILE_FIELDS)[number]>

/** Returns the search for a filter and the ID of its user. */
export function fileSearchOf(
  { query, policy, state, data }: FileFilter,
  userId: string | undefined,
): BackendFileSearch {
  return {
    query,
    policy,
    userId,
    state: state as BackendFile['state'] | undefined,
    data: data === undefined ? undefined : parseDataFilter(data),
  }
}
