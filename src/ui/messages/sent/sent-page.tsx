'use client'

import type { Outputs } from '@pigeonhole/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { SendHorizontal } from 'lucide-react'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PagedRows } from '../../components/paged-rows.tsx'
import { useClients } from '../../context/use-clients.ts'
import { SendPushGuide } from '../../guidance/guides.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { isFinished } from '../delivery-summary.ts'
import { SentRow } from './sent-row.tsx'

/** Refresh interval while a message is being sent. */
const PROGRESS_MS = 1000
/** Refresh interval at other times, for new messages. */
const REFRESH_MS = 10_000

/** Messages sent with the user's push tokens, newest first. */
export function SentPage({ initial }: { initial: Outputs['messages']['sent'] }) {
  const { client } = useClients()
  const { t } = useMessages()
  const list = useInfiniteQuery({
    queryKey: ['sent'],
    queryFn: ({ pageParam, signal }) =>
      client.messages.sent.query(pageParam ? { cursor: pageParam } : undefined, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    initialData: { pages: [initial], pageParams: [null] },
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.items.some((item) => !isFinished(item)))
        ? PROGRESS_MS
        : REFRESH_MS,
  })
  const items = list.data.pages.flatMap((page) => page.items)
  const hasTokens = new Set(items.map(({ tokenName }) => tokenName)).size > 1
  const hasRemoved = items.some(({ removed }) => removed > 0)
  return (
    <Card
      title={t('sent.title')}
      description={hasRemoved ? `${t('sent.text')} ${t('delivery.removedText')}` : t('sent.text')}
    >
      <PagedRows
        label={t('sent.title')}
        list={list}
        items={items}
        row={(message) => (
          <SentRow
            key={message.id}
            message={message}
            showsToken={hasTokens}
            onChanged={() => list.refetch()}
          />
        )}
        empty={
          <EmptyState icon={SendHorizontal} title={t('sent.emptyTitle')} guide={<SendPushGuide />}>
            {t('sent.emptyText')}
          </EmptyState>
        }
      />
    </Card>
  )
}
