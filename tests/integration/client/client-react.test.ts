// @pigeonhole/client/react in Chromium, and @pigeonhole/client/react-native, where Chromium has the web APIs of React Native (XMLHttpRequest, Blob, fetch
// of a URI, FileReader), with an AsyncStorage over sessionStorage and `blob:` URIs for files.

import { createECDH, randomBytes } from 'node:crypto'
import type { Uploader, UploadHandle } from '@pigeonhole/client/react-native'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVapidKeys } from '../../../src/server/kernel/vapid-keys.ts'
import { type ClientApp, MIB, partsPut, startClientApp, type TestUser } from '../../support/app/client-app.ts'
import { putCors } from '../../support/app/put-cors.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { bundle, servePage } from '../../support/browser/bundle.ts'
import { chromiumFor, newContext } from '../../support/browser/chromium.ts'
import { subscribeAs } from '../../support/browser/subscribe-as.ts'
import { until } from '../../support/until.ts'

declare global {
  interface Window {
    renders: Record<string, number>
    states: string[]
    /** Scope of the service worker that subscribed. */
    scope: string | undefined
    mobile: { uploader: Uploader; handle: UploadHandle; pick(): Promise<void>; keys(): string[] }
  }
}

const REACT_PAGE = `
import { createElement as h, memo, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '@pigeonhole/client'
import { blobSource, createBrowserUploader } from '@pigeonhole/client/browser'
import { useUnfinishedUploads, useUpload, useUploads } from '@pigeonhole/client/react'

const client = createClient({ token: () => localStorage.token })
const uploader = createBrowserUploader(client, { retry: { attempts: 1, baseMs: 1, maxMs: 1 } })
window.renders = {}
const Row = memo(({ upload }) => {
  const { name, state, error, cancel } = useUpload(upload)
  window.renders[name] = (window.renders[name] ?? 0) + 1
  return h('li', null, name + ' ' + state, error && h('b', null, error.code), h('button', { onClick: cancel }, 'Cancel ' + name), h('button', { onClick: () => uploader.remove(upload) }, 'Remove ' + name))
})
function App() {
  const { uploads, counts, retryable, retryAll } = useUploads(uploader)
  const { items } = useUnfinishedUploads(uploader)
  return h('main', null,
    h('input', { type: 'file', multiple: true, onChange: (e) => [...e.target.files].forEach((f) => uploader.upload(blobSource(f))) }),
    h('p', null, counts.done + ' done, ' + retryable.length + ' to retry'),
    h('p', null, items.length + ' unfinished'),
    h('button', { onClick: retryAll }, 'Retry all'),
    h('ul', null, uploads.map((upload) => h(Row, { key: upload.id, upload }))))
}
createRoot(document.querySelector('div')).render(h(App))
`

const PUSH_PAGE = `
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '@pigeonhole/client'
import { createPushDevice } from '@pigeonhole/client/push'
import { usePushDevice } from '@pigeonhole/client/react'

const client = createClient({ token: () => localStorage.token })
const serviceWorker = new URLSearchParams(location.search).get('worker') ?? '/worker.js'
const device = createPushDevice({ client, serviceWorker })
window.states = []
function App() {
  const { state, isOn, error, enable, disable, refresh } = usePushDevice(device)
  if (window.states.at(-1) !== state) window.states.push(state)
  return h('main', null,
    h('p', null, [state, isOn, error?.reason ?? error?.name].join(' ').trim()),
    h('button', { onClick: () => enable({ name: 'Test', locale: 'de' }) }, 'On'),
    h('button', { onClick: disable }, 'Off'),
    h('button', { onClick: refresh }, 'Look'))
}
createRoot(document.querySelector('div')).render(h(App))
`

