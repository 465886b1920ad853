'use client'

import type { Outputs } from '@pigeonhole/client'
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClients } from '../context/use-clients.ts'

export type FilesPageData = Outputs['files']['list']
export type FileItem = FilesPageData['items'][number]
export type Usage = Outputs['account']['usage']

/** Tells the user's other tabs that the files have changed. */
export const FILES_CHANNEL = 'pigeonhole-files'
const FILES_KEY = ['files']
const USAGE_KEY = ['usage']
const PAGE_SIZE = 100

/** All files, page by page. `initial` is what the server rendered. */
export function useFiles(initial: FilesPageData) {
  const { client } = useClients()
  return useInfiniteQuery({
    queryKey: FILES_KEY,
    queryFn: ({ pageParam, signal }) =>
      client.files.list.query({ limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    initialData: { pages: [initial], pageParams: [null] },
  })
}

export function useUsage(initial: Usage) {
  const { client } = useClients()
  return useQuery({
    queryKey: USAGE_KEY,
    queryFn: ({ signal }) => client.account.usage.query(undefined, { signal }),
    initialData: initial,
  })
}

/** Fetches the list and the usage again; with `otherTabs`, in the user's other tabs too. */
export function useRefreshFiles() {
  const queries = useQueryClient()
  return useCallback(
    ({ otherTabs = true } = {}) => {
      void queries.invalidateQueries({ queryKey: FILES_KEY })
      void queries.invalidateQueries({ queryKey: USAGE_KEY })
      if (!otherTabs || typeof BroadcastChannel === 'undefined') return
      const channel = new BroadcastChannel(FILES_CHANNEL)
      channel.postMessage('changed')
      channel.close()
    },
    [queries],
  )
}

/** Removes a file from the cached list without waiting for the list to be fetched again. */
export function useRemoveFromList() {
  const queries = useQueryClient()
  return useCallback(
    (fileId: string) =>
      queries.setQueryData<InfiniteData<FilesPageData>>(FILES_KEY, (data) => {
        if (!data) return data
        const pages = data.pages.map((page) => ({
          ...page,
          items: page.items.filter(({ id }) => id !== fileId),
        }))
        return { ...data, pages }
      }),
    [queries],
  )
}
