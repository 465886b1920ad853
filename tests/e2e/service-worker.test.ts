// The page's own service worker in Chromium. No push service is reached: messages are delivered by the DevTools protocol,
// which has no command for a click on a notification nor for a subscription that ends, so these events are dispatched in
// the worker itself, and the browser's `subscribe` is stood in for.

import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumFor } from '../support/browser/chromium.ts'
import { until } from '../support/until.ts'

const SCRIPT = readFileSync(join(import.meta.dirname, '../../public/service-worker.js'))
const browser = await chromiumFor('the service worker', { full: true })

type Shown = { title: string; body: string; tag: string; data: { link?: string } }
/** The names of a service worker's global scope, for functions that run there. */
type Scope = {
  registration: {
    getNotifications(): Promise<Shown[]>
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
  /** Calls of the API that the worker made. */
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
      const isScript = request.url === '/service-worker.js'
      response.writeHead(200, {
        'content-type': isScript ? 'text/javascript' : 'text/html',
        'content-security-policy': "default-src 'self'",
      })
      response.end(isScript ? SCRIPT : `<!doctype html><title>${request.url}</title>`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
    context = await browser!.newContext()
    await context.grantPermissions(['notifications'], { origin })
    page = await context.newPage()
    await page.goto(`${origin}/start`)
    cdp = await context.newCDPSession(page)
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

  const deliver = (data: string) =>
    cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })

  const shown = () =>
    worker.evaluate(async () => {
      const { registration } = self as unknown as Scope
      const list = await registration.getNotifications()
      return list.map(({ title, body, tag, data }) => ({ title, body, tag, data }))
    })

  /** Waits until the page is at `path`, which it is not before: messages are lost while a page is being left. */
  async function click(tag: string, path: string): Promise<void> {
    await worker.evaluate(async (wanted) => {
      const scope = self as unknown as Scope
      const notification = (await scope.registration.getNotifications()).find((one) => one.tag === wanted)
      scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }))
    }, tag)
    await page.waitForURL(origin + path)
    await until('the notification is closed', async () => (await shown()).every((one) => one.tag !== tag))
  }

  const payload = (tag: string, more: object = {}) =>
    JSON.stringify({ title: 'Hello', body: 'World', tag, category: 'general', id: '1', ...more })

  test('shows a pushed message; a later one with the same tag takes its place', async () => {
    await deliver(payload('a', { link: '/messages', data: { order: 42 } }))
    await until('it is shown', async () => (await shown()).length === 1)
    expect(await shown()).toMatchObject([
      { title: 'Hello', body: 'World', tag: 'a', data: { link: '/messages', data: { order: 42 } } },
    ])
    await deliver(payload('a', { title: 'Later' }))
    await until('the later one is shown', async () => (await shown())[0]?.title === 'Later')
    expect(await shown()).toHaveLength(1)
    await click('a', '/messages')
  })

  test('shows what is not ours, since browsers demand a notification for each push', async () => {
    await page.goto(`${origin}/start`)
    await deliver('just text')
    await until('it is shown', async () => (await shown()).some(({ body }) => body === 'just text'))
    await click('', '/messages')
  })

  test('a click opens the link in the window that is open', async () => {
    await deliver(payload('b', { link: '/files?id=7' }))
    await until('it is shown', async () => (await shown()).some(({ tag }) => tag === 'b'))
    await click('b', '/files?id=7')
    expect(context.pages()).toHaveLength(1)
  })

  test.each(['javascript:alert(1)', 'data:text/html,hello', 'file:///etc/passwd'])(
    'a click on the link %s opens the messages instead',
    async (link) => {
      await page.goto(`${origin}/start`)
      // A tag of its own: closing the notification before takes a moment, and would close one of the same tag.
      const own = link.slice(0, 4)
      await deliver(payload(own, { link }))
      await until('it is shown', async () => (await shown()).some(({ tag }) => tag === own))
      await click(own, '/messages')
    },
  )

  test('a subscription that the browser ended is replaced: the new one registered, the old one unregistered', async () => {
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
    await until('both calls are made', async () => calls.length === 3)
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