const INBOX_PAGE = `
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '@pigeonhole/client'
import { useInbox } from '@pigeonhole/client/react'

const client = createClient({ token: () => localStorage.token })
function Badge() {
  return h('p', null, useInbox(client).unread + ' unread')
}
function List() {
  const { items, status, hasMore, loadMore, markRead } = useInbox(client)
  return h('main', null,
    h('p', null, status + ', ' + items.length + ' messages'),
    h('ul', null, items.map(({ id, title, unread }) => h('li', { key: id }, title, unread && h('button', { onClick: () => markRead(id) }, 'Read ' + title)))),
    hasMore && h('button', { onClick: loadMore }, 'More'))
}
createRoot(document.querySelector('div')).render([h(Badge, { key: 1 }), h(List, { key: 2 })])
`

const PAGE = `
import { createClient } from '@pigeonhole/client'
import { createReactNativeUploader, uriSource } from '@pigeonhole/client/react-native'

// React Native does not have these.
delete Blob.prototype.stream
delete Blob.prototype.arrayBuffer
FileReader.prototype.readAsArrayBuffer = () => { throw new Error('FileReader.readAsArrayBuffer is not implemented') }

const storage = {
  getItem: async (key) => sessionStorage.getItem(key),
  setItem: async (key, value) => sessionStorage.setItem(key, value),
  removeItem: async (key) => sessionStorage.removeItem(key),
  getAllKeys: async () => Object.keys(sessionStorage),
}
const client = createClient({ baseUrl: location.origin, token: () => localStorage.token })
const uploader = createReactNativeUploader(client, { storage, scope: location.origin, concurrency: 2 })
window.mobile = {
  uploader,
  keys: () => Object.keys(sessionStorage),
  async pick() {
    const [file] = document.querySelector('input').files
    const uri = URL.createObjectURL(file)
    window.mobile.handle = uploader.upload(await uriSource({ uri, name: file.name, mimeType: file.type, lastModified: 1 }))
  },
}
`

const browser = await chromiumFor('React and React Native')

let app: ClientApp
let context: BrowserContext | undefined
let page: Page
let user: TestUser

beforeAll(async () => {
  const { publicKey, privateKey } = createVapidKeys()
  app = await startClientApp({
    WEB_PUSH_PUBLIC_KEY: publicKey,
    WEB_PUSH_PRIVATE_KEY: privateKey,
    WEB_PUSH_SUBJECT: 'mailto:ops@example.com',
    WEB_PUSH_HOSTS: '127.0.0.1',
    WEB_PUSH_ALLOW_PRIVATE: 'true',
  })
  await putCors(app)
})
afterAll(async () => {
  await context?.close()
  await app?.close()
})

/** Tells pages of a push, as public/service-worker.js does, when a page says so. */
const WORKER = `
self.addEventListener('message', async () => {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  for (const page of pages) page.postMessage({ type: 'pigeonhole-push' })
})
`

const bundled = new Map<string, Promise<string>>()

/** Opens a page. `permission` is for notifications, which the headless shell lacks. `before` runs before the page's code. */
async function open(
  body: string,
  code: string,
  permission: NotificationPermission = 'granted',
  before: () => void = () => {},
): Promise<void> {
  if (!bundled.has(code)) bundled.set(code, bundle(code))
  const serve = servePage(body, await bundled.get(code)!)
  app.intercept = (path) =>
    path.endsWith('/worker.js')
      ? new Response(WORKER, {
          headers: { 'content-type': 'text/javascript', 'service-worker-allowed': '/' },
        })
      : serve(path)
  app.s3.requestLog.clear()
  user = await app.user()
  await context?.close()
  context = await newContext({ permissions: ['notifications'] })
  page = await context.newPage()
  await page.addInitScript(
    (value) => Object.defineProperty(Notification, 'permission', { get: () => value }),
    permission,
  )
  await page.addInitScript(before)
  await page.addInitScript((token) => localStorage.setItem('token', token), user.token)
  await page.goto(app.url)
}

