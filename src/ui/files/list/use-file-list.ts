'use client'

import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useClients } from '../../context/use-clients.ts'
import { type FileItem, type FilesPageData, LISTS_KEY, PAGE_SIZE, VERSION_KEY } from '../use-file-queries.ts'
import { type FileView, filterOf, formatFileView } from './file-view.ts'

/** Fetching more pages again after each change would be slow: whoever is further down is told instead. */
const MAX_REFETCHED_PAGES = 3

export type FileList = ReturnType<typeof useFileList>
type Pages = InfiniteData<FilesPageData, string | null>

/**
 * The ready files of a view, page by page. `initial` is what the server rendered, for `initialView`. When files have
 * changed, the pages down to what is on the screen are fetched again and the others dropped, to be loaded when they
 * are scrolled to. Far down nothing moves: `hasNews` says that the list has changed, `showNews` begins it again.
 */
export function useFileList(view: FileView, initial: FilesPageData, initialView: FileView) {
  const { client } = useClients()
  const queries = useQueryClient()
  const key = formatFileView(view)
  const queryKey = useMemo(() => [...LISTS_KEY, key], [key])
  const [renderedAt] = useState(() => Date.now())
  const isInitial = key === formatFileView(initialView)
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      client.files.list.query(
        { limit: PAGE_SIZE, sort: view.sort, ...filterOf(view), ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    ...(isInitial && {
      initialData: { pages: [initial], pageParams: [null] },
      initialDataUpdatedAt: renderedAt,
    }),
    placeholderData: keepPreviousData,
    // The version says when to fetch again: this would fetch all pages.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { refetch } = query
  /** How many pages are on the screen or above it. */
  const depth = useRef(1)
  const [hasNews, setHasNews] = useState(false)

  const keepPages = useCallback(
    (count: number) =>
      queries.setQueryData<Pages>(
        queryKey,
        (data) => data && { pages: data.pages.slice(0, count), pageParams: data.pageParams.slice(0, count) },
      ),
    [queries, queryKey],
  )

  const { data: version } = useQuery({
    queryKey: VERSION_KEY,
    queryFn: () => 0,
    initialData: 0,
    enabled: false,
  })
  const seen = useRef(version)
  useEffect(() => {
    if (version === seen.current) return
    seen.current = version
    if (depth.current > MAX_REFETCHED_PAGES) {
      setHasNews(true)
      return
    }
    keepPages(depth.current)
    void refetch()
  }, [version, keepPages, refetch])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another view begins at its top
  useEffect(() => {
    setHasNews(false)
    depth.current = 1
    // Whoever comes back begins at the top too, and should not wait for all that was loaded.
    return () => {
      keepPages(1)
      void queries.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
    }
  }, [queryKey])

  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data])
  return {
    /** In whatever state. */
    all: items,
    ready: useMemo(() => items.filter(isReady), [items]),
    error: query.error,
    /** The files are those of the view before, or there are none yet. */
    isLoading: query.isPlaceholderData || query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    hasMore: query.hasNextPage,
    loadMore: useCallback(() => {
      // Without cancelling: a list that is scrolled fast asks often.
      void query.fetchNextPage({ cancelRefetch: false })
    }, [query.fetchNextPage]),
    loadMoreFailed: query.isFetchNextPageError,
    retry: () => void (query.isFetchNextPageError ? query.fetchNextPage() : refetch()),
    /** `index` of the last file on the screen. */
    setLastVisible: useCallback((index: number) => {
      depth.current = Math.floor(Math.max(0, index) / PAGE_SIZE) + 1
    }, []),
    hasNews,
    showNews: () => {
      setHasNews(false)
      keepPages(1)
      void refetch()
    },
  }
}

function isReady({ state }: FileItem): boolean {
  return state === 'READY'
}
