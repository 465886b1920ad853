'use client'

import type { ReactNode } from 'react'
import { useWords } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import { Loading } from './loading.tsx'
import { Notice } from './notice.tsx'

type PagedRowsProps<Item> = {
  /** Of the list, for screen readers. */
  label: string
  /** An infinite query. */
  list: {
    isPlaceholderData: boolean
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage(): unknown
    refetch(): unknown
  }
  /** Of the pages that are loaded; undefined: none is. */
  items: Item[] | undefined
  /** Why the last fetch failed, in the reader's words. */
  error: string | undefined
  row(item: Item): ReactNode
  /** In place of the list while it has nothing. */
  empty: ReactNode
}

/** A list that is loaded page by page, in each of its states: loading, failed, empty, filled. */
export function PagedRows<Item>({ label, list, items, error, row, empty }: PagedRowsProps<Item>) {
  const { t } = useWords()
  return (
    <>
      {error && (
        <Notice
          tone="error"
          className="m-4"
          action={<Button onClick={() => list.refetch()}>{t('common.tryAgain')}</Button>}
        >
          {error}
        </Notice>
      )}
      {!items && !error && <Loading />}
      {items?.length === 0 && !error && empty}
      {items && items.length > 0 && (
        <ul aria-label={label} aria-busy={list.isPlaceholderData} className="divide-y divide-line">
          {items.map(row)}
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
