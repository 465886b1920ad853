'use client'

import type { Outputs } from '@pigeonhole/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Notice } from '../components/notice.tsx'
import { errorMessage } from '../context/error-message.ts'
import { useClients } from '../context/use-clients.ts'
import { MessageRow } from './message-row.tsx'

/** New messages appear on an open page within this time. */
const REFRESH_MS = 10_000

/** The messages sent to the user, newest first. */
export function InboxCard({ initial }: { initial: Outputs['messages']['list'] }) {
  const { client } = useClients()
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
    <Card title="Sent to you" description="Every push sent to you, whether or not a device received it.">
      {list.error && (
        <Notice
          tone="error"
          className="m-4"
          action={<Button onClick={() => list.refetch()}>Try again</Button>}
        >
          {errorMessage(list.error)}
        </Notice>
      )}
      {items.length === 0 && !list.error ? (
        <EmptyState icon={BellOff} title="No messages yet">
          Pushes that are sent to you appear here as well as on your devices.
        </EmptyState>
      ) : (
        <ul aria-label="Messages" className="divide-y divide-line">
          {items.map((message) => (
            <MessageRow key={message.id} message={message} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <div className="flex justify-center border-t border-line p-3">
          <Button variant="ghost" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      )}
    </Card>
  )
}
