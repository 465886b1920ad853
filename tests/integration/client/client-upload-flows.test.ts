import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { blobSource } from '@pigeonhole/client/browser'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { fileSource } from '@pigeonhole/client/node'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientApp, etagOf, MIB, partsPut, startClientApp } from '../../support/app/client-app.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { drift } from '../../support/app/upload-app.ts'

const policies = writePolicies({
  tables: { mimeTypes: ['text/*'], maxBytes: 50 },
  films: { mimeTypes: ['video/*'], maxBytes: 5 * 1024 * 1024 * MIB },
})
let app: ClientApp
beforeAll(async () => {
  app = await startClientApp({ UPLOAD_POLICIES_FILE: policies.path })
})
afterAll(async () => {
  await app?.close()
  policies.remove()
})
beforeEach(() => {
  app.intercept = undefined
  app.s3.faults.reset()
  app.calls.length = 0
})

describe('the flow depends on the size', () => {
  test('up to the simple limit: one PUT and a confirmation', async () => {
    const user = await app.user()
    const source = await app.file('small.mp4', SIMPLE_MAX_BYTES)
    const result = await app.uploader(user).upload(source).settled()
    expect(result).toMatchObject({
      state: 'done',
      mimeType: 'video/mp4',
      bytesSent: source.size,
      resumedBytes: 0,
      error: null,
      file: { filename: 'small.mp4', url: `http://app.test/files/${result.fileId}` },
    })
    expect(app.calls).toEqual(['account.usage', 'upload.requestUploadUrl', 'upload.confirmUpload'])
    const stored = app.s3.requestLog.objects().find((object) => object.key.includes(result.fileId!))
    expect(stored).toMatchObject({ size: source.size, etag: await etagOf(source), contentType: 'video/mp4' })
  })

  test('above it: parts of 5 MB, every byte once, and all parts reported', async () => {
    const user = await app.user()
    const source = await app.file('large.mov', SIMPLE_MAX_BYTES + 1)
    const result = await app.uploader(user).upload(source).settled()
    expect(result).toMatchObject({ state: 'done', mimeType: 'video/quicktime', bytesSent: source.size })
    expect(app.calls.filter((call) => call === 'upload.completePart')).toHaveLength(3)
    expect(app.calls.filter((call) => call === 'upload.getPartUrls')).toHaveLength(1)
    const stored = app.s3.requestLog.objects().find((object) => object.key.includes(result.fileId!))
    expect(stored).toMatchObject({ size: source.size, etag: await etagOf(source, 5 * MIB) })
    expect(await drift(app.db)).toEqual([])
  })
})

test('the totals count a finished upload in the task that publishes its end', async () => {
  const uploader = app.uploader(await app.user())
  const events: string[] = []
  const counted = new Promise<void>((resolve) => {
    uploader.subscribe(() => {
      if (uploader.getSnapshot().counts.done === 0) return
      events.push('counted')
      resolve()
    })
  })
  const upload = uploader.upload(await app.file('counted.mp4', 1000))
  upload.subscribe(() => {
    if (upload.getSnapshot().state !== 'done' || events.length > 0) return
    events.push('done')
    setImmediate(() => events.push('a later task'))
  })
  await counted
  expect(events).toEqual(['done', 'counted'])
})

