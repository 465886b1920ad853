'use client'

import { type Client, useInbox } from '@pigeonhole/client/react'
import { type ComponentProps, useId, useState } from 'react'

/** Button with the number of unread messages. It opens the list of messages and marks them as read. */
export function Inbox({ client }: { client: Client }) {
  const { items, unread, status, error, hasMore, loadMore, markRead, refresh } = useInbox(client)
  const [newIds, setNewIds] = useState<readonly string[]>([])
  const panelId = useId()

  function markShown() {
    if (unread === 0) return
    setNewIds(items.filter((item) => item.unread).map(({ id }) => id))
    void markRead()
  }

  return (
    <div className="inline-block text-sm text-foreground">
      <button
        type="button"
        popoverTarget={panelId}
        className="inline-flex h-11 items-center gap-2 rounded-md border border-border bg-background px-4 font-medium hover:bg-accent hover:text-accent-foreground focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-ring"
      >
        Messages
        {unread > 0 && (
          <span className="min-w-6 rounded-full bg-primary px-1.5 py-0.5 text-center text-xs text-primary-foreground tabular-nums">
            {unread > 99 ? '99+' : unread}
            <span className="sr-only"> unread</span>
          </span>
        )}
      </button>
      {/* The browser closes it on Escape and on clicks outside. Older ones, without CSS anchors, center it. */}
      <div
        id={panelId}
        popover="auto"
        onToggle={({ newState }) => newState === 'open' && markShown()}
        className="m-auto max-h-96 w-80 max-w-[90vw] overflow-y-auto rounded-md border border-border bg-popover p-4 text-popover-foreground shadow-md supports-[position-area:block-end]:m-0 supports-[position-area:block-end]:my-2 supports-[position-area:block-end]:inset-auto [position-area:block-end_span-inline-end] [position-try-fallbacks:flip-inline,flip-block]"
      >
        {error && (
          <p role="alert" className="text-destructive">
            {error.message} <Action onClick={refresh}>Try again</Action>
          </p>
        )}
        {status === 'loading' && <p>Loading messages</p>}
        {status === 'ready' && items.length === 0 && <p>No messages yet</p>}
        <ul className="flex flex-col gap-4">
          {items.map(({ id, title, body, link, createdAt }) => (
            <li key={id}>
              <p dir="auto" className="font-medium break-words">
                {link === null ? (
                  title
                ) : (
                  <a href={link} className="underline underline-offset-4">
                    {title}
                  </a>
                )}
                {newIds.includes(id) && <span className="ms-2 text-xs text-primary">New</span>}
              </p>
              <p dir="auto" className="break-words">
                {body}
              </p>
              <time dateTime={createdAt} className="text-muted-foreground" suppressHydrationWarning>
                {new Date(createdAt).toLocaleString()}
              </time>
            </li>
          ))}
        </ul>
        {hasMore && <Action onClick={loadMore}>Show older messages</Action>}
      </div>
    </div>
  )
}

function Action(props: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className="min-h-11 rounded-md px-2 font-medium underline-offset-4 hover:underline focus-visible:outline-2 focus-visible:outline-ring"
      {...props}
    />
  )
}
