// @pigeonhole/client/uppy in Chromium, with the real @uppy/core 5 and 6, @uppy/aws-s3 and @uppy/golden-retriever.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@pigeonhole/client'
import { PART_BYTES, SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { awsS3Options, Pigeonhole } from '@pigeonhole/client/uppy'
import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientApp, MIB, partsPut, startClientApp, type TestUser } from '../../support/app/client-app.ts'
import { putCors } from '../../support/app/put-cors.ts'
import { bundle, servePage } from '../../support/browser/bundle.ts'
import { chromiumFor, newContext } from '../../support/browser/chromium.ts'
import { until } from '../../support/until.ts'

type Result = {
  successful: { name: string; uploadURL: string; body: unknown }[]
  failed: { name: string; error: string }[]
}

declare global {
  interface Window {
    uppy: Uppy
    result: Promise<Result>
    ready: boolean
    /** Reasons why uploads made no progress. */
    shown: string[]
    /** Bytes in the last event `upload-progress`. */
    lastProgress: number
  }
}

const PAGE = `
import Uppy from '@uppy/core'
import AwsS3 from '@uppy/aws-s3'
import { createClient } from '@pigeonhole/client'
import { awsS3Options } from '@pigeonhole/client/uppy'

window.uppy = new Uppy()
window.uppy.use(AwsS3, { ...awsS3Options(window.uppy, createClient({ token: () => localStorage.token })), retryDelays: [50, 100, 200] })
document.querySelector('input').onchange = ({ target }) => {
  for (const file of target.files) window.uppy.addFile({ name: file.name, type: file.type, data: file })
}
window.ready = true
`

const PLUGIN_PAGE = `
import Uppy from '@uppy/core'
import GoldenRetriever from '@uppy/golden-retriever'
import { createClient } from '@pigeonhole/client'
import { Pigeonhole } from '@pigeonhole/client/uppy'

const options = new URLSearchParams(location.search)
const uppy = new Uppy({ meta: { album: 'Rome' }, logger: { debug() {}, warn() {}, error() {} } })
window.uppy = uppy
uppy.use(Pigeonhole, {
  client: createClient({ token: () => localStorage.token }),
  policy: options.get('policy') ?? undefined,
  data: ({ meta }) => ({ album: meta.album }),
  retry: { attempts: 6, baseMs: 20, maxMs: 200 },
})
if (options.has('restore')) uppy.use(GoldenRetriever, { indexedDB: { maxFileSize: 20 * 1024 * 1024 } })
window.shown = []
uppy.on('upload-stalled', ({ message }) => window.shown.push(message))
uppy.on('upload-progress', (file, { bytesUploaded }) => (window.lastProgress = bytesUploaded))
document.querySelector('input').onchange = ({ target }) => {
  for (const file of target.files) uppy.addFile({ name: file.name, type: file.type, data: file })
}
window.ready = true
`

const browser = await chromiumFor('uploads with Uppy')

let app: ClientApp
let context: BrowserContext | undefined
let page: Page
let user: TestUser

beforeAll(async () => {
  const policies = join(mkdtempSync(join(tmpdir(), 'pigeonhole-uppy-')), 'policies.json')
  writeFileSync(policies, JSON.stringify({ scan: { hold: true } }))
  app = await startClientApp({ UPLOAD_POLICIES_FILE: policies })
  await putCors(app)
  if (browser) context = await newContext()
  page = (await context?.newPage())!
})
afterAll(async () => {
  await context?.close()
  await app?.close()
})

test('the options match @uppy/aws-s3 5 (checked by `npm run typecheck`)', () => {
  const uppy = new Uppy()
  uppy.use(AwsS3, awsS3Options(uppy, createClient({ baseUrl: app.url })))
  expect(uppy.getPlugin('AwsS3Multipart')).toBeDefined()
})

test('policy and data are those of each upload', async () => {
  const uppy = new Uppy()
  const owner = await app.user()
  const client = createClient({ baseUrl: app.url, token: () => owner.token })
  const options = awsS3Options(uppy, client, { data: { order: 'A1' } })
  const add = (name: string) =>
    uppy.getFile(uppy.addFile({ name, type: 'image/png', data: new Blob(['bytes']) }))
  await options.getUploadParameters(add('a.png'))
  await options.createMultipartUpload(add('b.png'))
  const { items } = await app.ok(owner, 'files.list')
  expect(items).toMatchObject([{ data: { order: 'A1' } }, { data: { order: 'A1' } }])
  const strict = awsS3Options(uppy, client, { policy: 'nothing' })
  await expect(strict.getUploadParameters(add('c.png'))).rejects.toThrow('"nothing" is not one')
  await expect(strict.createMultipartUpload(add('d.png'))).rejects.toThrow('"nothing" is not one')
})

