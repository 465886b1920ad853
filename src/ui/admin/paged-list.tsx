import type { AdminPage } from '@pigeonhole/client/admin'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { PagedRows } from '../components/paged-rows.tsx'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { FirstPage } from './first-page.ts'

type PagedListProps<Item> = {
  /** Accessible name of the list. */
  label: string
  queryKey: readonly unknown[]
  /** The first page, if it came with the HTML. */
  first?: FirstPage<Item>
  fetchPage(cursor: string | undefined, signal: AbortSignal): Promise<AdminPage<Item> & { total?: number }>
  /** Returns the filters of the list, with the number of results. */
  filters?(status: ReactNode): ReactNode
  /** True without an active filter: then an empty list has nothing to filter, and its filters are hidden. */
  isUnfiltered?: boolean
  /** Returns the number of results in words. Lists with filters have it. */
  count?(count: number): string
  /** Returns the refresh interval in milliseconds, or false to fetch only after changes. */
  refetchMs?(items: Item[]): number | false
  /** Heads of the columns, above a list that is not empty. */
  head?: ReactNode
  row(item: Item, index: number, items: Item[]): ReactNode
  /** Messages for error codes that have a special meaning here. */
  expectedErrors?: Partial<Record<string, PlainMessageKey>>
  /** Replaces the list while it is empty. */
  empty: ReactNode
}

/** A list of the admin API, loaded page by page. */
export function PagedList<Item extends { id: string }>(props: PagedListProps<Item>) {
  const { label, queryKey, first, fetchPage, filters, isUnfiltered, count, refetchMs } = props
  const { expectedErrors, head, row, empty } = props
  const { t } = useMessages()
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    initialData: first && { pages: [first.body], pageParams: [null] },
    initialDataUpdatedAt: first?.at,
    // Each call adds an entry to the audit log.
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      refetchMs?.(state.data?.pages.flatMap((page) => page.items) ?? []) ?? false,
  })
  const items = list.data?.pages.flatMap((page) => page.items)
  // Most lists have no total, which would take long to count.
  const total = list.data?.pages[0]?.total ?? (list.hasNextPage ? undefined : items?.length)
  function status() {
    // The previous number does not belong to this filter.
    if (!items || list.isPlaceholderData || list.error) return '\u00a0'
    return total === undefined ? t('admin.first', { count: items.length }) : count?.(total)
  }
  // The button that clears the filter moves the focus to the filters, so they stay.
  const [wasFiltered, setWasFiltered] = useState(!isUnfiltered)
  if (!isUnfiltered && !wasFiltered) setWasFiltered(true)
  const hidesFilters = !wasFiltered && items?.length === 0 && !list.error
  return (
    <>
      {!hidesFilters &&
        filters?.(
          <p role="status" className="text-sm text-ink-soft tabular-nums">
            {status()}
          </p>,
        )}
      <PagedRows
        label={label}
        list={list}
        items={items}
        expectedErrors={expectedErrors}
        head={head}
        row={row}
        empty={empty}
      />
    </>
  )
}
