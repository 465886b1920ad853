'use client'

import type { Outputs } from '@pigeonhole/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { BellOff, RadioTower } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Empty } from '../parts/empty.tsx'
import { LocalTime } from '../parts/local-time.tsx'
import { Notice } from '../parts/notice.tsx'
import { useEngine, wordsFor } from '../shell/context.tsx'
import { SendCard } from './send-card.tsx'

type Messages = Outputs['messages']['list']
type Message = Messages['items'][number]

/** A page left open shows what arrives. */
const REFRESH_MS = 10_000

export function MessagesPage({ messages }: { messages: Messages }) {
  return (
    <div className="mx-auto max-w-3xl space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">Messages</h1>
      <Inbox initial={messages} />
      <SendCard />
    </div>
  )
}

/** What was sent to this person, newest first. */
function Inbox({ initial }: { initial: Messages }) {
  const { client } = useEngine()
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
    <Card title="Sent to you" hint="Pushes to your devices, whether or not one was there to get them.">
      {list.error && (
        <Notice
          tone="error"
          className="m-4"
          action={<Button onClick={() => list.refetch()}>Try again</Button>}
        >
          {wordsFor(list.error)}
        </Notice>
      )}
      {items.length === 0 && !list.error ? (
        <Empty icon={BellOff} title="Nothing was sent to you yet">
          When a script or an administrator sends you a push, it is kept here as well.
        </Empty>
      ) : (
        <ul aria-label="Messages" className="divide-y divide-line">
          {items.map((message) => (
            <MessageRow key={message.id} message={message} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <div className="flex justify-center border-t border-line p-3">
          <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading …' : 'Show more'}
          </Button>
        </div>
      )}
    </Card>
  )
}

function MessageRow({
  message: { title, body, category, data, broadcast, createdAt },
}: {
  message: Message
}) {
  const extras = Object.entries(data)
  return (
    <li className="row-lazy px-4 py-4 sm:px-5">
      <div className="flex items-baseline justify-between gap-4">
        <p dir="auto" className="min-w-0 flex-1 font-medium">
          {title}
        </p>
        <p className="shrink-0 text-sm text-ink-soft tabular-nums">
          <LocalTime at={createdAt} />
        </p>
      </div>
      <p dir="auto" className="mt-0.5 text-sm whitespace-pre-line">
        {body}
      </p>
      <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
        {broadcast && (
          <span className="flex items-center gap-1.5">
            <RadioTower aria-hidden="true" className="size-4" />
            To everybody
          </span>
        )}
        <bdi>{category}</bdi>
        {extras.length > 0 && (
          <code className="min-w-0 truncate text-xs">
            {extras
              .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
              .join(', ')}
          </code>
        )}
      </p>
    </li>
  )
}