/** Opens a page with this script, signed in as a new user. */
async function open(script: string, search = '', options?: Parameters<ClientApp['user']>[0]): Promise<void> {
  app.s3.faults.reset()
  app.lose = undefined
  app.intercept = servePage('<input type="file" multiple>', script)
  user = await app.user(options)
  await page.goto(app.url)
  await page.evaluate((token) => {
    localStorage.clear()
    localStorage.setItem('token', token)
  }, user.token)
  await page.goto(`${app.url}/${search}`)
  await page.waitForFunction(() => window.ready)
  app.calls.length = 0
  app.s3.requestLog.clear()
}

async function add(...paths: string[]): Promise<void> {
  await page.locator('input').setInputFiles(paths)
}
/** Starts the added files. `result` returns the result. */
const start = () =>
  page.evaluate(() => {
    window.result = window.uppy.upload().then((result) => ({
      successful: result!.successful!.map((file) => ({
        name: file.name!,
        uploadURL: file.uploadURL!,
        body: file.response?.body,
      })),
      failed: result!.failed!.map((file) => ({ name: file.name!, error: file.error! })),
    }))
  })
const result = () => page.evaluate(() => window.result)
const files = async () =>
  (await app.ok(user, 'files.list')).items as {
    state: string
    filename: string
    url: string
    data: unknown
  }[]
/** Stops uploads at this part; `app.s3.faults.reset()` continues them. */
function holdFrom(partNumber: number, last: number): void {
  for (let n = partNumber; n <= last; n++)
    app.s3.faults.add({ operation: 'UploadPart', partNumber: n, action: { kind: 'hold', name: 'slow' } })
}
const lastSeq = () => app.s3.requestLog.entries().at(-1)!.seq

