import type { Client, Outputs } from './client.ts'
import { createLoadedState, type LoadedSnapshot } from './loaded-state.ts'
import type { Observable } from './upload/types.ts'

export type InboxMessage = Outputs['messages']['list']['items'][number]

/** State at one moment. Immutable: a change creates a new object. */
export type InboxSnapshot = LoadedSnapshot &
  Readonly<{
    /** Loaded messages, newest first. */
    items: readonly InboxMessage[]
    /** Number of unread messages, at most 100. */
    unread: number
    /** True if `loadMore` can load older messages. */
    hasMore: boolean
  }>

/** The signed-in user's messages. The functions never reject: the snapshot has their result. */
export type Inbox = Observable<InboxSnapshot> & {
  /** Loads the next page of older messages. */
  readonly loadMore: () => Promise<void>
  /** Marks a message and all earlier ones as read. Default: the newest. */
  readonly markRead: (messageId?: string) => Promise<void>
  readonly refresh: () => Promise<void>
}

/** `type` of the message that a service worker posts to its pages after a push. */
export const PUSH_ARRIVED = 'pigeonhole-push'
const REFRESH_MS = 30_000
const PAGE_SIZE = 20

const inboxes = new WeakMap<Client, Inbox>()

/** Returns the inbox of a client, the same one for all callers. It sends nothing until the first subscription. */
export function inboxOf(client: Client): Inbox {
  const inbox = inboxes.get(client) ?? createInbox(client)
  inboxes.set(client, inbox)
  return inbox
}

function createInbox(client: Client): Inbox {
  const initial: InboxSnapshot = { items: [], unread: 0, status: 'loading', error: null, hasMore: false }
  const { current, publish, run, observable } = createLoadedState(initial)
  let cursor: string | null = null

  const refresh = () =>
    run('refresh', async () => {
      const [page, { count }] = await Promise.all([
        client.messages.list.query({ limit: PAGE_SIZE }),
        client.messages.unread.query(),
      ])
      const older = olderThan(page.items, current().items)
      if (older.length === 0) cursor = page.nextCursor
      return { items: [...page.items, ...older], unread: count, hasMore: cursor !== null }
    })

  const loadMore = () =>
    run('loadMore', async () => {
      if (cursor === null) return {}
      const page = await client.messages.list.query({ limit: PAGE_SIZE, cursor })
      cursor = page.nextCursor
      return { items: [...current().items, ...page.items], hasMore: cursor !== null }
    })

  async function markRead(messageId = current().items[0]?.id): Promise<void> {
    if (messageId === undefined) return
    const newer = current().items.findIndex(({ id }) => id === messageId)
    if (newer >= 0) {
      const items = current().items.map((item, n) => (n < newer ? item : { ...item, unread: false }))
      publish({ items, unread: items.filter(({ unread }) => unread).length })
    }
    await run(`markRead ${messageId}`, async () => {
      await client.messages.markRead.mutate({ messageId })
      return {}
    })
    if (newer < 0) await refresh()
  }

  const start = () => {
    void refresh()
    return onOccasion(() => void refresh())
  }
  return {
    ...observable(start),
    loadMore,
    markRead,
    refresh,
  }
}

/** Returns the loaded messages that are older than the newest page; none if messages between them are missing. */
function olderThan(newest: InboxMessage[], loaded: readonly InboxMessage[]): InboxMessage[] {
  const end = loaded.findIndex(({ id }) => id === newest.at(-1)?.id)
  if (end < 0) return []
  const older = loaded.slice(end + 1)
  // Reading a message marks all earlier ones as read.
  return newest.some(({ unread }) => !unread) ? older.map((item) => ({ ...item, unread: false })) : older
}

/**
 * Calls `act` when the page becomes visible, when a push arrives in this browser, and every 30 seconds while the page is
 * visible. Without a page (React Native), only the interval counts. Returns a function that stops it.
 */
function onOccasion(act: () => void): () => void {
  const page = globalThis.document as Document | undefined
  const workers = globalThis.navigator?.serviceWorker as ServiceWorkerContainer | undefined
  const actIfVisible = () => {
    if (page?.visibilityState !== 'hidden') act()
  }
  const onMessage = ({ data }: MessageEvent) => {
    if (data?.type === PUSH_ARRIVED) act()
  }
  page?.addEventListener('visibilitychange', actIfVisible)
  workers?.addEventListener('message', onMessage)
  const timer = setInterval(actIfVisible, REFRESH_MS)
  return () => {
    page?.removeEventListener('visibilitychange', actIfVisible)
    workers?.removeEventListener('message', onMessage)
    clearInterval(timer)
  }
}