describe.skipIf(!browser)('for React', () => {
  beforeAll(() => open('<div></div>', REACT_PAGE))

  test('useUploads and useUpload show progress, completion and failures; a row renders only for its own upload', async () => {
    app.s3.faults.add({ operation: 'PutObject', action: { kind: 'fail', status: 503, code: 'SlowDown' } })
    await page.locator('input').setInputFiles((await app.file('first.png', MIB)).path)
    await page.getByText('first.png failed').waitFor()
    await page.getByText('0 done, 1 to retry').waitFor()
    const before = await page.evaluate(() => window.renders['first.png'])
    app.s3.faults.reset()
    await page.locator('input').setInputFiles((await app.file('second.png', MIB)).path)
    await page.getByText('1 done, 1 to retry').waitFor()
    expect(await page.evaluate(() => window.renders['first.png'])).toBe(before)
    await page.getByRole('button', { name: 'Retry all' }).click()
    await page.getByText('2 done, 0 to retry').waitFor()
    await page.getByText('first.png done').waitFor()
  })

  test('the controls of useUpload work', async () => {
    app.s3.faults.add({ operation: 'PutObject', action: { kind: 'hold', name: 'slow' } })
    await page.locator('input').setInputFiles((await app.file('third.png', MIB)).path)
    await page.getByText('third.png uploading').waitFor()
    await page.getByRole('button', { name: 'Cancel third.png' }).click()
    await page.getByText('third.png cancelled').waitFor()
    app.s3.faults.reset()
  })

  test('useUnfinishedUploads lists a failed upload once it is removed, and none if IndexedDB fails', async () => {
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    app.s3.faults.add({ operation: 'PutObject', action: { kind: 'fail', status: 503, code: 'SlowDown' } })
    await page.locator('input').setInputFiles((await app.file('removed.png', MIB)).path)
    await page.getByText('removed.png failed').waitFor()
    await page.getByText('0 unfinished').waitFor()
    await page.getByRole('button', { name: 'Remove removed.png' }).click()
    await page.getByText('1 unfinished').waitFor()
    app.s3.faults.reset()

    await page.evaluate(() => {
      IDBDatabase.prototype.transaction = () => {
        throw new DOMException('', 'InvalidStateError')
      }
      IDBFactory.prototype.open = () => {
        throw new DOMException('', 'SecurityError')
      }
    })
    await page.locator('input').setInputFiles((await app.file('fourth.png', MIB)).path)
    await page.getByText('fourth.png done').waitFor()
    await page.getByText('0 unfinished').waitFor()
    expect(errors).toEqual([])
  })

  test.each(['focus', 'visibilitychange'])(
    'useUnfinishedUploads lists the upload of a tab that was closed, on %s',
    async (event) => {
      await open('<div></div>', REACT_PAGE)
      app.s3.faults.add({ operation: 'PutObject', action: { kind: 'hold', name: 'tab' } })
      const tab = await context!.newPage()
      await tab.goto(app.url)
      await tab.locator('input').setInputFiles((await app.file('tab.png', MIB)).path)
      await app.s3.faults.waitForHeld('tab')
      await page.getByText('0 unfinished').waitFor()
      await tab.close()
      app.s3.faults.reset()
      await until('its lock is gone', () =>
        page.evaluate(async () => (await navigator.locks.query()).held?.length === 0),
      )
      await page.evaluate((type) => {
        const target = type === 'focus' ? window : document
        target.dispatchEvent(new Event(type))
      }, event)
      await page.getByText('1 unfinished').waitFor()
    },
  )
})

