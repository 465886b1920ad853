import type { Outputs } from '@pigeonhole/client'
import {
  focusManager,
  type InfiniteData,
  type QueryClient,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { useClients } from '../context/use-clients.ts'
import { type FileView, filterOf } from './list/file-view.ts'

export type FilesPageData = Outputs['files']['list']
export type FileItem = FilesPageData['items'][number]
export const isReady = ({ state }: FileItem): boolean => state === 'READY'
/** Returns true if the app's backend is still checking the file, so that no one can open it yet. */
export const isHeld = ({ state }: FileItem): boolean => state === 'HELD'

export type FileTotals = Outputs['files']['totals']
export type Usage = Outputs['account']['usage']

/** Returns the bytes that the account can still store. */
export function freeBytes({ quota, used, reserved }: Usage): number {
  return Math.max(0, quota - used - reserved)
}

/** Free share of the quota, and free bytes, up to which the storage is called full: hardly any file would fit. */
const FULL_SHARE = 0.01
const FULL_BYTES = 1_000_000

export function hasFullStorage(usage: Usage): boolean {
  return freeBytes(usage) <= Math.min(usage.quota * FULL_SHARE, FULL_BYTES)
}

/**
 * Tells the user's other tabs that files have changed. Use this object for both posting and listening: a channel does
 * not receive its own messages, but a second channel on the same page would.
 */
export const filesChannel =
  typeof window === 'undefined' || typeof BroadcastChannel === 'undefined'
    ? undefined
    : new BroadcastChannel('pigeonhole-files')
/** Prefix of the lists' query keys. Each view has its own list: `['files', 'list', ...]`. */
export const LISTS_KEY = ['files', 'list']
const TOTALS_KEY = ['files', 'totals']
const RECENT_KEY = ['files', 'recent']
const USAGE_KEY = ['usage']
/** Query key of a number that increases when files change. Lists follow it, see `use-file-list.ts`. */
export const VERSION_KEY = ['files', 'version']
export const PAGE_SIZE = 100

export function useUsage(initial: Usage) {
  const { client } = useClients()
  return useQuery({
    queryKey: USAGE_KEY,
    queryFn: ({ signal }) => client.account.usage.query(undefined, { signal }),
    initialData: initial,
  })
}

/**
 * Fetches the usage after each of `failures`, and whenever the user returns to the page: storage can have been freed
 * elsewhere. Returns undefined until a usage is known that is newer than all of them.
 */
export function useUsageAfter(failures: readonly object[]): Usage | undefined {
  const { client } = useClients()
  const queries = useQueryClient()
  const needed = failures.length > 0
  const { data, dataUpdatedAt } = useQuery({
    queryKey: USAGE_KEY,
    queryFn: ({ signal }) => client.account.usage.query(undefined, { signal }),
    enabled: needed,
    refetchOnWindowFocus: false,
  })
  const [seen, setSeen] = useState({ failures: new Set<object>(), usageAt: 0 })
  if (failures.some((failure) => !seen.failures.has(failure)))
    setSeen({ failures: new Set(failures), usageAt: dataUpdatedAt })
  useEffect(() => {
    if (!needed) return
    const refetchUsage = () => refetch(queries, USAGE_KEY)
    // `seen` changes with each new failure.
    if (seen.failures.size > 0) refetchUsage()
    return focusManager.subscribe((isFocused) => {
      if (isFocused) refetchUsage()
    })
  }, [needed, seen, queries])
  return needed && dataUpdatedAt !== seen.usageAt ? data : undefined
}

/** Fetches the number and bytes of a view's files by type. */
export function useFileTotals(view: FileView, enabled = true) {
  const { client } = useClients()
  const filter = filterOf(view)
  return useQuery({
    queryKey: [...TOTALS_KEY, filter],
    queryFn: ({ signal }) => client.files.totals.query(filter, { signal }),
    enabled,
  })
}

/** Fetches the newest files in any state, for views that do not contain them. */
export function useRecentFiles(initial: FileItem[] | undefined, enabled: boolean) {
  const { client } = useClients()
  return useQuery({
    queryKey: RECENT_KEY,
    queryFn: async ({ signal }) => (await client.files.list.query({ limit: PAGE_SIZE }, { signal })).items,
    initialData: initial,
    enabled,
  })
}

/** Returns a function that refreshes lists, totals and usage, by default in the user's other tabs too. */
export function useRefreshFiles() {
  const queries = useQueryClient()
  return useCallback(
    ({ otherTabs = true } = {}) => {
      queries.setQueryData<number>(VERSION_KEY, (version = 0) => version + 1)
      for (const queryKey of [TOTALS_KEY, RECENT_KEY, USAGE_KEY]) refetch(queries, queryKey)
      // Marks hidden lists as stale. The visible one follows the version.
      void queries.invalidateQueries({ queryKey: LISTS_KEY, refetchType: 'none' })
      if (otherTabs) filesChannel?.postMessage('changed')
    },
    [queries],
  )
}

/** Returns the name of a file in a cached list, also of one that loads later, or undefined if none contains it. */
export function useNameInLists(id: string | undefined): string | undefined {
  const queries = useQueryClient()
  const subscribe = useCallback((notify: () => void) => queries.getQueryCache().subscribe(notify), [queries])
  return useSyncExternalStore(
    subscribe,
    () => {
      if (id === undefined) return undefined
      const lists = queries.getQueriesData<InfiniteData<FilesPageData>>({ queryKey: LISTS_KEY })
      for (const [, data] of lists)
        for (const { items } of data?.pages ?? [])
          for (const file of items) if (file.id === id) return file.filename
      return undefined
    },
    () => undefined,
  )
}

/** Returns a function that changes cached files in all lists. `change` returns null to remove a file. */
export function useChangeInLists() {
  const queries = useQueryClient()
  return useCallback(
    (change: (file: FileItem) => FileItem | null) =>
      queries.setQueriesData<InfiniteData<FilesPageData>>({ queryKey: LISTS_KEY }, (data) => {
        if (!data) return data
        const pages = data.pages.map((page) => {
          const items = page.items.map(change)
          return items.every((item, i) => item === page.items[i])
            ? page
            : { ...page, items: items.filter((item) => item !== null) }
        })
        return { ...data, pages }
      }),
    [queries],
  )
}

/** Fetches what is shown again. A first fetch that is still running is outdated; `invalidateQueries` would let it finish. */
function refetch(queries: QueryClient, queryKey: string[]): void {
  void queries.cancelQueries({ queryKey }).then(() => queries.invalidateQueries({ queryKey }))
}
