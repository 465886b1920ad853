import { appendFile } from 'node:fs/promises'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { nodeTransport } from '@pigeonhole/client/node'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientApp, etagOf, MIB, partsPut, reach, startClientApp } from '../../support/app/client-app.ts'
import { drift } from '../../support/app/upload-app.ts'
import { until } from '../../support/until.ts'

let app: ClientApp
beforeAll(async () => {
  app = await startClientApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.s3.faults.reset()
  app.calls.length = 0
  app.intercept = undefined
  app.lose = undefined
})

const PARTS = 5
/** The last part is small, because 5 MiB take 0.1 s of CPU. */
const LAST = 1000
const last = () => app.s3.requestLog.entries().at(-1)?.seq ?? 0
const arrived = (since: number, count: number) =>
  until(`${count} parts have arrived`, async () => partsPut(app, since).length >= count)

/** Starts an upload that is slow enough to be interrupted. */
async function startUpload(name: string, options: Parameters<ClientApp['uploader']>[1] = {}, parts = PARTS) {
  app.s3.faults.add({ operation: 'UploadPart', action: { kind: 'latency', ms: 120 } })
  const user = await app.user()
  const source = await app.file(name, (parts - 1) * 5 * MIB + LAST)
  const since = last()
  const uploader = app.uploader(user, { concurrency: 2, ...options })
  const handle = uploader.upload(source)
  await arrived(since, 2)
  return { user, source, since, uploader, handle }
}

async function expectWhole(
  handle: Awaited<ReturnType<typeof startUpload>>['handle'],
  source: { path: string },
) {
  const result = await handle.settled()
  expect(result).toMatchObject({ state: 'done', error: null })
  const stored = app.s3.requestLog.objects().find((object) => object.key.includes(result.fileId!))
  expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
  expect(await drift(app.db)).toEqual([])
  return result
}

describe('the object store', () => {
  test('fails midway: the upload continues when it recovers', async () => {
    const { handle, source } = await startUpload('cut.mp4', {
      retry: { attempts: 50, baseMs: 20, maxMs: 50 },
    })
    await app.s3.down()
    await reach(handle, ({ bytesSent }) => [0, LAST].includes(bytesSent % (5 * MIB)))
    await app.s3.up()
    await expectWhole(handle, source)
  })

  test('is permanently unavailable: the upload fails with NETWORK, and retry() sends only missing parts', async () => {
    const { handle, source, since } = await startUpload('away.mp4')
    await app.s3.down()
    const failed = await handle.settled()
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'NETWORK', retryable: true } })
    await app.s3.up()
    handle.retry()
    const result = await expectWhole(handle, source)
    expect(result.resumedBytes).toBeGreaterThanOrEqual(2 * 5 * MIB)
    const put = partsPut(app, since)
    expect(new Set(put).size).toBe(PARTS)
    expect(put).toHaveLength(PARTS)
  })

  test('returns many 503 SlowDown and breaks connections: every part is still stored', async () => {
    for (const action of [
      { kind: 'fail', code: 'SlowDown', status: 503, retryAfterSeconds: 0 } as const,
      { kind: 'drop', afterBytes: MIB } as const,
      { kind: 'drop', point: 'after' } as const,
    ])
      app.s3.faults.add({ operation: 'UploadPart', probability: 0.25, seed: 7, action })
    const { handle, source } = await startUpload(
      'storm.mp4',
      { retry: { attempts: 30, baseMs: 10, maxMs: 50 } },
      4,
    )
    await expectWhole(handle, source)
    const failures = app.s3.requestLog
      .entries()
      .filter((e) => e.operation === 'UploadPart' && e.status !== 200)
    expect(failures.length).toBeGreaterThan(0)
  })

  test('sends Retry-After: the upload obeys it', async () => {
    app.s3.faults.add({
      operation: 'UploadPart',
      partNumber: 1,
      first: 1,
      action: { kind: 'fail', code: 'SlowDown', status: 503, retryAfterSeconds: 1 },
    })
    const { handle, source, since } = await startUpload('wait.mp4', {}, 4)
    await expectWhole(handle, source)
    const [rejected, taken] = app.s3.requestLog.entries(since).filter((entry) => entry.partNumber === 1)
    expect([rejected!.status, taken!.status]).toEqual([503, 200])
    expect(taken!.at - rejected!.at).toBeGreaterThanOrEqual(1000)
  })

  test('rejects expired URLs: new ones replace them', async () => {
    const { handle, source, since } = await startUpload('expired.mp4')
    app.s3.faults.setClockOffset(2 * 3600_000)
    await app.s3.requestLog.waitFor(({ seq, status }) => seq > since && status === 403)
    app.s3.faults.setClockOffset(0)
    await expectWhole(handle, source)
    expect(app.calls.filter((call) => call === 'upload.getPartUrls').length).toBeGreaterThan(1)
  })

  test('rejects every URL: STORE_REFUSED with the store’s code after a few new URLs', async () => {
    app.s3.faults.add({ operation: 'UploadPart', action: { kind: 'fail', code: 'AccessDenied' } })
    const source = await app.file('denied.mp4', SIMPLE_MAX_BYTES + 1)
    const since = last()
    const result = await app
      .uploader(await app.user(), { concurrency: 1 })
      .upload(source)
      .settled()
    expect(result).toMatchObject({ state: 'failed', error: { code: 'STORE_REFUSED' } })
    expect(result.error!.message).toContain('403 AccessDenied')
    expect(app.s3.requestLog.entries(since).filter((e) => e.status === 403)).toHaveLength(4)
  })

  test('stops reading: the attempt is aborted and repeated', async () => {
    app.s3.faults.add({ operation: 'UploadPart', first: 1, action: { kind: 'hold', name: 'stuck' } })
    const source = await app.file('stuck.mp4', SIMPLE_MAX_BYTES + 1)
    const handle = app
      .uploader(await app.user(), { limits: { stallMs: 3000, responseMs: 3000 } })
      .upload(source)
    expect((await handle.settled()).state).toBe('done')
    app.s3.faults.release()
  })

  test('hides ETag: the server checks the store instead, and the error tells the operator what to change', async () => {
    const plain = nodeTransport()
    const transport = {
      put: async (r: Parameters<typeof plain.put>[0]) => ({ ...(await plain.put(r)), etag: null }),
    }
    const source = await app.file('hidden.mp4', SIMPLE_MAX_BYTES + 1)
    const handle = app.uploader(await app.user(), { transport }).upload(source)
    const result = await expectWhole(handle, source)
    plain.close()
    expect(result.warning).toMatch(/ExposeHeaders.*docs\/storage\.md/)
    expect(app.calls).not.toContain('upload.completePart')
  })
})

