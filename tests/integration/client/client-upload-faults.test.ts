import { appendFile } from 'node:fs/promises'
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
/** The last part is small: 5 MiB cost a tenth of a second of a core. */
const LAST = 1000
const last = () => app.s3.requestLog.entries().at(-1)?.seq ?? 0
const arrived = (since: number, count: number) =>
  until(`${count} parts arrived`, async () => partsPut(app, since).length >= count)

/** Slow enough to do something in the middle of it. */
async function begun(name: string, options: Parameters<ClientApp['uploader']>[1] = {}, parts = PARTS) {
  app.s3.faults.add({ operation: 'UploadPart', action: { kind: 'latency', ms: 120 } })
  const user = await app.user()
  const source = await app.file(name, (parts - 1) * 5 * MIB + LAST)
  const since = last()
  const uploader = app.uploader(user, { concurrency: 2, ...options })
  const handle = uploader.upload(source)
  await arrived(since, 2)
  return { user, source, since, uploader, handle }
}

async function expectWhole(handle: Awaited<ReturnType<typeof begun>>['handle'], source: { path: string }) {
  const result = await handle.settled()
  expect(result).toMatchObject({ state: 'done', error: null })
  const stored = app.s3.requestLog.objects().find((object) => object.key.includes(result.fileId!))
  expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
  expect(await drift(app.db)).toEqual([])
  return result
}

