import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Breakable } from '../components/breakable.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Loading } from '../components/loading.tsx'
import { errorDetails } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { BackLink } from '../layout/back-link.tsx'
import { AdminHeading } from './admin-heading.tsx'

type AdminItemPageProps<Item> = {
  /** Address of the list. */
  list: string
  /** Link to the list, heading without the item, and what is shown for an item that does not exist. */
  texts: Record<'list' | 'one' | 'notFound', PlainMessageKey> & { notFoundText?: PlainMessageKey }
  /** The query that loads the item. */
  query: { data: Item | undefined; error: unknown }
  /** Link or button below what is shown for an item that does not exist. */
  nextStep?: ReactNode
  heading(item: Item): string
  /** Badges beside the heading. */
  badges(item: Item): ReactNode
  /** Buttons at the end of the heading's line. */
  actions?(item: Item): ReactNode
  /** The item's cards. */
  children(item: Item): ReactNode
}

/** Page for administrators about one item of a list, in all its states: loading, failed, loaded. */
export function AdminItemPage<Item>(props: AdminItemPageProps<Item>) {
  const { list, texts, query, nextStep, heading, badges, actions, children } = props
  const { t } = useMessages()
  const { data: item, error } = query
  const isMissing = Boolean(error) && errorDetails(error).code === 'NOT_FOUND'
  return (
    <div className="space-y-4 sm:space-y-6">
      <div>
        <BackLink href={list}>{t(texts.list)}</BackLink>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-2">
          {/* A long heading wraps beside the buttons. */}
          <div className="flex min-w-0 flex-1 basis-72 flex-wrap items-center gap-x-3 gap-y-2">
            <AdminHeading>
              {item ? (
                <bdi className="wrap-anywhere">
                  <Breakable>{heading(item)}</Breakable>
                </bdi>
              ) : (
                t(texts.one)
              )}
            </AdminHeading>
            {item && badges(item)}
          </div>
          {item && actions?.(item)}
        </div>
      </div>
      {isMissing ? (
        <div role="alert">
          <Card>
            <EmptyState icon={SearchX} title={t(texts.notFound)}>
              {texts.notFoundText && t(texts.notFoundText)}
              {nextStep && <div className="mt-4">{nextStep}</div>}
            </EmptyState>
          </Card>
        </div>
      ) : (
        <ErrorNotice error={error} />
      )}
      {!item && !error && <Loading />}
      {item && children(item)}
    </div>
  )
}
