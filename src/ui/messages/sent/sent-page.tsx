'use client'

import type { Outputs } from '@pigeonhole/client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { SearchX, SendHorizontal } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { buttonClass } from '../../components/button-class.ts'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PagedRows } from '../../components/paged-rows.tsx'
import { useAfterPause } from '../../components/use-after-pause.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useClients } from '../../context/use-clients.ts'
import { Guide } from '../../guidance/guide.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { isFinished } from '../delivery-summary.ts'
import { SentFilters, type SentStatus } from './sent-filters.tsx'
import { type SentMessage, SentRow } from './sent-row.tsx'

/** Refresh interval while a message is being sent. */
const PROGRESS_MS = 1000
/** Refresh interval at other times, for new messages. */
const REFRESH_MS = 10_000

/** Messages sent with the user's push tokens, newest first. */
export function SentPage({ initial }: { initial: Outputs['messages']['sent'] }) {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const filters = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const query = useAfterPause(text).trim()
  const [status, setStatus] = useState<SentStatus>()
  const isFiltered = query !== '' || status !== undefined
  const list = useInfiniteQuery({
    queryKey: ['sent', status, query],
    queryFn: ({ pageParam, signal }) =>
      client.messages.sent.query(
        { ...(pageParam && { cursor: pageParam }), ...(status && { status }), ...(query && { query }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    ...(!isFiltered && { initialData: { pages: [initial], pageParams: [null] } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.items.some((item) => !isFinished(item)))
        ? PROGRESS_MS
        : // A search can read all messages of the last 35 days.
          !isFiltered && REFRESH_MS,
  })
  /** The message whose cancellation is being confirmed. Its dialog stays when the message leaves a filtered list. */
  const [kept, setKept] = useState<{ message: SentMessage; index: number }>()
  const listed = list.data?.pages.flatMap((page) => page.items)
  const items =
    listed && kept && !listed.some(({ id }) => id === kept.message.id)
      ? listed.toSpliced(kept.index, 0, kept.message)
      : listed
  const hasTokens = new Set(items?.map(({ tokenName }) => tokenName)).size > 1
  const isEmpty = !isFiltered && items?.length === 0
  const foundNone = isFiltered && items?.length === 0 && !list.isPlaceholderData
  useEffect(() => {
    if (foundNone) announce(t('sent.noneTitle'))
  }, [foundNone, announce, t])

  /** Shows everything again. The button that calls this disappears. */
  function clearFilters(): void {
    setText('')
    setStatus(undefined)
    filters.current?.querySelector('input')?.focus()
  }
  return (
    <Card title={t('sent.title')} titleHidden headerClass="sr-only">
      {!isEmpty && (
        <div ref={filters}>
          <SentFilters text={text} onText={setText} status={status} onStatus={setStatus} />
        </div>
      )}
      <PagedRows
        label={t('sent.title')}
        list={list}
        items={items}
        row={(message, index) => (
          <SentRow
            key={message.id}
            message={message}
            showsToken={hasTokens}
            onChanged={() => list.refetch()}
            onOpenChange={(open) => setKept(open ? { message, index } : undefined)}
          />
        )}
        empty={
          isEmpty ? (
            <EmptyState icon={SendHorizontal} title={t('sent.emptyTitle')} guide={<Guide topic="sendPush" />}>
              <p>{t('sent.emptyText')}</p>
              {/* Replaces the one in the heading. */}
              <AppLink
                href="/messages/new"
                data-new-message
                className={buttonClass('primary', 'relative mt-4')}
              >
                {t('compose.title')}
              </AppLink>
            </EmptyState>
          ) : (
            <EmptyState icon={SearchX} title={t('sent.noneTitle')}>
              {t('sent.noneText')}
              <Button className="mt-4" onClick={clearFilters}>
                {t('messages.showAll')}
              </Button>
            </EmptyState>
          )
        }
      />
      {!isEmpty && (
        <p className="border-t border-line px-4 py-3 text-sm text-ink-soft sm:px-5">{t('sent.text')}</p>
      )}
    </Card>
  )
}
