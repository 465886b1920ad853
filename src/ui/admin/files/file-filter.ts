import type { BackendFile, BackendFileSearch } from '@pigeonhole/client/admin'
import type { Filter } from '../filters/parse-filter.ts'
import { FILE_STATES } from './file-state.ts'
import { parseDataFilter } from './parse-data-filter.ts'

/** Fields of the filter. */
export const FILE_FIELDS = {
  query: 'text',
  state: Object.keys(FILE_STATES),
  user: 'text',
  policy: 'text',
  data: 'text',
} as const

export type FileFilter = Filter<keyof typeof FILE_FIELDS>

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