describe.skipIf(!browser)('awsS3Options in Chromium', () => {
  let script: string
  beforeAll(async () => {
    script = await bundle(PAGE)
  })
  beforeEach(() => open(script))

  test('simple and multipart uploads finish, and uploadURL is the URL of the file', async () => {
    await add(
      (await app.file('small.png', 3 * MIB)).path,
      (await app.file('large.mp4', SIMPLE_MAX_BYTES + 2 * MIB)).path,
    )
    await start()
    const { successful, failed } = await result()
    expect(failed).toEqual([])
    const stored = await files()
    expect(stored.map((file) => file.state)).toEqual(['READY', 'READY'])
    for (const { name, uploadURL } of successful)
      expect(uploadURL).toBe(stored.find((file) => file.filename === name)!.url)
    // Parts requested in the same tick share a call.
    expect(app.calls.filter((call) => call === 'upload.getPartUrls')).toHaveLength(1)
  })

  test('a file whose content differs from its type fails with the server’s message', async () => {
    await add((await app.file('fake.png', 4000, 'mp4')).path)
    await start()
    expect((await result()).failed).toMatchObject([
      { name: 'fake.png', error: expect.stringMatching(/not|type/) },
    ])
    expect((await files()).map((file) => file.state)).toEqual(['REJECTED'])
  })

  test('a lost response to the first call reserves quota only once', async () => {
    const source = await app.file('lost.mp4', SIMPLE_MAX_BYTES + 2 * MIB)
    await add(source.path)
    app.lose = (path) => path === 'upload.initiateMultipart'
    await start()
    expect((await result()).failed).toHaveLength(1)
    app.lose = undefined
    await page.evaluate(() => window.uppy.retryAll())
    expect(await files()).toMatchObject([{ state: 'READY', filename: 'lost.mp4' }])
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: source.size, reserved: 0 })
  })

  test('a retry of a simple upload that has expired is a new upload', async () => {
    const fail = { kind: 'fail', status: 403, code: 'AccessDenied' } as const
    app.s3.faults.add({ operation: 'PutObject', action: fail })
    await add((await app.file('expired.png', MIB)).path)
    await start()
    expect((await result()).failed).toHaveLength(1)
    app.s3.faults.reset()
    await app.db.query(`UPDATE files SET expires_at = created_at WHERE user_id = $1`, [user.id])
    await app.services.sweeper.sweep()
    expect((await files()).map((file) => file.state)).toEqual(['EXPIRED'])
    await page.evaluate(() => window.uppy.retryAll())
    expect((await files()).map((file) => file.state)).toEqual(['READY', 'EXPIRED'])
  })

  test('Uppy aborts an upload whose part is rejected; a retry is a new upload', async () => {
    const fail = { kind: 'fail', status: 400, code: 'InvalidRequest' } as const
    app.s3.faults.add({ operation: 'UploadPart', partNumber: 3, action: fail })
    await add((await app.file('refused.mp4', SIMPLE_MAX_BYTES + 2 * MIB)).path)
    await start()
    expect((await result()).failed).toHaveLength(1)
    await until('it is aborted', async () => (await files())[0]?.state === 'ABORTED')
    app.s3.faults.reset()
    await page.evaluate(() => window.uppy.retryAll())
    expect((await files()).map((file) => file.state)).toEqual(['READY', 'ABORTED'])
  })

  test('after a pause, stored parts are not sent again', async () => {
    app.s3.faults.add({ operation: 'UploadPart', partNumber: 3, action: { kind: 'hold', name: 'paused' } })
    await add((await app.file('paused.mp4', SIMPLE_MAX_BYTES + 2 * MIB)).path)
    await start()
    await until('two parts are stored', async () => partsPut(app).length === 2)
    await until('the third is in progress', async () => app.s3.faults.held().length === 1)
    await page.evaluate(() => window.uppy.pauseAll())
    app.s3.faults.reset()
    const since = app.s3.requestLog.entries().at(-1)!.seq
    await page.evaluate(() => window.uppy.resumeAll())
    expect((await result()).failed).toEqual([])
    expect(partsPut(app, since).filter((partNumber) => partNumber < 3)).toEqual([])
    expect((await files())[0]!.state).toBe('READY')
  })

  test('a simple upload that is removed before it ends reserves no quota, even if its first call is in progress', async () => {
    app.s3.faults.add({ operation: 'PutObject', action: { kind: 'hold', name: 'slow' } })
    await add((await app.file('removed.png', 2 * MIB)).path)
    await start()
    await until('its bytes are in progress', async () => app.s3.faults.held().length === 1)
    await page.evaluate(() => window.uppy.cancelAll())
    await until('it is gone', async () => (await files()).length === 0)
  })

  test('a canceled multipart upload is aborted', async () => {
    app.s3.faults.add({ operation: 'UploadPart', first: 9, action: { kind: 'hold', name: 'slow' } })
    await add((await app.file('aborted.mp4', SIMPLE_MAX_BYTES + 2 * MIB)).path)
    await start()
    await until('its parts are in progress', async () => app.s3.faults.held().length > 0)
    await page.evaluate(() => window.uppy.cancelAll())
    await until('it is aborted', async () => (await files())[0]?.state === 'ABORTED')
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
  })
})

test('the plugin can be installed while a server renders the page', () => {
  const uppy = new Uppy()
  uppy.use(Pigeonhole, { client: createClient({ baseUrl: app.url }), policy: 'scan' })
  expect(uppy.getPlugin('Pigeonhole')?.opts.policy).toBe('scan')
  uppy.destroy()
})