describe('the object store', () => {
  test('cut off in the middle: goes on when it is back', async () => {
    const { handle, source } = await begun('cut.mp4', { retry: { attempts: 50, baseMs: 20, maxMs: 50 } })
    await app.s3.down()
    await reach(handle, ({ bytesSent }) => [0, LAST].includes(bytesSent % (5 * MIB)))
    await app.s3.up()
    await expectWhole(handle, source)
  })

  test('away for good: fails as NETWORK, and retry() sends only what is missing', async () => {
    const { handle, source, since } = await begun('away.mp4')
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

  test('a storm of 503 SlowDown and broken connections: every part arrives', async () => {
    for (const action of [
      { kind: 'fail', code: 'SlowDown', status: 503, retryAfterSeconds: 0 } as const,
      { kind: 'drop', afterBytes: MIB } as const,
      { kind: 'drop', point: 'after' } as const,
    ])
      app.s3.faults.add({ operation: 'UploadPart', probability: 0.25, seed: 7, action })
    const { handle, source } = await begun('storm.mp4', { retry: { attempts: 30, baseMs: 10, maxMs: 50 } }, 4)
    await expectWhole(handle, source)
    const failures = app.s3.requestLog
      .entries()
      .filter((e) => e.operation === 'UploadPart' && e.status !== 200)
    expect(failures.length).toBeGreaterThan(0)
  })

  test('Retry-After is obeyed', async () => {
    app.s3.faults.add({
      operation: 'UploadPart',
      partNumber: 1,
      first: 1,
      action: { kind: 'fail', code: 'SlowDown', status: 503, retryAfterSeconds: 1 },
    })
    const { handle, source, since } = await begun('wait.mp4', {}, 4)
    await expectWhole(handle, source)
    const [refused, taken] = app.s3.requestLog.entries(since).filter((entry) => entry.partNumber === 1)
    expect([refused!.status, taken!.status]).toEqual([503, 200])
    expect(taken!.at - refused!.at).toBeGreaterThanOrEqual(1000)
  })

  test('expired URLs are replaced by fresh ones', async () => {
    const { handle, source, since } = await begun('expired.mp4')
    app.s3.faults.setClockOffset(2 * 3600_000)
    await app.s3.requestLog.waitFor(({ seq, status }) => seq > since && status === 403)
    app.s3.faults.setClockOffset(0)
    await expectWhole(handle, source)
    expect(app.calls.filter((call) => call === 'upload.getPartUrls').length).toBeGreaterThan(1)
  })

  test('that never accepts a URL: STORE_REFUSED with its code after a few fresh ones', async () => {
    app.s3.faults.add({ operation: 'UploadPart', action: { kind: 'fail', code: 'AccessDenied' } })
    const source = await app.file('denied.mp4', 10 * MIB + 1)
    const since = last()
    const result = await app
      .uploader(await app.user(), { concurrency: 1 })
      .upload(source)
      .settled()
    expect(result).toMatchObject({ state: 'failed', error: { code: 'STORE_REFUSED' } })
    expect(result.error!.message).toContain('403 AccessDenied')
    expect(app.s3.requestLog.entries(since).filter((e) => e.status === 403)).toHaveLength(4)
  })

  test('that stops reading: the attempt is given up and made again', async () => {
    app.s3.faults.add({ operation: 'UploadPart', first: 1, action: { kind: 'hold', name: 'stuck' } })
    const source = await app.file('stuck.mp4', 10 * MIB + 1)
    const handle = app
      .uploader(await app.user(), { limits: { stallMs: 400, responseMs: 400 } })
      .upload(source)
    expect((await handle.settled()).state).toBe('done')
    app.s3.faults.release()
  })

  test('that hides ETag: the server looks instead, and the operator is told how to mend it', async () => {
    const plain = nodeTransport()
    const transport = {
      put: async (r: Parameters<typeof plain.put>[0]) => ({ ...(await plain.put(r)), etag: null }),
    }
    const source = await app.file('hidden.mp4', 10 * MIB + 1)
    const handle = app.uploader(await app.user(), { transport }).upload(source)
    const result = await expectWhole(handle, source)
    plain.close()
    expect(result.warning).toMatch(/ExposeHeaders.*docs\/storage\.md/)
    expect(app.calls).not.toContain('upload.completePart')
  })
})

describe('the server', () => {
  test('never takes a report of a part: the file arrives all the same', async () => {
    app.intercept = (path) =>
      path.includes('completePart') ? new Response('no', { status: 502 }) : undefined
    const { handle, source } = await begun('unreported.mp4', {}, 4)
    await expectWhole(handle, source)
  })

  test('is restarted in the middle: calls are repeated, bytes are not', async () => {
    const { handle, source, since } = await begun('restart.mp4')
    app.intercept = () => new Response('<html>Bad gateway</html>', { status: 502 })
    await reach(handle, ({ state }) => state === 'verifying')
    app.intercept = undefined
    await expectWhole(handle, source)
    expect(partsPut(app, since)).toHaveLength(PARTS)
  })

  test('forgets the session: signed-out, no part lost, goes on after signing in', async () => {
    const { handle, source, since, uploader, user } = await begun('session.mp4')
    const token = user.token
    user.token = 'ended'
    const paused = await reach(handle, ({ state }) => state === 'paused')
    expect(paused.pauseReason).toBe('signed-out')
    expect(uploader.getSnapshot().signedOut).toBe(true)
    handle.resume()
    await reach(handle, ({ state }) => state !== 'paused')
    await reach(handle, ({ pauseReason }) => pauseReason === 'signed-out')
    user.token = token
    uploader.signedIn()
    await expectWhole(handle, source)
    expect(partsPut(app, since)).toHaveLength(PARTS)
  })

  test('names parts that are reported but not in the store: they are sent again', async () => {
    const { handle, source, user, since } = await begun('claimed.mp4')
    const { fileId } = handle.getSnapshot()
    handle.pause()
    await app.ok(user, 'upload.completePart', { fileId, partNumber: PARTS, etag: '"0123"' })
    const again = app.uploader(user).resumeFrom(fileId!, source)
    await expectWhole(again, source)
    expect(partsPut(app, since)).toContain(PARTS)
  })

  test('is no Pigeonhole at all: says so', async () => {
    app.intercept = () => new Response('<html>Hello</html>', { status: 404 })
    const source = await app.file('lost.png', 10)
    const result = await app
      .uploader(await app.user())
      .upload(source)
      .settled()
    expect(result.error!.message).toMatch(/does not answer like a Pigeonhole server \(HTTP 404\)/)
  })
})

test('a file that changes while it is sent ends the upload with the reason', async () => {
  const { handle, source } = await begun('changing.mp4')
  await appendFile(source.path, 'more')
  expect(await handle.settled()).toMatchObject({
    state: 'failed',
    error: { code: 'FILE_CHANGED', retryable: false },
  })
})

test.each([
  ['simple', 'upload.requestUploadUrl', MIB],
  ['multipart', 'upload.initiateMultipart', 10 * MIB + 1],
])(
  'a %s upload whose creating call’s answers were lost reserves nothing twice',
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
