import type { AdminPage } from '@pigeonhole/client/admin'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import type { ReactNode } from 'react'
import { PagedRows } from '../components/paged-rows.tsx'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import type { FirstPage } from './first-page.ts'

type PagedListProps<Item> = {
  /** Accessible name of the list. */
  label: string
  queryKey: readonly unknown[]
  /** The first page, if it came with the HTML. */
  first?: FirstPage<Item>
  fetchPage(cursor: string | undefined, signal: AbortSignal): Promise<AdminPage<Item> & { total?: number }>
  /** Search of the list, on the line of the summary. */
  tools?: ReactNode
  /** Returns a text above the list, which screen readers announce, if the first page has a total. */
  summary?(total: number): string
  /** Returns the refresh interval in milliseconds, or false to fetch only after changes. */
  refetchMs?(items: Item[]): number | false
  /** Heads of the columns, above a list that is not empty. */
  head?: ReactNode
  row(item: Item): ReactNode
  /** Messages for error codes that have a special meaning here. */
  expectedErrors?: Partial<Record<string, PlainMessageKey>>
  /** Replaces the list while it is empty. */
  empty: ReactNode
}

/** A list of the admin API, loaded page by page. */
export function PagedList<Item extends { id: string }>(props: PagedListProps<Item>) {
  const { label, queryKey, first, fetchPage, tools, summary, refetchMs, expectedErrors, head, row, empty } =
    props
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
  const total = list.data?.pages[0]?.total
  return (
    <>
      {summary && (
        <div className={clsx('flex flex-wrap items-center border-line', (tools || total) && 'border-b')}>
          <div className="min-w-0 flex-1 basis-72">{tools}</div>
          <p
            role="status"
            className={
              total
                ? clsx('px-4 pb-3 text-sm text-ink-soft tabular-nums sm:px-5 sm:py-3', !tools && 'pt-3')
                : 'sr-only'
            }
          >
            {/* The previous total does not belong to this query. */}
            {total === undefined || list.isPlaceholderData ? '\u00a0' : summary(total)}
          </p>
        </div>
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