describe.skipIf(!browser).each([
  ['5', undefined],
  ['6', { '@uppy/core': 'uppy-core-6' }],
])('the plugin with Uppy %s in Chromium', (version, alias) => {
  const LARGE = SIMPLE_MAX_BYTES + 2 * MIB
  let script: string
  beforeAll(async () => {
    script = await bundle(PLUGIN_PAGE, { alias })
  })
  const uppyFile = () => page.evaluate(() => window.uppy.getFiles()[0]!)
  const storedAgain = (since: number) => partsPut(app, since).filter((partNumber) => partNumber < 3)

  test('simple and multipart uploads succeed with their data, and the response body is the file', async () => {
    await open(script)
    await add((await app.file('small.png', 3 * MIB)).path, (await app.file('large.mp4', LARGE)).path)
    await start()
    const { successful, failed } = await result()
    expect(failed).toEqual([])
    const stored = await files()
    expect(stored.map(({ state, data }) => ({ state, data }))).toEqual([
      { state: 'READY', data: { album: 'Rome' } },
      { state: 'READY', data: { album: 'Rome' } },
    ])
    for (const { name, uploadURL, body } of successful) {
      const { url } = stored.find((file) => file.filename === name)!
      expect(uploadURL).toBe(url)
      expect(body).toMatchObject({ id: expect.any(String), filename: name, url })
    }
    await page.waitForFunction(() => window.uppy.getState().totalProgress === 100)
  })

  test('after a reload, 200 MB continue without sending stored parts again', async () => {
    await open(script)
    const { path } = await app.file('film.mp4', 200 * MIB)
    const parts = (200 * MIB) / PART_BYTES
    holdFrom(21, parts)
    await add(path)
    await start()
    await until('half of it is stored', async () => partsPut(app).length === 20)
    await until('the progress is shown', () =>
      page.evaluate((half) => window.lastProgress >= half, 100 * MIB),
    )
    await page.reload()
    await page.waitForFunction(() => window.ready)
    app.s3.faults.reset()
    const reloadedAt = lastSeq()
    await add(path)
    await start()
    expect((await result()).failed).toEqual([])
    const sent = partsPut(app, reloadedAt)
    expect(sent.filter((partNumber) => partNumber <= 20)).toEqual([])
    // The store has read parts in flight, and may have stored them in the meantime.
    expect(sent.length).toBeGreaterThanOrEqual(parts - 20 - 4)
    expect(await files()).toMatchObject([{ state: 'READY', filename: 'film.mp4' }])
  })

  test('Golden Retriever continues an upload after a reload, or ends it on the server', async () => {
    const restored = async (name: string) => {
      await open(script, '?restore')
      holdFrom(3, 3)
      await add((await app.file(name, LARGE)).path)
      await start()
      await until('two parts are stored', async () => partsPut(app).length === 2)
      await page.waitForFunction(() => localStorage['uppyState:uppy']?.includes('fileId'))
      await page.reload()
      await page.waitForFunction(() => window.uppy.getState().recoveredState !== null)
      app.s3.faults.reset()
    }
    await restored(`kept-${version}.mp4`)
    const reloadedAt = lastSeq()
    await page.evaluate(() => window.uppy.emit('restore-confirmed'))
    await until('it is ready', async () => (await files())[0]?.state === 'READY')
    expect(storedAgain(reloadedAt)).toEqual([])
    await restored(`dropped-${version}.mp4`)
    await page.evaluate(() => window.uppy.cancelAll())
    await until('it is aborted', async () => (await files())[0]?.state === 'ABORTED')
  })

  test('canceling restored files in one tab leaves the upload of another tab alone', async () => {
    await open(script, '?restore')
    holdFrom(3, 3)
    await add((await app.file(`tabs-${version}.mp4`, LARGE)).path)
    await start()
    await until('two parts are stored', async () => partsPut(app).length === 2)
    await page.waitForFunction(() => localStorage['uppyState:uppy']?.includes('fileId'))
    const other = await context!.newPage()
    await other.goto(page.url())
    await other.waitForFunction(() => window.uppy.getState().recoveredState !== null)
    await other.evaluate(() => window.uppy.cancelAll())
    app.s3.faults.reset()
    expect((await result()).failed).toEqual([])
    expect(await files()).toMatchObject([{ state: 'READY' }])
    await other.close()
  })

  test('a paused upload sends no other part, and continues without sending stored parts again', async () => {
    await open(script)
    holdFrom(3, 3)
    await add((await app.file('paused.mp4', LARGE)).path)
    await start()
    await until('two parts are stored', async () => partsPut(app).length === 2)
    // A part whose response the page has not read is sent again.
    const reported = () => app.calls.filter((call) => call === 'upload.completePart').length
    await until('the page knows it', async () => reported() === 2)
    await until('the third is in progress', async () => app.s3.faults.held().length === 1)
    await page.evaluate(() => window.uppy.pauseAll())
    expect(await uppyFile()).toMatchObject({ isPaused: true })
    app.s3.faults.reset()
    // The part in flight finishes; Uppy shows its progress.
    await until('it is stored', async () => partsPut(app).length === 3)
    await page.waitForFunction((bytes) => window.lastProgress === bytes, LARGE)
    expect(app.calls).not.toContain('upload.completeMultipart')
    expect(await uppyFile()).toMatchObject({ isPaused: true })
    const pausedAt = lastSeq()
    // Both controls of Uppy: for all files, and for one.
    await page.evaluate(() => window.uppy.pauseResume(window.uppy.getFiles()[0]!.id))
    expect((await result()).failed).toEqual([])
    expect(partsPut(app, pausedAt)).toEqual([])
    expect(await files()).toMatchObject([{ state: 'READY' }])
  })

  test('a rejected token pauses the upload and says why; after signing in, resumeAll() continues it', async () => {
    await open(script)
    await page.evaluate(() => localStorage.setItem('token', 'expired'))
    await add((await app.file('later.png', MIB)).path)
    await start()
    await page.waitForFunction(() => window.uppy.getFiles()[0]!.isPaused)
    expect(await page.evaluate(() => window.shown)).toEqual([expect.stringMatching(/sign in/i)])
    await page.evaluate((token) => localStorage.setItem('token', token), user.token)
    await page.evaluate(() => window.uppy.resumeAll())
    expect((await result()).failed).toEqual([])
  })

  test('a file that is removed or canceled before it completes is aborted on the server', async () => {
    await open(script)
    holdFrom(3, 3)
    await add((await app.file('one.mp4', LARGE)).path, (await app.file('two.mp4', LARGE)).path)
    await start()
    await until('both are in progress', async () => app.s3.faults.held().length === 2)
    await page.evaluate(() => window.uppy.removeFile(window.uppy.getFiles()[0]!.id))
    const states = async () => (await files()).map((file) => file.state).sort()
    await until('one is aborted', async () => (await states()).join() === 'ABORTED,UPLOADING')
    await page.evaluate(() => window.uppy.cancelAll())
    expect((await result()).successful).toEqual([])
    await until('both are aborted', async () => (await states()).join() === 'ABORTED,ABORTED')
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
  })

  test('a retry does not send stored parts again, and removing a failed file aborts it', async () => {
    await open(script)
    const fail = { kind: 'fail', status: 400, code: 'InvalidRequest' } as const
    holdFrom(3, 3)
    app.s3.faults.add({ operation: 'UploadPart', partNumber: 3, action: fail })
    await add((await app.file('retried.mp4', LARGE)).path)
    await start()
    await until('two parts are stored', async () => partsPut(app).length === 2)
    app.s3.faults.release('slow')
    expect((await result()).failed).toMatchObject([{ error: expect.stringContaining('InvalidRequest') }])
    app.s3.faults.reset()
    const failedAt = lastSeq()
    await page.evaluate(() => window.uppy.retryUpload(window.uppy.getFiles()[0]!.id))
    expect(partsPut(app, failedAt)).toEqual([3])
    expect(await files()).toMatchObject([{ state: 'READY' }])

    app.s3.faults.add({ operation: 'UploadPart', partNumber: 3, action: fail })
    await add((await app.file('given-up.mp4', LARGE)).path)
    await start()
    expect((await result()).failed).toHaveLength(1)
    await page.evaluate(() => window.uppy.cancelAll())
    await until('it is aborted', async () => (await files())[0]!.state === 'ABORTED')
    expect((await files())[1]).toMatchObject({ filename: 'retried.mp4', state: 'READY' })
  })

  test('a file that exceeds the quota fails with the message and figures', async () => {
    await open(script, '', { quotaBytes: MIB })
    await add((await app.file('big.png', 2 * MIB)).path)
    await start()
    const error = expect.stringMatching(/needs 2 MB, but only 1 MB of your 1 MB is free/)
    expect((await result()).failed).toMatchObject([{ name: 'big.png', error }])
    expect(await page.evaluate(() => window.uppy.getState().info)).toMatchObject([
      { type: 'error', details: error },
    ])
  })

  test('a held file succeeds with state HELD in the response body', async () => {
    await open(script, '?policy=scan')
    await add((await app.file('held.png', MIB)).path)
    await start()
    expect((await result()).successful).toMatchObject([{ body: { filename: 'held.png', state: 'HELD' } }])
  })

  test('removing the plugin stops uploads and keeps them for another page', async () => {
    await open(script)
    holdFrom(3, 3)
    await add((await app.file('left.mp4', LARGE)).path)
    await start()
    await until('two parts are stored', async () => partsPut(app).length === 2)
    const interrupted = page.waitForEvent('requestfailed')
    await page.evaluate(() => window.uppy.removePlugin(window.uppy.getPlugin('Pigeonhole')!))
    await interrupted
    expect((await result()).failed).toEqual([])
    expect(await files()).toMatchObject([{ state: 'UPLOADING' }])
    expect(await page.evaluate(() => window.uppy.getState().capabilities.resumableUploads)).toBe(false)
  })
})
