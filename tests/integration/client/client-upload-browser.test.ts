import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { UnfinishedUploadStore, Uploader, UploadHandle, UploadSnapshot } from '@pigeonhole/client/node'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ClientApp,
  etagOf,
  MIB,
  partsPut,
  startClientApp,
  type TestUser,
} from '../../support/app/client-app.ts'
import { putCors } from '../../support/app/put-cors.ts'
import { chromiumFor, newContext } from '../../support/browser/chromium.ts'
import { clientPageModule } from '../../support/browser/client-page.ts'
import { until } from '../../support/until.ts'

declare global {
  interface Window {
    uploader: Uploader
    store: UnfinishedUploadStore
    handle: UploadHandle
    ready: boolean
    begin(i?: number): void
  }
}

const browser = await chromiumFor('the upload engine in a browser')

let app: ClientApp
let context: BrowserContext
let page: Page
let user: TestUser
let errors: string[]

beforeAll(async () => {
  app = await startClientApp()
  app.intercept = (path) => clientPageModule(path)
  if (browser) context = await newContext()
})
afterAll(async () => {
  await context?.close()
  await app.close()
})

async function open(): Promise<void> {
  await page.goto(app.url)
  await page.evaluate((token) => localStorage.setItem('token', token), user.token)
  await page.waitForFunction(() => window.ready)
}

async function begin(path: string): Promise<void> {
  await page.locator('input').setInputFiles(path)
  await page.evaluate(() => window.begin())
}

const snapshot = (): Promise<UploadSnapshot> => page.evaluate(() => window.handle.getSnapshot())
const settled = (): Promise<UploadSnapshot> => page.evaluate(() => window.handle.settled())
const last = () => app.s3.requestLog.entries().at(-1)?.seq ?? 0
const stored = (fileId: string) => app.s3.requestLog.objects().find((object) => object.key.includes(fileId))