describe('policy and data', () => {
  test('of the uploader, or of one upload, are those of the file', async () => {
    const user = await app.user()
    const uploader = app.uploader(user, { policy: 'tables', data: { order: 'A1' } })
    const table = await uploader.upload(await csv('a.csv', 50)).settled()
    expect(table).toMatchObject({ state: 'done', mimeType: 'text/csv' })
    const film = await app.file('policy.mp4', SIMPLE_MAX_BYTES + 1)
    const result = await uploader.upload(film, { policy: 'films', data: { n: 1 } }).settled()
    expect(result).toMatchObject({ state: 'done', error: null })
    expect((await app.ok(user, 'files.list')).items).toMatchObject([
      { id: result.fileId, policy: 'films', data: { n: 1 } },
      { id: table.fileId, policy: 'tables', data: { order: 'A1' } },
    ])
  })

  test('a file outside the policy, or an unknown policy, fails before a byte is sent', async () => {
    const user = await app.user()
    const uploader = app.uploader(user, { policy: 'tables' })
    const error = async (...upload: Parameters<typeof uploader.upload>) =>
      (await uploader.upload(...upload).settled()).error
    expect(await error(await app.file('policy.png', 40))).toMatchObject({
      code: 'TYPE_NOT_ALLOWED',
      message: 'Files of type image/png are not accepted. Choose one of: text/*.',
    })
    expect(await error(await csv('b.csv', 51))).toMatchObject({
      code: 'TOO_LARGE',
      message: 'The file is 51 bytes. The maximum is 50 bytes.',
    })
    expect(await error(await csv('c.csv', 5), { policy: 'nothing' })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('"nothing" is not one'),
    })
    expect(app.calls).not.toContain('upload.requestUploadUrl')
    expect(app.calls.filter((call) => call === 'upload.limits')).toHaveLength(2)
  })

  test('an unfinished upload continues only with the same policy and data', async () => {
    const user = await app.user()
    const film = await app.file('unfinished.mp4', SIMPLE_MAX_BYTES + 1)
    const stateDir = join(app.dir, 'policy-state')
    const first = app.uploader(user, { stateDir })
    const options = { policy: 'films', data: { n: 1 } }
    app.intercept = (path) =>
      path === 'upload.getPartUrls' ? new Response(null, { status: 503 }) : undefined
    const { state: stopped, fileId } = await first.upload(film, options).settled()
    expect(stopped).toBe('failed')
    await first.close()
    app.intercept = undefined
    const second = app.uploader(user, { stateDir })
    expect(await second.unfinished()).toMatchObject([{ fileId, ...options }])
    for (const other of [{ policy: 'films', data: { n: 2 } }, { policy: 'films' }, {}]) {
      const { state, fileId: id } = await second.upload(film, other).settled()
      expect([state, id === fileId]).toEqual(['done', false])
    }
    expect(await second.upload(film, options).settled()).toMatchObject({ state: 'done', fileId })
  })

  async function csv(name: string, size: number) {
    const path = join(app.dir, name)
    await writeFile(path, 'a'.repeat(size))
    return fileSource(path)
  }
})

test('85 MB in 18 parts are uploaded completely, with few calls and increasing progress', async () => {
  const user = await app.user()
  const source = await app.file('long.mp4', 17 * 5 * MIB + 1000)
  const before = app.s3.requestLog.entries().at(-1)?.seq
  const handle = app.uploader(user, { concurrency: 6 }).upload(source)
  const seen: number[] = []
  handle.subscribe(() => seen.push(handle.getSnapshot().bytesSent))
  const result = await handle.settled()
  expect(result).toMatchObject({ state: 'done', bytesSent: source.size })
  expect(partsPut(app, before).sort((a, b) => a - b)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1))
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  // The client requests 16 URLs first, then as many as the speed requires.
  expect(app.calls.filter((call) => call === 'upload.getPartUrls').length).toBeLessThanOrEqual(3)
  const stored = app.s3.requestLog.objects().find((object) => object.key.includes(result.fileId!))
  expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
})

describe('an upload waits only for what it needs', () => {
  test('the usage is requested while the file is read', async () => {
    const asked = Promise.withResolvers<void>()
    app.intercept = (path) => void (path === 'account.usage' && asked.resolve())
    const source = await app.file('read.png', 1000)
    const slice = (start: number, end: number) => {
      const chunk = source.slice(start, end)
      const stream = async function* () {
        await asked.promise
        yield* chunk.stream()
      }
      return { ...chunk, stream }
    }
    const handle = app.uploader(await app.user()).upload({ ...source, slice })
    expect((await handle.settled()).state).toBe('done')
  })

  test('part URLs are signed while the upload’s ID is saved, and no byte is sent before that', async () => {
    const stored = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    app.intercept = (path) => void (path === 'upload.getPartUrls' && asked.resolve())
    const before = app.s3.requestLog.entries().at(-1)?.seq
    const store = {
      ...{ get: async () => undefined, put: () => stored.promise, remove: async () => {} },
      ...{ list: async () => [], claim: async () => () => {} },
    }
    const uploader = app.uploader(await app.user(), { store })
    const handle = uploader.upload(await app.file('remembered.mov', SIMPLE_MAX_BYTES + 1))
    await asked.promise
    // Long enough for the first PUTs to start if nothing delayed them.
    await sleep(200)
    expect(partsPut(app, before)).toEqual([])
    stored.resolve()
    expect((await handle.settled()).state).toBe('done')
    expect(partsPut(app, before)).toHaveLength(3)
  })

  test('the last reports and the completion run at the same time', async () => {
    const completing = Promise.withResolvers<void>()
    let reportedAt: number | undefined
    let waitedMs: number | undefined
    app.intercept = async (path) => {
      if (path === 'upload.completeMultipart') {
        waitedMs ??= performance.now() - (reportedAt ?? performance.now())
        completing.resolve()
      }
      if (path.startsWith('upload.completePart')) {
        reportedAt ??= performance.now()
        await completing.promise
      }
      return undefined
    }
    const handle = app.uploader(await app.user()).upload(await app.file('parts.mov', SIMPLE_MAX_BYTES + 1))
    expect((await handle.settled()).state).toBe('done')
    expect(app.calls.filter((call) => call === 'upload.completePart')).toHaveLength(3)
    // A completion that waited for the reports would start a minute later, when they time out.
    expect(waitedMs).toBeLessThan(50_000)
  })

  test('the thumbnail is created while the server checks the file, not earlier', async () => {
    const thumbnailStarted = Promise.withResolvers<void>()
    app.intercept = async (path) => {
      if (path === 'upload.completeMultipart') await thumbnailStarted.promise
      return undefined
    }
    const film = await app.file('film.mp4', SIMPLE_MAX_BYTES + 1)
    const source = blobSource(new File([await openAsBlob(film.path)], 'film.mp4'))
    const uploader = app.uploader(await app.user(), {
      makeThumbnail: async () => {
        expect(handle.getSnapshot()).toMatchObject({ state: 'verifying', bytesSent: source.size })
        thumbnailStarted.resolve()
        return null
      },
    })
    const handle = uploader.upload(source)
    expect((await handle.settled()).state).toBe('done')
  })
})

