'use client'

import type { Outputs } from '@pigeonhole/client'
import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClients } from '../context/use-clients.ts'
import { type FileView, filterOf } from './list/file-view.ts'

export type FilesPageData = Outputs['files']['list']
export type FileItem = FilesPageData['items'][number]
export type FileTotals = Outputs['files']['totals']
export type Usage = Outputs['account']['usage']

/**
 * Tells the user's other tabs that the files have changed. One object for posting and listening: a channel does not
 * hear itself, but every other channel of its name, of the same page too.
 */
export const filesChannel =
  typeof window === 'undefined' || typeof BroadcastChannel === 'undefined'
    ? undefined
    : new BroadcastChannel('pigeonhole-files')
/** Lists, one for each view: `['files', 'list', ...]`. */
export const LISTS_KEY = ['files', 'list']
const TOTALS_KEY = ['files', 'totals']
const RECENT_KEY = ['files', 'recent']
const USAGE_KEY = ['usage']
/** A number that rises when the files have changed; lists follow it, see `use-file-list.ts`. */
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

/** How many files a view has, and their bytes, by type. */
export function useFileTotals(view: FileView, enabled = true) {
  const { client } = useClients()
  const filter = filterOf(view)
  return useQuery({
    queryKey: [...TOTALS_KEY, filter],
    queryFn: ({ signal }) => client.files.totals.query(filter, { signal }),
    enabled,
  })
}

/** The newest files in whatever state, for lists that show others. */
export function useRecentFiles(initial: FileItem[] | undefined, enabled: boolean) {
  const { client } = useClients()
  return useQuery({
    queryKey: RECENT_KEY,
    queryFn: async ({ signal }) => (await client.files.list.query({ limit: PAGE_SIZE }, { signal })).items,
    initialData: initial,
    enabled,
  })
}

/** Fetches lists, totals and the usage again; with `otherTabs`, in the user's other tabs too. */
export function useRefreshFiles() {
  const queries = useQueryClient()
  return useCallback(
    ({ otherTabs = true } = {}) => {
      queries.setQueryData<number>(VERSION_KEY, (version = 0) => version + 1)
      for (const queryKey of [TOTALS_KEY, RECENT_KEY, USAGE_KEY]) void queries.invalidateQueries({ queryKey })
      // Lists that are not on the screen; the one that is follows the version.
      void queries.invalidateQueries({ queryKey: LISTS_KEY, refetchType: 'none' })
      if (otherTabs) filesChannel?.postMessage('changed')
    },
    [queries],
  )
}

/** Changes files in all lists without waiting for the server; what `change` returns null for is removed. */
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
