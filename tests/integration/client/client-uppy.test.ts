// @pigeonhole/client/uppy in Chromium, with the real @uppy/core and @uppy/aws-s3.

import { createClient } from '@pigeonhole/client'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { awsS3Options } from '@pigeonhole/client/uppy'
import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientApp, MIB, partsPut, startClientApp, type TestUser } from '../../support/app/client-app.ts'
import { putCors } from '../../support/app/put-cors.ts'
import { bundle, servePage } from '../../support/browser/bundle.ts'
import { chromiumFor } from '../../support/browser/chromium.ts'
import { until } from '../../support/until.ts'

type Result = { successful: { name: string; uploadURL: string }[]; failed: { name: string; error: string }[] }

declare global {
  interface Window {
    uppy: Uppy
    result: Promise<Result>
    ready: boolean
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

const browser = await chromiumFor('uploads with Uppy')

let app: ClientApp
let context: BrowserContext | undefined
let page: Page
let user: TestUser

beforeAll(async () => {
  app = await startClientApp()
  const script = browser && (await bundle(PAGE))
  app.intercept = servePage('<input type="file" multiple>', script ?? '')
  await putCors(app)
  context = await browser?.newContext()
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

describe.skipIf(!browser)('in Chromium', () => {
  beforeEach(async () => {
    app.s3.faults.reset()
    app.lose = undefined
    user = await app.user()
    await page.goto(app.url)
    await page.evaluate((token) => localStorage.setItem('token', token), user.token)
    await page.waitForFunction(() => window.ready)
    app.calls.length = 0
    app.s3.requestLog.clear()
  })

  async function add(...paths: string[]): Promise<void> {
    await page.locator('input').setInputFiles(paths)
  }
  /** Starts the added files. `result` returns the result. */
  const start = () =>
    page.evaluate(() => {
      window.result = window.uppy.upload().then((result) => ({
        successful: result!.successful!.map((file) => ({ name: file.name!, uploadURL: file.uploadURL! })),
        failed: result!.failed!.map((file) => ({ name: file.name!, error: file.error! })),
      }))
    })
  const result = () => page.evaluate(() => window.result)
  const files = async () =>
    (await app.ok(user, 'files.list')).items as { state: string; filename: string; url: string }[]

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