describe.skipIf(!browser)('usePushDevice', () => {
  const shows = (text: string) => page.getByText(text, { exact: true }).waitFor()
  const press = (name: string) => page.getByRole('button', { name }).click()
  const devices = async () => (await app.ok(user, 'devices.list')).items

  test('unsupported and denied: a browser without push, and one that blocks it', async () => {
    await open('<div></div>', PUSH_PAGE, 'granted', () => Reflect.deleteProperty(window, 'PushManager'))
    await shows('unsupported false')
    await open('<div></div>', PUSH_PAGE, 'denied')
    await shows('denied false')
    expect(await page.evaluate(() => window.states)).toEqual(['busy', 'denied'])
  })

  test('off, busy, error, on: registers this browser, reports why it cannot, and unregisters it', async () => {
    await open('<div></div>', PUSH_PAGE)
    await shows('off false')
    // Chromium has no push service in a test context.
    await press('On')
    await shows('error false subscriptionFailed')
    expect(await devices()).toEqual([])

    const { publicKey } = await app.ok(user, 'devices.webPushKey')
    await subscribeAs(page, newSubscription(), publicKey)
    await press('On')
    await shows('on true')
    expect(await devices()).toMatchObject([{ platform: 'web', name: 'Test' }])
    const { rows } = await app.db.query('SELECT locale FROM devices WHERE user_id = $1', [user.id])
    expect(rows).toEqual([{ locale: 'de' }])
    await press('Off')
    await shows('off false')
    expect(await devices()).toEqual([])

    app.lose = (path) => path === 'devices.register'
    await press('On')
    // The server has registered it anyway.
    await shows('error true TRPCClientError')
    app.lose = undefined
    await press('On')
    await shows('on true')
    const states = await page.evaluate(() => window.states)
    expect(states.join(' ')).toBe('busy off busy error busy on busy off busy error busy on')
  })

  test('a service worker in a folder subscribes itself, and leaves the subscription of the one at / alone', async () => {
    await open('<div></div>', PUSH_PAGE)
    await page.goto(`${app.url}/?worker=/push/worker.js`)
    await shows('off false')
    const { publicKey } = await app.ok(user, 'devices.webPushKey')
    const subscription = newSubscription()
    await subscribeAs(page, subscription, publicKey)
    const isOtherSubscribed = () =>
      page.evaluate(async () => {
        const { pushManager } = await navigator.serviceWorker.ready
        return (await pushManager.getSubscription()) !== null
      })
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js')
      const { pushManager } = await navigator.serviceWorker.ready
      await pushManager.subscribe()
      const { subscribe } = PushManager.prototype
      PushManager.prototype.subscribe = async function () {
        const all = await navigator.serviceWorker.getRegistrations()
        window.scope = all.find((one) => one.pushManager === this)?.scope
        return subscribe.call(this)
      }
    })
    await press('Off')
    await page.waitForFunction(() => window.states.join() === 'busy,off,busy,off')
    expect(await isOtherSubscribed()).toBe(true)
    await press('On')
    await shows('on true')
    expect(await page.evaluate(() => window.scope)).toBe(`${app.url}/push/`)

    // Another version of the worker, which the browser does not have yet.
    await page.goto(`${app.url}/?worker=${encodeURIComponent('/push/worker.js?v=2')}`)
    await shows('off false')
    await subscribeAs(page, subscription, publicKey)
    await page.evaluate(() => PushManager.prototype.subscribe())
    await press('Look')
    await shows('on true')
  })

  test('a service worker that the page has registered with its own scope subscribes only once', async () => {
    await open('<div></div>', PUSH_PAGE)
    await page.goto(`${app.url}/?worker=/push/worker.js`)
    await shows('off false')
    const { publicKey } = await app.ok(user, 'devices.webPushKey')
    await subscribeAs(page, newSubscription(), publicKey)
    await page.evaluate(() => navigator.serviceWorker.register('/push/worker.js', { scope: '/' }))
    await press('On')
    await shows('on true')
    const scopes = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope))
    expect(await scopes()).toEqual([`${app.url}/`])
    await press('Off')
    await shows('off false')
    expect(await devices()).toEqual([])
  })

  test('off if the browser is subscribed for another user', async () => {
    await open('<div></div>', PUSH_PAGE)
    const { publicKey } = await app.ok(user, 'devices.webPushKey')
    await subscribeAs(page, newSubscription(), publicKey)
    await press('On')

    await shows('on true')
    const other = await app.user()
    await page.evaluate((token) => localStorage.setItem('token', token), other.token)
    await press('Look')
    await shows('off false')
  })
})

