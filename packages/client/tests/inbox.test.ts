// The inbox against a tRPC server, with a page and a clock that the tests control.

import { initTRPC } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createClient } from '../src/client.ts'
import { inboxOf } from '../src/inbox.ts'

const t = initTRPC.create()

/** Serves messages `1` to `count`; later ones are newer. */
function serve(count: number) {
  const server = { count, readUpTo: 0, requests: 0, isDown: false }
  const router = t.router({
    messages: t.router({
      list: t.procedure
        .input(z.object({ limit: z.number(), cursor: z.string().optional() }))
        .query(({ input: { limit, cursor } }) => {
          const from = cursor === undefined ? server.count : Number(cursor) - 1
          const last = Math.max(from - limit, 0)
          const items = Array.from({ length: from - last }, (_, n) => from - n).map((n) => ({
            id: String(n),
            unread: n > server.readUpTo,
          }))
          return { items, nextCursor: last > 0 ? String(last + 1) : null }
        }),
      unread: t.procedure.query(() => ({ count: server.count - server.readUpTo })),
      markRead: t.procedure
        .input(z.object({ messageId: z.string() }))
        .mutation(({ input: { messageId } }) => {
          server.readUpTo = Math.max(server.readUpTo, Number(messageId))
          return { success: true }
        }),
    }),
  })
  const client = createClient({
    baseUrl: 'http://server.test',
    fetch: async (input, init) => {
      server.requests++
      if (server.isDown) throw new TypeError('fetch failed')
      return fetchRequestHandler({ endpoint: '/api/trpc', req: new Request(input as string, init), router })
    },
  })
  return { server, inbox: inboxOf(client), client }
}

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => Number(id))
/** The numbers from `newest` down to `oldest`. */
const down = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, n) => newest - n)

describe('the inbox', () => {
  let page: EventTarget & { visibilityState: string }
  let workers: EventTarget

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
    workers = new EventTarget()
    vi.stubGlobal('document', page)
    vi.stubGlobal('navigator', { serviceWorker: workers })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  test('is the same for all callers of a client, and sends one request for all subscriptions', async () => {
    const { server, inbox, client } = serve(3)
    expect(inboxOf(client)).toBe(inbox)
    expect(server.requests).toBe(0)
    const stops = [inbox.subscribe(() => {}), inbox.subscribe(() => {})]
    expect(inbox.getSnapshot()).toMatchObject({ items: [], status: 'loading' })
    await inbox.refresh()
    expect(server.requests).toBe(1)
    expect(inbox.getSnapshot()).toMatchObject({ unread: 3, status: 'ready', error: null, hasMore: false })
    expect(ids(inbox.getSnapshot().items)).toEqual([3, 2, 1])
    for (const stop of stops) stop()
  })

  test('keeps older pages when it refreshes, unless messages between are missing', async () => {
    const { server, inbox } = serve(50)
    await inbox.refresh()
    await inbox.loadMore()
    expect(ids(inbox.getSnapshot().items)).toEqual(down(50, 11))
    server.count += 5
    await inbox.refresh()
    expect(ids(inbox.getSnapshot().items)).toEqual(down(55, 11))
    await Promise.all([inbox.loadMore(), inbox.loadMore()])
    expect(ids(inbox.getSnapshot().items)).toEqual(down(55, 1))
    expect(inbox.getSnapshot().hasMore).toBe(false)
    server.count += 30
    await inbox.refresh()
    expect(ids(inbox.getSnapshot().items)).toEqual(down(85, 66))
    await inbox.loadMore()
    expect(ids(inbox.getSnapshot().items)).toEqual(down(85, 46))
  })

  test('markRead marks the message and all earlier ones at once, and the newest by default', async () => {
    const { server, inbox } = serve(5)
    await inbox.refresh()
    const done = inbox.markRead('3')
    expect(inbox.getSnapshot().unread).toBe(2)
    expect(inbox.getSnapshot().items.map(({ unread }) => unread)).toEqual([true, true, false, false, false])
    await done
    expect(server.readUpTo).toBe(3)
    await inbox.markRead()
    expect([server.readUpTo, inbox.getSnapshot().unread]).toEqual([5, 0])
  })

  test('shows messages of loaded pages as read that another device has read', async () => {
    const { server, inbox } = serve(30)
    await inbox.refresh()
    await inbox.loadMore()
    server.readUpTo = 25
    await inbox.refresh()
    expect(inbox.getSnapshot().items.filter(({ unread }) => unread)).toHaveLength(5)
  })

  test('refreshes every 30 seconds while the page is visible, when it becomes visible, and after a push', async () => {
    const { server, inbox } = serve(1)
    const stop = inbox.subscribe(() => {})
    const requests = async () => {
      await inbox.refresh()
      // The calls to `refresh` here count, too.
      return server.requests
    }
    expect(await requests()).toBe(1)
    vi.advanceTimersByTime(30_000)
    expect(await requests()).toBe(2)
    page.visibilityState = 'hidden'
    page.dispatchEvent(new Event('visibilitychange'))
    vi.advanceTimersByTime(90_000)
    expect(server.requests).toBe(2)
    page.visibilityState = 'visible'
    page.dispatchEvent(new Event('visibilitychange'))
    await vi.waitFor(() => expect(server.requests).toBe(3))
    workers.dispatchEvent(new MessageEvent('message', { data: { type: 'pigeonhole-push' } }))
    await vi.waitFor(() => expect(server.requests).toBe(4))
    workers.dispatchEvent(new MessageEvent('message', { data: 'something else' }))
    stop()
    vi.advanceTimersByTime(90_000)
    page.dispatchEvent(new Event('visibilitychange'))
    await inbox.refresh()
    expect(server.requests).toBe(5)
  })

  test('a push during a refresh causes another one', async () => {
    const { server, inbox } = serve(1)
    const stop = inbox.subscribe(() => {})
    await vi.waitFor(() => expect(server.requests).toBe(1))
    server.count = 2
    await inbox.refresh()
    expect(inbox.getSnapshot().unread).toBe(2)
    stop()
  })

  test('keeps its messages when a call fails, and recovers', async () => {
    const { server, inbox } = serve(2)
    await inbox.refresh()
    server.isDown = true
    await inbox.refresh()
    expect(inbox.getSnapshot()).toMatchObject({
      status: 'error',
      unread: 2,
      error: { message: 'fetch failed' },
    })
    expect(ids(inbox.getSnapshot().items)).toEqual([2, 1])
    server.isDown = false
    await inbox.refresh()
    expect(inbox.getSnapshot()).toMatchObject({ status: 'ready', error: null })
  })
})
