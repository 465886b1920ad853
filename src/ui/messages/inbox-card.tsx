'use client'

import type { Outputs } from '@pigeonhole/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Notice } from '../components/notice.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { SendPushGuide } from '../guidance/guides.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { MessageRow } from './message-row.tsx'

/** New messages appear on an open page within this time. */
const REFRESH_MS = 10_000

/** The messages sent to the user, newest first. */
export function InboxCard({ initial }: { initial: Outputs['messages']['list'] }) {
  const { client } = useClients()
  const { t } = useWords()
  const list = useInfiniteQuery({
    queryKey: ['messages'],
    queryFn: ({ pageParam, signal }) =>
      client.messages.list.query(pageParam ? { cursor: pageParam } : undefined, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    initialData: { pages: [initial], pageParams: [null] },
    refetchInterval: REFRESH_MS,
  })
  const items = list.data.pages.flatMap((page) => page.items)
  return (
    <Card title={t('messages.inboxTitle')} description={t('messages.inboxText')}>
      {list.error && (
        <Notice
          tone="error"
          className="m-4"
          action={<Button onClick={() => list.refetch()}>{t('common.tryAgain')}</Button>}
        >
          {errorText(t, list.error)}
        </Notice>
      )}
      {items.length === 0 && !list.error ? (
        <EmptyState icon={BellOff} title={t('messages.emptyTitle')} guide={<SendPushGuide />}>
          {t('messages.emptyText')}
        </EmptyState>
      ) : (
        <ul aria-label={t('messages.list')} className="divide-y divide-line">
          {items.map((message) => (
            <MessageRow key={message.id} message={message} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <div className="flex justify-center border-t border-line p-3">
          <Button variant="ghost" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {list.isFetchingNextPage ? t('common.loading') : t('common.showMore')}
          </Button>
        </div>
      )}
    </Card>
  )
}
