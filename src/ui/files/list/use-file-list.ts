import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useClients } from '../../context/use-clients.ts'
import {
  type FilesPageData,
  isHeld,
  isReady,
  LISTS_KEY,
  PAGE_SIZE,
  VERSION_KEY,
} from '../use-file-queries.ts'
import { type FileView, filterOf, formatFileView } from './file-view.ts'

/** Maximum pages that are fetched again after a change. More would be slow, so users further down get a message. */
const MAX_REFETCHED_PAGES = 3

export type FileList = ReturnType<typeof useFileList>
type Pages = InfiniteData<FilesPageData, string | null>

/**
 * Loads the files of a view page by page. `initial` is what the server rendered for `initialView`.
 *
 * When files change, the pages down to the last visible one are fetched again. The others are dropped and load again
 * when the user scrolls to them. Far down the list nothing moves: `hasChanges` becomes true, and `showChanges` reloads
 * the list from the start.
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
    // The version decides when to fetch again. These options would fetch all pages.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { refetch } = query
  /** Number of pages down to the last visible one. */
  const depth = useRef(1)
  const [hasChanges, setHasChanges] = useState(false)

  const keepPages = useCallback(
    (count: number) =>
      queries.setQueryData<Pages>(
        queryKey,
        (data) => data && { pages: data.pages.slice(0, count), pageParams: data.pageParams.slice(0, count) },
        // Dropping pages does not make the others newer.
        { updatedAt: queries.getQueryState(queryKey)?.dataUpdatedAt },
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
      setHasChanges(true)
      return
    }
    keepPages(depth.current)
    // `refetch` cancels any fetch except a list's first, whose files would count as fresh although they are older.
    if (queries.getQueryData(queryKey) === undefined)
      void queries.cancelQueries({ queryKey, exact: true }).then(() => refetch())
    else void refetch()
  }, [version, keepPages, refetch, queries, queryKey])

  // biome-ignore lint/correctness/useExhaustiveDependencies: every view starts at its top
  useEffect(() => {
    setHasChanges(false)
    depth.current = 1
    // A user who returns also starts at the top and should not wait for every page.
    return () => {
      keepPages(1)
      void queries.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
    }
  }, [queryKey])

  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data])
  return {
    /** Loaded files in any state. */
    all: items,
    /** Those that are ready or held. */
    stored: useMemo(() => items.filter((file) => isReady(file) || isHeld(file)), [items]),
    error: query.error,
    /** When the files were fetched. */
    updatedAt: query.dataUpdatedAt,
    /** True while the files are missing or still those of the previous view. */
    isLoading: query.isPlaceholderData || query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    /** True while any page is fetched. `loadMore` then has no effect. */
    isFetching: query.isFetching,
    hasMore: query.hasNextPage,
    loadMore: useCallback(() => {
      // Fast scrolling calls this often, so do not cancel the running request.
      void query.fetchNextPage({ cancelRefetch: false })
    }, [query.fetchNextPage]),
    loadMoreFailed: query.isFetchNextPageError,
    retry: () => void (query.isFetchNextPageError ? query.fetchNextPage() : refetch()),
    /** Sets the index of the last visible file. */
    setLastVisible: useCallback((index: number) => {
      depth.current = Math.floor(Math.max(0, index) / PAGE_SIZE) + 1
    }, []),
    hasChanges,
    showChanges: () => {
      setHasChanges(false)
      keepPages(1)
      void refetch()
    },
  }
}