describe.skipIf(!browser)('useInbox', () => {
  const shows = (text: string) => page.getByText(text, { exact: true }).waitFor()
  let token: string
  const post = (path: string, bearer: string, body: object) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const push = (title: string) => post('/api/push/send', token, { title, body: 'b' })

  test('lists messages, counts unread ones, and loads and marks more; components share requests', async () => {
    await open('<div></div>', INBOX_PAGE)
    const created = await post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'inbox' })
    token = (await created.json()).token
    for (let n = 1; n <= 22; n++) await push(`message ${n}`)
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.reload()
    await shows('ready, 20 messages')
    await shows('22 unread')
    expect(requests.filter((path) => path.includes('messages.'))).toEqual([
      '/api/trpc/messages.list,messages.unread',
    ])
    await page.getByRole('button', { name: 'More' }).click()
    await shows('ready, 22 messages')
    await page.getByRole('button', { name: 'Read message 21', exact: true }).click()
    await shows('1 unread')
    await until('the server has marked it', async () => (await app.ok(user, 'messages.unread')).count === 1)
  })

  test('refreshes when the service worker reports a push', async () => {
    await push('message 23')
    await page.evaluate(async () => {
      const { active } = await navigator.serviceWorker
        .register('/worker.js')
        .then(() => navigator.serviceWorker.ready)
      active!.postMessage('push')
    })
    await shows('ready, 23 messages')
    await shows('2 unread')
  })
})

/** Creates a subscription like a browser's, at the push service of WEB_PUSH_HOSTS. */
function newSubscription() {
  const ecdh = createECDH('prime256v1')
  const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
  return { endpoint: `https://127.0.0.1/${randomBytes(16).toString('hex')}`, keys }
}

describe.skipIf(!browser)('for React Native', () => {
  beforeAll(() => open('<input type="file">', PAGE))

  async function pick(path: string): Promise<void> {
    await page.waitForFunction(() => window.mobile)
    await page.locator('input').setInputFiles(path)
    await page.evaluate(() => window.mobile.pick())
  }
  const settled = () => page.evaluate(() => window.mobile.handle.settled())

  test('uploads a file by its URI', async () => {
    await pick((await app.file('photo.png', 2 * MIB)).path)
    expect(await settled()).toMatchObject({ state: 'done', mimeType: 'image/png' })
  })

  test('a dropped connection is a network error, which is retried', async () => {
    app.s3.faults.add({ operation: 'PutObject', action: { kind: 'drop' } })
    await pick((await app.file('dropped.png', 2 * MIB)).path)
    const problem = await page.waitForFunction(() => {
      const { nextAttempt, error } = window.mobile.handle.getSnapshot()
      return (nextAttempt?.reason ?? error)?.code
    })
    expect(await problem.jsonValue()).toBe('NETWORK')
    app.s3.faults.reset()
    expect((await settled()).state).toBe('done')
  })

  test('an upload continues after the app was killed, from the state in AsyncStorage', async () => {
    const { path } = await app.file('film.mp4', 22 * MIB)
    app.s3.faults.add({ operation: 'UploadPart', partNumber: 3, action: { kind: 'hold', name: 'killed' } })
    await pick(path)
    await until('two parts are stored', async () => partsPut(app).length >= 2)
    const { fileId } = await page.evaluate(() => window.mobile.handle.getSnapshot())
    await page.reload()
    app.s3.faults.reset()
    await page.waitForFunction(() => window.mobile)
    const [unfinished] = await page.evaluate(() => window.mobile.uploader.unfinished())
    expect(unfinished).toMatchObject({
      fileId,
      name: 'film.mp4',
      attachment: expect.stringMatching(/^blob:/),
    })
    await pick(path)
    const done = await settled()
    expect(done).toMatchObject({ state: 'done', fileId })
    expect(done.resumedBytes).toBeGreaterThanOrEqual(10 * MIB)
    expect(await page.evaluate(() => window.mobile.keys())).toEqual([])
  })
})