describe.skipIf(!browser)('in Chromium', () => {
  beforeEach(async () => {
    app.s3.faults.reset()
    app.calls.length = 0
    await putCors(app, ['ETag'])
    user = await app.user()
    page = await context.newPage()
    errors = []
    page.on('pageerror', (error) => errors.push(error.message))
    await open()
  })
  afterEach(async () => {
    for (const one of context.pages()) await one.close()
    expect(errors).toEqual([])
  })

  test('both flows upload whole files, and show progress within a part', async () => {
    const small = await app.file('small.png', 3 * MIB)
    await begin(small.path)
    const one = await settled()
    expect(one).toMatchObject({ state: 'done', mimeType: 'image/png', warning: null })
    expect(stored(one.fileId!)).toMatchObject({ etag: await etagOf(small), contentType: 'image/png' })

    const large = await app.file('large.mp4', 20 * MIB)
    // Limit the speed in the browser, because network buffers can accept a whole part at once.
    const network = await context.newCDPSession(page)
    const limit = { offline: false, latency: 0, downloadThroughput: -1 }
    await network.send('Network.emulateNetworkConditions', { ...limit, uploadThroughput: 4 * MIB })
    await begin(large.path)
    await page.waitForFunction((part) => window.handle.getSnapshot().bytesSent % part > 0, 5 * MIB)
    await network.send('Network.emulateNetworkConditions', { ...limit, uploadThroughput: -1 })
    const two = await settled()
    expect(two).toMatchObject({ state: 'done', bytesSent: large.size })
    expect(stored(two.fileId!)!.etag).toBe(await etagOf(large, 5 * MIB))
    expect(app.calls.filter((call) => call === 'upload.completePart')).toHaveLength(4)
  })

  test('after a reload midway, the same file continues with the parts in the store', async () => {
    const source = await app.file('reload.mp4', 25 * MIB)
    for (let partNumber = 2; partNumber <= 5; partNumber++)
      app.s3.faults.add({ operation: 'UploadPart', partNumber, action: { kind: 'hold', name: 'late' } })
    const since = last()
    await begin(source.path)
    await until('a part has arrived', async () => partsPut(app, since).length === 1)
    await until('three more are in progress', async () => app.s3.faults.held().length === 3)
    const { fileId } = await snapshot()
    await open()
    app.s3.faults.reset()
    await until('they have ended', async () => {
      return app.s3.requestLog.entries(since).filter((e) => e.operation === 'UploadPart').length === 4
    })
    const [upload] = app.s3.requestLog.uploads().filter((one) => one.key.includes(fileId!))
    const missing = [1, 2, 3, 4, 5].filter((n) => !upload!.parts.includes(n))
    const list = await page.evaluate(() => window.uploader.unfinished())
    expect(list).toMatchObject([{ name: 'reload.mp4', fileId }])
    const broken = last()
    await begin(source.path)
    expect(await settled()).toMatchObject({
      state: 'done',
      fileId,
      resumedBytes: (5 - missing.length) * 5 * MIB,
    })
    expect(partsPut(app, broken).sort()).toEqual(missing)
    expect(await page.evaluate(() => window.uploader.unfinished())).toEqual([])
  })

  test('after the browser has closed the database and rejected a lock, uploads can be resumed again', async () => {
    const source = await app.file('kept.mp4', SIMPLE_MAX_BYTES + MIB)
    const hold = (name: string) =>
      app.s3.faults.add({ operation: 'UploadPart', action: { kind: 'hold', name } })
    hold('without a lock')
    await page.evaluate(() => {
      const { locks } = navigator
      const { request } = locks
      locks.request = async () => {
        locks.request = request
        throw new DOMException('', 'InvalidStateError')
      }
    })
    await begin(source.path)
    await app.s3.faults.waitForHeld('without a lock')
    await page.evaluate(async () => {
      window.handle.cancel()
      await window.uploader.unfinished()
    })
    app.s3.faults.reset()
    hold('with a lock')
    const devtools = await context.newCDPSession(page)
    await devtools.send('Storage.clearDataForOrigin', { origin: app.url, storageTypes: 'indexeddb' })
    await begin(source.path)
    // Late parts of the canceled upload are held too, so wait for this one by its ID.
    const fileId = await until('the upload has begun', async () => (await snapshot()).fileId)
    await until('it is stored', () =>
      page.evaluate(async (id) => (await window.store.list()).some((entry) => entry.fileId === id), fileId),
    )
    await open()
    expect(await page.evaluate(() => window.uploader.unfinished())).toMatchObject([{ fileId }])
    app.s3.faults.reset()
    await begin(source.path)
    expect(await settled()).toMatchObject({ state: 'done', fileId })
  })

  test('a store whose connection the browser has closed reopens it once, and keeps handles of files', async () => {
    const result = await page.evaluate(async () => {
      const closed: (() => void)[] = []
      let opens = 0
      const { open } = IDBFactory.prototype
      IDBFactory.prototype.open = function (...args) {
        opens++
        const request = open.apply(this, args)
        request.addEventListener('success', () => {
          const database = request.result
          closed.push(() => {
            database.dispatchEvent(new Event('close'))
          })
        })
        return request
      }
      const { transaction } = IDBDatabase.prototype
      const close = () => {
        IDBDatabase.prototype.transaction = () => {
          IDBDatabase.prototype.transaction = transaction
          throw new DOMException('', 'InvalidStateError')
        }
      }
      const entry = { fingerprint: 'f', fileId: 'i', kind: 'simple' as const, name: 'kept.png' }
      const rest = { mimeType: 'image/png', size: 1, startedAt: 0 }
      await window.store.list()
      close()
      await window.store.put({ ...entry, ...rest, attachment: 'a handle' })
      // The event of the first connection arrives late.
      closed[0]!()
      const kept = (await window.store.get('f'))?.attachment
      await window.store.put({ ...entry, ...rest, attachment: () => {} })
      const plain = await window.store.get('f')
      await window.store.remove('f')
      return { kept, opens, plain }
    })
    expect(result).toMatchObject({ kept: 'a handle', opens: 2, plain: { name: 'kept.png' } })
  })

  test('a second tab creates its own upload of the same file, and lists none as unfinished', async () => {
    const source = await app.file('tabs.mp4', SIMPLE_MAX_BYTES + MIB)
    app.s3.faults.add({ operation: 'UploadPart', first: 3, action: { kind: 'hold', name: 'first tab' } })
    await begin(source.path)
    await until('the first is in progress', async () => app.s3.faults.held().length === 3)
    const { fileId } = await snapshot()
    const first = page
    page = await context.newPage()
    await open()
    expect(await page.evaluate(() => window.uploader.unfinished())).toEqual([])
    await begin(source.path)
    const second = await settled()
    expect(second.state).toBe('done')
    expect(second.fileId).not.toBe(fileId)
    app.s3.faults.release()
    page = first
    expect(await settled()).toMatchObject({ state: 'done', fileId })
  })

  test('an upload pauses while offline and resumes when online', async () => {
    const source = await app.file('offline.mp4', 25 * MIB)
    app.s3.faults.add({ operation: 'UploadPart', action: { kind: 'latency', ms: 1000 } })
    const since = last()
    await begin(source.path)
    await until('some parts have arrived', async () => partsPut(app, since).length >= 2)
    await context.setOffline(true)
    await page.waitForFunction(() => window.handle.getSnapshot().pauseReason === 'offline')
    await context.setOffline(false)
    const result = await settled()
    expect(result.state).toBe('done')
    expect(stored(result.fileId!)!.etag).toBe(await etagOf(source, 5 * MIB))
  })

  test('a bucket that hides ETag: the upload finishes, and a warning explains the fix', async () => {
    await putCors(app, [])
    await begin((await app.file('hidden.mp4', SIMPLE_MAX_BYTES + MIB)).path)
    const result = await settled()
    expect(result.state).toBe('done')
    expect(result.warning).toMatch(/ExposeHeaders/)
  })

  test('a bucket without a CORS rule for this page causes an error that says so, not a hang', async () => {
    await putCors(app, ['ETag'], 'https://elsewhere.example')
    await begin((await app.file('foreign.png', 1000)).path)
    const result = await settled()
    expect(result).toMatchObject({ state: 'failed', error: { code: 'NETWORK', retryable: true } })
    expect(result.error!.message).toMatch(/CORS rule \(docs\/storage\.md\)/)
  })
})