describe('the server', () => {
  test('never accepts a report of a part: the file is still uploaded', async () => {
    app.intercept = (path) =>
      path.includes('completePart') ? new Response('no', { status: 502 }) : undefined
    const { handle, source } = await startUpload('unreported.mp4', {}, 4)
    await expectWhole(handle, source)
  })

  test('restarts midway: calls are repeated, bytes are not', async () => {
    const { handle, source, since } = await startUpload('restart.mp4')
    app.intercept = () => new Response('<html>Bad gateway</html>', { status: 502 })
    await reach(handle, ({ state }) => state === 'verifying')
    app.intercept = undefined
    await expectWhole(handle, source)
    expect(partsPut(app, since)).toHaveLength(PARTS)
  })

  test('rejects the session: the upload shows that the user is signed out, loses no part, and continues after signing in', async () => {
    const { handle, source, since, uploader, user } = await startUpload('session.mp4')
    const token = user.token
    user.token = 'ended'
    const paused = await reach(handle, ({ state }) => state === 'paused')
    expect(paused).toMatchObject({
      pauseReason: 'signed-out',
      error: { code: 'SIGNED_OUT', message: expect.stringMatching(/^Sign in first/) },
    })
    expect(uploader.getSnapshot().signedOut).toBe(true)
    handle.resume()
    await reach(handle, ({ state }) => state !== 'paused')
    await reach(handle, ({ pauseReason }) => pauseReason === 'signed-out')
    user.token = token
    uploader.signedIn()
    await expectWhole(handle, source)
    expect(partsPut(app, since)).toHaveLength(PARTS)
  })

  test('reports recorded parts as missing in the store: they are sent again', async () => {
    const { handle, source, user, since } = await startUpload('claimed.mp4')
    const { fileId } = handle.getSnapshot()
    handle.pause()
    await app.ok(user, 'upload.completePart', { fileId, partNumber: PARTS, etag: '"0123"' })
    const again = app.uploader(user).resumeFrom(fileId!, source)
    await expectWhole(again, source)
    expect(partsPut(app, since)).toContain(PARTS)
  })

  test('is not a Pigeonhole server: the error says so', async () => {
    app.intercept = () => new Response('<html>Hello</html>', { status: 404 })
    const source = await app.file('lost.png', 10)
    const result = await app
      .uploader(await app.user())
      .upload(source)
      .settled()
    expect(result.error!.message).toMatch(/does not respond like a Pigeonhole server \(HTTP 404\)/)
  })
})

test('a file that changes during its upload ends the upload with the reason', async () => {
  const { handle, source } = await startUpload('changing.mp4')
  await appendFile(source.path, 'more')
  expect(await handle.settled()).toMatchObject({
    state: 'failed',
    error: { code: 'FILE_CHANGED', retryable: false },
  })
})

test.each([
  ['simple', 'upload.requestUploadUrl', MIB],
  ['multipart', 'upload.initiateMultipart', SIMPLE_MAX_BYTES + 1],
])(
  'a %s upload whose creation is repeated, because responses were lost, reserves quota once',
  async (kind, procedure, size) => {
    const user = await app.user()
    const source = await app.file(`lost-${kind}.mp4`, size)
    app.lose = (path) => path === procedure && app.calls.filter((call) => call === procedure).length < 3
    expect(await app.uploader(user).upload(source).settled()).toMatchObject({ state: 'done' })
    expect(app.calls.filter((call) => call === procedure)).toHaveLength(3)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: size, reserved: 0 })
    expect((await app.ok(user, 'files.list')).items).toHaveLength(1)
  },
)
