'use client'

import type { AdminPage } from '@pigeonhole/client/admin'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PagedRows } from '../components/paged-rows.tsx'
import { errorText } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'

type PagedListProps<Item> = {
  /** Of the list, for screen readers. */
  label: string
  queryKey: readonly unknown[]
  fetchPage(cursor: string | undefined, signal: AbortSignal): Promise<AdminPage<Item>>
  /** How often the list is fetched again, in milliseconds; false: only when something changes. */
  refetchMs?(items: Item[]): number | false
  row(item: Item): ReactNode
  /** Words for the error codes that mean something particular here. */
  expectedErrors?: Partial<Record<string, PlainMessageKey>>
  /** In place of the list while it has nothing. */
  empty: ReactNode
}

/** A list of the admin API, page by page. */
export function PagedList<Item extends { id: string }>(props: PagedListProps<Item>) {
  const { label, queryKey, fetchPage, refetchMs, expectedErrors, row, empty } = props
  const { t } = useWords()
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    // Every call is an entry in the audit log.
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      refetchMs?.(state.data?.pages.flatMap((page) => page.items) ?? []) ?? false,
  })
  const items = list.data?.pages.flatMap((page) => page.items)
  return (
    <PagedRows
      label={label}
      list={list}
      items={items}
      error={list.error ? errorText(t, list.error, expectedErrors) : undefined}
      row={row}
      empty={empty}
    />
  )
}
