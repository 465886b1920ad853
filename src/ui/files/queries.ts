'use client'

import type { Outputs } from '@pigeonhole/client'
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useEngine } from '../shell/context.tsx'

export type FilesPageData = Outputs['files']['list']
export type FileItem = FilesPageData['items'][number]
export type Usage = Outputs['account']['usage']

const FILES = ['files']
const USAGE = ['usage']
const PER_PAGE = 100
/** A queue of small files ends many times a second; the list follows once a second. */
const REFRESH_MS = 1000
const CHANNEL = 'pigeonhole-files'

/** All files, page by page. `initial` is what the server rendered. */
export function useFiles(initial: FilesPageData) {
  const { client } = useEngine()
  return useInfiniteQuery({
    queryKey: FILES,
    queryFn: ({ pageParam, signal }) =>
      client.files.list.query({ limit: PER_PAGE, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    initialData: { pages: [initial], pageParams: [null] },
  })
}

export function useUsage(initial: Usage) {
  const { client } = useEngine()
  return useQuery({
    queryKey: USAGE,
    queryFn: ({ signal }) => client.account.usage.query(undefined, { signal }),
    initialData: initial,
  })
}

/** Asks anew for the list and the usage; `tellOthers`: in this person's other tabs too. */
export function useRefresh() {
  const queries = useQueryClient()
  return useCallback(
    (tellOthers = true) => {
      void queries.invalidateQueries({ queryKey: FILES })
      void queries.invalidateQueries({ queryKey: USAGE })
      if (!tellOthers || typeof BroadcastChannel === 'undefined') return
      const channel = new BroadcastChannel(CHANNEL)
      channel.postMessage('changed')
      channel.close()
    },
    [queries],
  )
}

/** Takes a file out of the list before the server has answered for the whole of it again. */
export function useForget() {
  const queries = useQueryClient()
  return useCallback(
    (fileId: string) =>
      queries.setQueryData<InfiniteData<FilesPageData>>(FILES, (data) => {
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

/** Keeps list and usage up with the upload queue and with other tabs. */
export function useFollowUploads() {
  const { uploader } = useEngine()
  const refresh = useRefresh()
  useEffect(() => {
    let seen = signature()
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = uploader.subscribe(() => {
      const now = signature()
      if (now === seen) return
      seen = now
      timer ??= setTimeout(() => {
        timer = undefined
        refresh()
      }, REFRESH_MS)
    })
    function signature(): string {
      return Object.values(uploader.getSnapshot().counts).join()
    }
    const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL)
    if (channel) channel.onmessage = () => refresh(false)
    return () => {
      end()
      clearTimeout(timer)
      channel?.close()
    }
  }, [uploader, refresh])
}
