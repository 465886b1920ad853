import type { ComponentProps, ReactNode } from 'react'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { Loading } from './loading.tsx'

type PagedRowsProps<Item> = {
  /** Accessible name of the list. */
  label: string
  /** The infinite query that loads the list. */
  list: {
    error: unknown
    isPlaceholderData: boolean
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage(): unknown
    refetch(): unknown
  }
  /** Items of all loaded pages; undefined before the first page is loaded. */
  items: Item[] | undefined
  /** Messages for error codes that have a special meaning here. */
  expectedErrors?: Partial<Record<string, PlainMessageKey>>
  /** Handlers for the keys of the list. */
  listProps?: Pick<ComponentProps<'ul'>, 'ref' | 'onKeyDown' | 'onFocus' | 'onBlur'>
  /** Shown above a list that is not empty. */
  head?: ReactNode
  row(item: Item, index: number, items: Item[]): ReactNode
  /** Replaces the list while it is empty. */
  empty: ReactNode
}

/** A list that is loaded page by page, in all its states: loading, failed, empty, filled. */
export function PagedRows<Item>({
  label,
  list,
  items,
  expectedErrors,
  listProps,
  head,
  row,
  empty,
}: PagedRowsProps<Item>) {
  const { t } = useMessages()
  return (
    <>
      <ErrorNotice
        error={list.error}
        expected={expectedErrors}
        onRetry={list.refetch}
        className="m-4 sm:mx-5"
      />
      {!items && !list.error && <Loading />}
      {items?.length === 0 && !list.error && empty}
      {items && items.length > 0 && head}
      {items && items.length > 0 && (
        <ul
          {...listProps}
          aria-label={label}
          aria-busy={list.isPlaceholderData}
          className="divide-y divide-line"
        >
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