test('larger parts can be requested', async () => {
  const user = await app.user()
  const source = await app.file('few.mp4', 16 * MIB + 1000)
  const before = app.s3.requestLog.entries().at(-1)?.seq
  const result = await app
    .uploader(user, { partBytes: 8 * MIB })
    .upload(source)
    .settled()
  expect(result.state).toBe('done')
  expect(partsPut(app, before)).toHaveLength(3)
})

describe('rejects before it sends a byte', () => {
  test.each([
    ['an unknown type', 'notes.xyz', 10, 'TYPE_NOT_ALLOWED', /unknown type.*JPEG/],
    ['an empty file', 'empty.png', 0, 'EMPTY_FILE', /at least 1 byte/],
  ])('%s, at once and without a call', async (_what, name, size, code, message) => {
    const user = await app.user()
    const snapshot = app
      .uploader(user)
      .upload(await app.file(name, size))
      .getSnapshot()
    expect(snapshot).toMatchObject({ state: 'failed', error: { code, retryable: false } })
    expect(snapshot.error!.message).toMatch(message)
    expect(app.calls).toEqual([])
  })

  test('a file that exceeds the quota, with figures; after files are deleted, retry() uploads it', async () => {
    const user = await app.user({ quotaBytes: 3 * MIB })
    const uploader = app.uploader(user)
    const first = await uploader.upload(await app.file('first.png', 2 * MIB)).settled()
    const handle = uploader.upload(await app.file('second.png', 2 * MIB))
    const rejected = await handle.settled()
    expect(rejected).toMatchObject({ state: 'failed', error: { code: 'QUOTA_EXCEEDED', retryable: true } })
    expect(rejected.error!.message).toMatch(/needs 2 MB, but only 1 MB of your 3 MB is free/)
    expect(app.calls.filter((call) => call === 'upload.requestUploadUrl')).toHaveLength(1)
    // A deleted simple file counts against the quota until its URL has expired.
    await app.db.query("UPDATE files SET url_expires_at = now() - interval '2 minutes' WHERE id = $1", [
      first.fileId,
    ])
    await app.ok(user, 'files.delete', { fileId: first.fileId })
    handle.retry()
    expect((await handle.settled()).state).toBe('done')
  })

  test('content that clearly has a different type', async () => {
    const user = await app.user()
    const source = await app.file('film.png', 1000, 'mp4')
    app.calls.length = 0
    const result = await app.uploader(user).upload(source).settled()
    expect(result).toMatchObject({ state: 'failed', error: { code: 'CONTENT_MISMATCH', retryable: false } })
    expect(app.calls.filter((call) => call.startsWith('upload.'))).toEqual([])
  })
})

test('many files share the connections, and all are uploaded', async () => {
  const user = await app.user()
  const uploader = app.uploader(user, { concurrency: 3 })
  const sources = await Promise.all(Array.from({ length: 12 }, (_, i) => app.file(`n${i}.jpg`, 1000 + i)))
  const handles = sources.map((source) => uploader.upload(source))
  expect(uploader.getSnapshot()).toMatchObject({ counts: { starting: 3, queued: 9 } })
  const results = await Promise.all(handles.map((handle) => handle.settled()))
  expect(results.map((one) => one.file?.filename)).toEqual(results.map((one) => one.name))
  expect(uploader.getSnapshot()).toMatchObject({ counts: { done: 12, queued: 0 } })
  uploader.remove()
  expect(uploader.getSnapshot().uploads).toEqual([])
})
