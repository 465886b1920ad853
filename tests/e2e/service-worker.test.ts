// The page's own service worker in Chromium, without a push service: the DevTools protocol delivers messages. It has no
// command for clicks on notifications or for ended subscriptions, so the worker dispatches these events itself, and the
// browser's `subscribe` is replaced.

import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumFor, newContext } from '../support/browser/chromium.ts'
import { until } from '../support/until.ts'

const SCRIPT = readFileSync(join(import.meta.dirname, '../../public/service-worker.js'))
const ICON = readFileSync(join(import.meta.dirname, '../../public/icon-512.png'))
const SEND_AGAIN_MS = 5000
const browser = await chromiumFor('the service worker', { full: true })

type Shown = { title: string; body: string; tag: string; data: { link?: string } }
type Notification = Shown & { close(): void }
/** Members of a service worker's global scope, for functions that run there. */
type Scope = {
  registration: {
    getNotifications(): Promise<Notification[]>
    pushManager: { subscribe(options: object): Promise<object> }
  }
  ExtendableEvent: new (type: string) => Event
  dispatchEvent(event: Event): boolean
  NotificationEvent: new (type: string, init: object) => Event
}

describe.skipIf(!browser)('the service worker', () => {
  let server: Server
  let origin: string
  let context: BrowserContext
  let page: Page
  let cdp: CDPSession
  let worker: Worker
  let registrationId: string
  /** API calls of the worker. */
  const calls: { path: string; input: unknown }[] = []

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      if (request.url?.startsWith('/api/trpc/')) {
        const body = await text(request)
        calls.push({ path: request.url, input: body === '' ? null : JSON.parse(body) })
        const data = request.url.endsWith('webPushKey') ? { publicKey: 'the-key' } : {}
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ result: { data } }))
        return
      }
      // Chromium shows a notification once its icon has been loaded.
      if (request.url === '/icon-512.png') {
        response.writeHead(200, { 'content-type': 'image/png' }).end(ICON)
        return
      }
      const isScript = request.url === '/service-worker.js'
      response.writeHead(200, {
        'content-type': isScript ? 'text/javascript' : 'text/html',
        'content-security-policy': "default-src 'self'",
      })
      response.end(isScript ? SCRIPT : `<!doctype html><title>${request.url}</title>`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
    context = await newContext({}, { full: true })
    await context.grantPermissions(['notifications'], { origin })
    page = await context.newPage()
    await page.goto(`${origin}/start`)
    // Use a page that never navigates: messages are lost while the page that delivers them navigates.
    cdp = await context.newCDPSession(await context.newPage())
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const registration of registrations) registrationId = registration.registrationId
    })
    await cdp.send('ServiceWorker.enable')
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/service-worker.js')
      await navigator.serviceWorker.ready
    })
    worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
    await until('the worker controls the page', () =>
      page.evaluate(() => navigator.serviceWorker.controller !== null),
    )
  })
  afterAll(async () => {
    await context?.close()
    server.close()
    server.closeAllConnections()
  })

  /**
   * Pushes `data`, and waits until the notifications shown satisfy `condition`. DevTools delivers a message at most
   * once and reports no loss, so a message that shows nothing is sent again, as a push service would.
   */
  async function deliver(data: string, condition: (notifications: Shown[]) => boolean): Promise<void> {
    let sentAt = Number.NEGATIVE_INFINITY
    await until(`a push is shown: ${data}`, async () => {
      if (performance.now() - sentAt > SEND_AGAIN_MS) {
        sentAt = performance.now()
        await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
      }
      return condition(await shown())
    })
  }

  const shown = () =>
    worker.evaluate(async () => {
      const { registration } = self as unknown as Scope
      const list = await registration.getNotifications()
      return list.map(({ title, body, tag, data }) => ({ title, body, tag, data }))
    })

  /** Clicks the notification and waits until the page has navigated to `path`. */
  async function click(tag: string, path: string): Promise<void> {
    await worker.evaluate(async (wanted) => {
      const scope = self as unknown as Scope
      const all = await scope.registration.getNotifications()
      const [notification, ...again] = all.filter((one) => one.tag === wanted)
      for (const one of again) one.close()
      scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }))
    }, tag)
    await page.waitForURL(origin + path)
    await until('the notification is closed', async () => (await shown()).every((one) => one.tag !== tag))
  }

  const has = (wanted: string) => (notifications: Shown[]) => notifications.some(({ tag }) => tag === wanted)
  const payload = (tag: string, more: object = {}) =>
    JSON.stringify({ title: 'Hello', body: 'World', tag, category: 'general', id: '1', ...more })

  test('tells open pages that a push has arrived', async () => {
    await page.evaluate(() => {
      const scope = globalThis as unknown as { received: unknown[] }
      scope.received = []
      navigator.serviceWorker.addEventListener('message', ({ data }) => scope.received.push(data))
    })
    await deliver(payload('posted', { id: 'message-1' }), has('posted'))
    const received = () => page.evaluate(() => (globalThis as unknown as { received: unknown[] }).received)
    await until('the page gets the message', async () => (await received()).length > 0)
    expect((await received())[0]).toEqual({ type: 'pigeonhole-push', id: 'message-1' })
  })

  test('shows a pushed message, with its link and data', async () => {
    await deliver(payload('a', { link: '/messages', data: { order: 42 } }), has('a'))
    expect((await shown()).filter(({ tag }) => tag === 'a')).toEqual([
      {
        title: 'Hello',
        body: 'World',
        tag: 'a',
        data: expect.objectContaining({ link: '/messages', data: { order: 42 } }),
      },
    ])
  })

  test('replaces a message with a later one of the same tag', async () => {
    const titled = (wanted: string) => (notifications: Shown[]) =>
      notifications.flatMap(({ tag, title }) => (tag === 'c' ? [title] : [])).join() === wanted
    await deliver(payload('c'), titled('Hello'))
    await deliver(payload('c', { title: 'Later' }), titled('Later'))
  })

  test('shows pushes in unknown formats, because browsers require a notification for each push', async () => {
    await page.goto(`${origin}/start`)
    await deliver('just text', (notifications) => notifications.some(({ body }) => body === 'just text'))
    await click('', '/messages')
  })

  test('a click opens the link in the open window', async () => {
    await page.goto(`${origin}/start`)
    await deliver(payload('b', { link: '/files?id=7' }), has('b'))
    await click('b', '/files?id=7')
    // The second one delivers the messages.
    expect(context.pages()).toHaveLength(2)
  })

  test.each(['javascript:alert(1)', 'data:text/html,hello', 'file:///etc/passwd'])(
    'a click on the link %s opens the messages instead',
    async (link) => {
      await page.goto(`${origin}/start`)
      // Each case has its own tag: closing the previous notification takes a moment, and would close this one too.
      const own = link.slice(0, 4)
      await deliver(payload(own, { link }), has(own))
      await click(own, '/messages')
    },
  )

  test('a subscription that the browser ended is replaced: the new one is registered, the old one unregistered', async () => {
    await worker.evaluate(() => {
      const scope = self as unknown as Scope
      scope.registration.pushManager.subscribe = async () => {
        const subscription = { endpoint: 'https://push.example/new', keys: { p256dh: 'p', auth: 'a' } }
        return { ...subscription, toJSON: () => subscription }
      }
      const event = Object.assign(new scope.ExtendableEvent('pushsubscriptionchange'), {
        oldSubscription: { endpoint: 'https://push.example/old' },
      })
      scope.dispatchEvent(event)
    })
    await until('all calls are made', async () => calls.length === 3)
    expect(calls).toEqual([
      { path: '/api/trpc/devices.webPushKey', input: null },
      {
        path: '/api/trpc/devices.register',
        input: {
          platform: 'web',
          subscription: { endpoint: 'https://push.example/new', keys: { p256dh: 'p', auth: 'a' } },
        },
      },
      { path: '/api/trpc/devices.unregister', input: { token: 'https://push.example/old' } },
    ])
  })
})
