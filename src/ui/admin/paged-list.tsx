'use client'

import type { AdminPage } from '@pigeonhole/client/admin'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/loading.tsx'
import { Notice } from '../components/notice.tsx'
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

/** A list of the admin API, page by page, in each of its states: loading, failed, empty, filled. */
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
    <>
      {list.error && (
        <Notice
          tone="error"
          className="m-4"
          action={<Button onClick={() => list.refetch()}>{t('common.tryAgain')}</Button>}
        >
          {errorText(t, list.error, expectedErrors)}
        </Notice>
      )}
      {!items && !list.error && <Loading />}
      {items?.length === 0 && !list.error && empty}
      {items && items.length > 0 && (
        <ul aria-label={label} aria-busy={list.isPlaceholderData} className="divide-y divide-line">
          {items.map((item) => row(item))}
        </ul>
      )}
      {list.hasNextPage && (
        <div className="flex justify-center border-t border-line p-3">
          <Button variant="ghost" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {list.isFetchingNextPage ? t('common.loading') : t('common.showMore')}
          </Button>
        </div>
      )}
    </>
  )
}
