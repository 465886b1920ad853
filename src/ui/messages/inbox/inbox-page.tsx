'use client'

import type { Outputs } from '@pigeonhole/client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Inbox, MailCheck, Tag } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { buttonClass } from '../../components/button-class.ts'
import { Card } from '../../components/card.tsx'
import { DayHeading, useDayOf } from '../../components/day-heading.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PagedRows } from '../../components/paged-rows.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import { Guide } from '../../guidance/guide.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { type Preferences, usePreferences } from '../../settings/use-preferences.ts'
import { InboxFilters, type InboxView } from './inbox-filters.tsx'
import { InboxRow } from './inbox-row.tsx'
import { showCategory, useCategory } from './use-category.ts'
import { useUnread } from './use-unread.ts'

/** 7 KB that a page without the invitation does not need. */
const PushInvitation = lazy(async () => ({
  default: (await import('./push-invitation.tsx')).PushInvitation,
}))

/** Interval at which an open page looks for new messages. */
const REFRESH_MS = 10_000

type InboxPageProps = {
  /** First page of the messages of `initialCategory`, or of all categories. */
  initial: Outputs['messages']['list']
  initialCategory: string | null
  /** Categories of the user's messages. */
  categories: string[]
  preferences: Preferences
  /** True if this service sends notifications to browsers. */
  hasWebPush: boolean
}

/** Messages to the user, newest first. Showing all of them marks them as read. */
export function InboxPage({ initial, initialCategory, categories, preferences, hasWebPush }: InboxPageProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const dayOf = useDayOf()
  const { isAdmin } = useSession().user
  const filters = useRef<HTMLDivElement>(null)
  const category = useCategory()
  const [view, setView] = useState<InboxView>('all')
  const list = useInfiniteQuery({
    queryKey: ['messages', category],
    queryFn: ({ pageParam, signal }) =>
      client.messages.list.query(
        { ...(pageParam && { cursor: pageParam }), ...(category !== null && { category }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    ...(category === initialCategory && { initialData: { pages: [initial], pageParams: [null] } }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const loaded = list.data?.pages.flatMap((page) => page.items)
  // That another category is empty says nothing about this one.
  const items = list.isPlaceholderData && loaded?.length === 0 ? undefined : loaded
  const unread = useUnread(items ?? [], category === null)
  const newItems = items?.filter(({ id }) => unread.has(id))
  const { data, save, setMuted } = usePreferences(preferences)
  const muted = data.mutedCategories
  const names = new Set([...categories, ...(items ?? []).map((item) => item.category)])
  if (category !== null) names.add(category)
  const hasCategories = names.size > 1 || category !== null
  const isEmpty = items?.length === 0 && category === null
  const shown = view === 'new' ? newItems : items

  /** Shows read messages, too. The button that calls this vanishes. */
  function clearFilters(): void {
    setView('all')
    filters.current?.querySelector('button')?.focus()
  }
  /** Keeps showing only new messages, if it does. The button that calls this can vanish. */
  function showAllCategories(): void {
    showCategory(null)
    filters.current?.querySelector<HTMLElement>('[aria-pressed=true]')?.focus()
  }
  const dayHeading = (message: { createdAt: string }, newer: { createdAt: string } | undefined) => {
    const day = dayOf(message.createdAt)
    return (newer === undefined || dayOf(newer.createdAt) !== day) && <DayHeading day={day} dayOf={dayOf} />
  }
  /** Widens the list by one filter at a time. */
  const showMore = (
    <Button className="mt-4" onClick={category === null ? clearFilters : showAllCategories}>
      {t(category === null ? 'messages.showAll' : 'messages.showAllCategories')}
    </Button>
  )
  return (
    <>
      {hasWebPush && !isEmpty && (
        <Suspense>
          <PushInvitation />
        </Suspense>
      )}
      <Card title={t('messages.inbox')} titleHidden headerClass="sr-only">
        <ErrorNotice error={save.error} className="m-4" />
        {!isEmpty && (
          <div ref={filters} className="border-b border-line px-4 py-2.5 sm:px-5">
            <InboxFilters
              view={view}
              newCount={newItems?.length ?? 0}
              onView={setView}
              category={category}
              categories={hasCategories ? [...names].sort() : []}
              onCategory={showCategory}
            />
          </div>
        )}
        <PagedRows
          label={t('messages.list')}
          // Older messages are not new.
          list={view === 'new' ? { ...list, hasNextPage: false } : list}
          items={shown}
          row={(message, i) => (
            <InboxRow
              key={message.id}
              message={message}
              unread={unread.has(message.id)}
              muted={muted.includes(message.category)}
              heading={dayHeading(message, shown?.[i - 1])}
              onMute={(mute) => setMuted(message.category, mute)}
              onCategory={
                hasCategories && category === null
                  ? () => {
                      showCategory(message.category)
                      // The button becomes a text.
                      filters.current?.querySelector('select')?.focus()
                    }
                  : undefined
              }
            />
          )}
          empty={
            isEmpty ? (
              <EmptyState
                icon={Inbox}
                title={t('messages.emptyTitle')}
                guide={isAdmin && <Guide topic="sendPush" />}
              >
                <p className="text-balance">{t('messages.emptyText')}</p>
                {hasWebPush ? (
                  <Suspense>
                    <PushInvitation inEmptyInbox />
                  </Suspense>
                ) : (
                  // Users without a push token can send tests.
                  <AppLink href="/messages/new" className={buttonClass('secondary', 'relative mt-4')}>
                    {t('messages.sendYourself')}
                  </AppLink>
                )}
              </EmptyState>
            ) : view === 'new' ? (
              <EmptyState
                icon={MailCheck}
                title={
                  category === null
                    ? t('messages.nothingNewTitle')
                    : t('messages.nothingNewInCategory', { category })
                }
              >
                <p>{t('messages.nothingNewText')}</p>
                {showMore}
              </EmptyState>
            ) : (
              <EmptyState icon={Tag} title={t('messages.nothingInCategory', { category: category ?? '' })}>
                {showMore}
              </EmptyState>
            )
          }
        />
      </Card>
    </>
  )
}
