import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { UnfinishedUpload, UnfinishedUploadStore, Uploader } from '@pigeonhole/client/node'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientApp, etagOf, MIB, partsPut, startClientApp } from '../../support/app/client-app.ts'
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
})

/** A store of unfinished uploads without locks. */
function memory(): UnfinishedUploadStore {
  const entries = new Map<string, UnfinishedUpload>()
  return {
    get: async (fingerprint) => entries.get(fingerprint),
    put: async (entry) => void entries.set(entry.fingerprint, entry),
    remove: async (fingerprint) => void entries.delete(fingerprint),
    list: async () => [...entries.values()],
    claim: async () => () => {},
  }
}

const PARTS = 5
/** The last part is small, because 5 MiB take 0.1 s of CPU. */
const SIZE = (PARTS - 1) * 5 * MIB + 1000
const last = () => app.s3.requestLog.entries().at(-1)?.seq ?? 0
/** Checks that no part with a response was sent again. Ignores stored parts whose response was cut off. */
function eachOnce(since: number) {
  const put = partsPut(app, since)
  expect(put.toSorted()).toEqual([...new Set(put)].toSorted())
  expect(put.length).toBeGreaterThanOrEqual(PARTS - 2)
}
const inProgress = (fileId: string) =>
  app.s3.requestLog.uploads().filter((upload) => upload.key.includes(fileId))

async function startUpload(name: string, options: Parameters<ClientApp['uploader']>[1] = {}) {
  app.s3.faults.add({ operation: 'UploadPart', action: { kind: 'latency', ms: 120 } })
  const user = await app.user()
  const source = await app.file(name, SIZE)
  const since = last()
  const uploader = app.uploader(user, { concurrency: 2, ...options })
  const handle = uploader.upload(source)
  await until('two parts have arrived', async () => partsPut(app, since).length >= 2)
  return { user, source, since, uploader, handle }
}

describe('pause', () => {
  /** Starts an upload whose parts 3 and 4 are in flight until `app.s3.faults.release()`. */
  async function inFlight(name: string) {
    for (const partNumber of [3, 4])
      app.s3.faults.add({
        operation: 'UploadPart',
        partNumber,
        first: 1,
        action: { kind: 'hold', name: 'held' },
      })
    const started = await startUpload(name)
    await until('both are in progress', async () => app.s3.faults.held().length === 2)
    return started
  }

  test('lets parts in flight finish, starts no other one, and resume() sends the rest', async () => {
    const { handle, uploader, source, since } = await inFlight('pausing.mp4')
    handle.pause()
    const pausing = { state: 'pausing', pauseReason: 'user', speedBytesPerSecond: 0 }
    expect(handle.getSnapshot()).toMatchObject(pausing)
    expect(uploader.getSnapshot().counts).toMatchObject({ pausing: 1, paused: 0 })
    app.s3.faults.release()
    await until('it is paused', async () => handle.getSnapshot().state === 'paused')
    expect(partsPut(app, since).toSorted()).toEqual([1, 2, 3, 4])
    expect(handle.getSnapshot().bytesSent).toBe(4 * 5 * MIB)
    handle.resume()
    const result = await handle.settled()
    expect(result.state).toBe('done')
    expect(partsPut(app, since).toSorted()).toEqual([1, 2, 3, 4, 5])
    const stored = app.s3.requestLog.objects().find((object) => object.key.includes(result.fileId!))
    expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
  })

  test('and resume() during it interrupt nothing', async () => {
    const { handle, since } = await inFlight('unpaused.mp4')
    handle.pause()
    handle.resume()
    expect(handle.getSnapshot().state).toBe('uploading')
    app.s3.faults.release()
    expect((await handle.settled()).state).toBe('done')
    expect(partsPut(app, since).toSorted()).toEqual([1, 2, 3, 4, 5])
  })

  test('of a simple upload lets its bytes finish; resume() confirms them', async () => {
    app.s3.faults.add({ operation: 'PutObject', action: { kind: 'hold', name: 'put' } })
    const user = await app.user()
    const handle = app.uploader(user).upload(await app.file('whole.png', 1000))
    await app.s3.faults.waitForHeld('put')
    handle.pause()
    expect(handle.getSnapshot().state).toBe('pausing')
    app.s3.faults.release()
    await until('it is paused', async () => handle.getSnapshot().state === 'paused')
    expect(app.calls).not.toContain('upload.confirmUpload')
    handle.resume()
    expect((await handle.settled()).state).toBe('done')
  })

  test.each(['a second pause()', 'pauseAll() after pauseAll()'])(
    '%s interrupts the parts in flight',
    async (how) => {
      const { handle, uploader, since } = await inFlight('interrupted.mp4')
      const pause = () => (how.startsWith('pauseAll') ? uploader.pauseAll() : handle.pause())
      pause()
      expect(handle.getSnapshot().state).toBe('pausing')
      pause()
      expect(handle.getSnapshot().state).toBe('paused')
      app.s3.faults.release()
      await until('both are aborted', async () =>
        [3, 4].every((n) => app.s3.requestLog.entries(since).some((e) => e.partNumber === n && e.aborted)),
      )
      expect(partsPut(app, since).toSorted()).toEqual([1, 2])
    },
  )

  test('can be followed by cancel() while parts are in flight', async () => {
    const { handle, user, since } = await inFlight('cancelled.mp4')
    handle.pause()
    handle.cancel()
    expect(handle.getSnapshot().state).toBe('cancelled')
    await until('the quota is released', async () => (await app.ok(user, 'account.usage')).reserved === 0)
    app.s3.faults.release()
    expect(partsPut(app, since).toSorted()).toEqual([1, 2])
  })

  test('pauseAll() does not interrupt an upload that is pausing while another one can be paused', async () => {
    const { handle, uploader, since } = await inFlight('first-of-two.mp4')
    handle.pause()
    const second = uploader.upload(await app.file('second-of-two.png', 100))
    uploader.pauseAll()
    expect([handle, second].map((one) => one.getSnapshot().state)).toEqual(['pausing', 'paused'])
    app.s3.faults.release()
    await until('it is paused', async () => handle.getSnapshot().state === 'paused')
    expect(partsPut(app, since).toSorted()).toEqual([1, 2, 3, 4])
  })

  test('in any quick succession with resume(), each part is sent once; with cancel(), nothing is left', async () => {
    const step = fc.constantFrom('pause', 'resume', 'pauseAll', 'resumeAll')
    const steps = fc.array(fc.tuple(step, fc.integer({ min: 0, max: 40 })), { minLength: 2, maxLength: 12 })
    const run = async (acts: [string, number][], isCanceled: boolean) => {
      const { handle, uploader, since, source, user } = await startUpload('succession.mp4')
      for (const [act, ms] of acts) {
        // A second pause would interrupt.
        const { state } = handle.getSnapshot()
        if (act === 'pause' && state !== 'pausing') handle.pause()
        if (act === 'pauseAll' && state !== 'pausing') uploader.pauseAll()
        if (act === 'resume') handle.resume()
        if (act === 'resumeAll') uploader.resumeAll()
        if (ms > 0) await setTimeout(ms)
      }
      if (isCanceled) {
        handle.cancel()
        // An upload that was done before stays.
        if ((await handle.settled()).state === 'cancelled')
          await until('nothing is left', async () => (await app.ok(user, 'account.usage')).reserved === 0)
      } else {
        handle.resume()
        const { fileId } = await handle.settled()
        const stored = app.s3.requestLog.objects().find((object) => object.key.includes(fileId!))
        expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
        expect(partsPut(app, since).toSorted()).toEqual([1, 2, 3, 4, 5])
      }
      expect(uploader.getSnapshot().counts).toMatchObject({ pausing: 0, paused: 0, uploading: 0 })
    }
    await fc.assert(fc.asyncProperty(steps, fc.boolean(), run), { numRuns: 5 })
  })

  test('a second call stops sending at once and keeps stored parts; resume() sends the rest', async () => {
    const { handle, source, since } = await inFlight('pause.mp4')
    handle.pause()
    handle.pause()
    expect(handle.getSnapshot()).toMatchObject({ state: 'paused', pauseReason: 'user' })
    app.s3.faults.release()
    await until('both are aborted', async () =>
      [3, 4].every((n) => app.s3.requestLog.entries(since).some((e) => e.partNumber === n && e.aborted)),
    )
    expect(partsPut(app, since).sort()).toEqual([1, 2])
    handle.resume()
    const result = await handle.settled()
    expect(result.state).toBe('done')
    expect(partsPut(app, since).sort()).toEqual([1, 2, 3, 4, 5])
    const stored = app.s3.requestLog.objects().find((object) => object.key.includes(result.fileId!))
    expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
  })

  test('lets another file continue meanwhile; a resumed one waits for its turn again', async () => {
    const { handle, uploader } = await startUpload('first.mp4', { parallelFiles: 1, concurrency: 2 })
    const second = uploader.upload(await app.file('second.mp4', SIMPLE_MAX_BYTES + 1))
    expect(second.getSnapshot().state).toBe('queued')
    handle.pause()
    expect(second.getSnapshot().state).toBe('starting')
    handle.resume()
    expect(handle.getSnapshot().state).toBe('queued')
    expect((await second.settled()).state).toBe('done')
    expect((await handle.settled()).state).toBe('done')
  })

  test('before a file has started makes no calls', async () => {
    const uploader = app.uploader(await app.user(), { parallelFiles: 1 })
    const [one, two] = await Promise.all([app.file('a.png', 100), app.file('b.png', 100)])
    const first = uploader.upload(one)
    const second = uploader.upload(two)
    second.pause()
    expect((await first.settled()).state).toBe('done')
    expect(second.getSnapshot()).toMatchObject({ state: 'paused', fileId: null })
    second.resume()
    expect((await second.settled()).state).toBe('done')
  })
})

describe('cancel', () => {
  test('aborts the upload in the store and releases the quota', async () => {
    const { handle, user, uploader } = await startUpload('cancel.mp4')
    const { fileId } = handle.getSnapshot()
    handle.cancel()
    expect(handle.getSnapshot().state).toBe('cancelled')
    expect(await handle.settled()).toMatchObject({ state: 'cancelled', error: null })
    await until('the store has removed the parts', async () => inProgress(fileId!).length === 0)
    await until('the quota is released', async () => (await app.ok(user, 'account.usage')).reserved === 0)
    expect(await uploader.unfinished()).toEqual([])
  })

  test('while the server creates the upload: it is aborted as soon as its ID is known', async () => {
    app.s3.faults.add({ operation: 'CreateMultipartUpload', action: { kind: 'hold', name: 'create' } })
    const user = await app.user()
    const handle = app.uploader(user).upload(await app.file('early.mp4', SIMPLE_MAX_BYTES + MIB))
    await app.s3.faults.waitForHeld('create')
    handle.cancel()
    expect(handle.getSnapshot().state).toBe('cancelled')
    app.s3.faults.release('create')
    await until('it is aborted at the server', async () => app.calls.includes('upload.abortMultipart'))
    await until('the quota is released', async () => (await app.ok(user, 'account.usage')).reserved === 0)
    expect(await drift(app.db)).toEqual([])
  })

  test('while a finished upload removes its record: the file is deleted, and the upload ends as cancelled', async () => {
    const user = await app.user()
    const uploader: Uploader = app.uploader(user, {
      store: { ...memory(), remove: async () => uploader.cancelAll() },
    })
    const handle = uploader.upload(await app.file('late.png', 1000))
    expect((await handle.settled()).state).toBe('cancelled')
    await uploader.close()
    expect(handle.getSnapshot()).toMatchObject({ state: 'cancelled', file: null })
    expect((await app.ok(user, 'files.list')).items).toEqual([])
  })

  test('of a simple upload removes its record', async () => {
    app.s3.faults.add({ operation: 'PutObject', action: { kind: 'hold', name: 'put' } })
    const user = await app.user()
    const handle = app.uploader(user).upload(await app.file('simple.png', 1000))
    await app.s3.faults.waitForHeld('put')
    handle.cancel()
    app.s3.faults.release()
    await until('no record is left', async () => (await app.ok(user, 'files.list')).items.length === 0)
  })
})

describe('resume', () => {
  let run = 0
  let dir = ''
  const stateDir = () => dir
  beforeEach(() => {
    dir = join(app.dir, `state-${++run}`)
  })

  test('in another run, the same file continues with the parts in the store, reported or not', async () => {
    const { source, since, uploader, user, handle } = await startUpload('again.mp4', { stateDir: stateDir() })
    await uploader.close()
    expect(handle.getSnapshot().state).toBe('paused')
    await app.db.query('DELETE FROM file_parts WHERE part_number % 2 = 0')
    const second = app.uploader(user, { stateDir: stateDir() })
    expect(await second.unfinished()).toMatchObject([{ name: 'again.mp4', size: source.size }])
    const before = partsPut(app, since)
    const result = await second.upload(source).settled()
    expect(result).toMatchObject({ state: 'done', fileId: handle.getSnapshot().fileId })
    expect(result.resumedBytes).toBeGreaterThanOrEqual(before.filter((n) => n < PARTS).length * 5 * MIB)
    eachOnce(since)
    expect(await second.unfinished()).toEqual([])
  })

  test('an aborted or unknown upload starts over', async () => {
    const { source, uploader, user, handle } = await startUpload('restart.mp4', { stateDir: stateDir() })
    await uploader.close()
    const { fileId } = handle.getSnapshot()
    await app.ok(user, 'upload.abortMultipart', { fileId })
    const result = await app.uploader(user, { stateDir: stateDir() }).upload(source).settled()
    expect(result).toMatchObject({ state: 'done', resumedBytes: 0 })
    expect(result.fileId).not.toBe(fileId)
  })

  test('a simple upload whose bytes are stored is only confirmed', async () => {
    const user = await app.user()
    app.intercept = (path) =>
      path === 'upload.confirmUpload' ? new Response('', { status: 502 }) : undefined
    const first = app.uploader(user, { stateDir: stateDir() })
    const source = await app.file('confirm.png', 5000)
    const failed = await first.upload(source).settled()
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'SERVER_ERROR' } })
    await first.close()
    app.intercept = undefined
    const since = last()
    const result = await app.uploader(user, { stateDir: stateDir() }).upload(source).settled()
    expect(result).toMatchObject({ state: 'done', fileId: failed.fileId })
    expect(app.s3.requestLog.entries(since).filter((e) => e.auth === 'presigned')).toEqual([])
  })

  test('on another device, the file ID resumes the upload; another file is rejected', async () => {
    const { source, since, uploader, user, handle } = await startUpload('device.mp4')
    await uploader.close()
    const { fileId } = handle.getSnapshot()
    const device = app.uploader(user)
    const other = await app.file('other.mp4', SIZE + 1)
    expect(await device.resumeFrom(fileId!, other).settled()).toMatchObject({
      state: 'failed',
      error: { code: 'DIFFERENT_FILE' },
    })
    expect(await device.resumeFrom(fileId!, source).settled()).toMatchObject({ state: 'done', fileId })
    eachOnce(since)
    const stranger = app.uploader(await app.user())
    expect(await stranger.resumeFrom(fileId!, source).settled()).toMatchObject({
      error: { code: 'NOT_FOUND' },
    })
  })

  test('adding the same file twice at once starts two uploads', async () => {
    const uploader = app.uploader(await app.user(), { stateDir: stateDir() })
    const source = await app.file('twice.mp4', SIMPLE_MAX_BYTES + 1)
    const results = await Promise.all([uploader.upload(source).settled(), uploader.upload(source).settled()])
    expect(results.map((one) => one.state)).toEqual(['done', 'done'])
    expect(results[0]!.fileId).not.toBe(results[1]!.fileId)
  })

  test.each(['runs', 'is done', 'is done, even during a retry'])(
    'cancel() of a failed upload leaves the file alone if the upload that continued it %s',
    async (what) => {
      const user = await app.user()
      const [first, second] = [1, 2].map(() => app.uploader(user, { stateDir: stateDir() }))
      const source = await app.file('continued.png', 1000)
      app.intercept = (path) =>
        path === 'upload.confirmUpload' ? new Response('', { status: 502 }) : undefined
      const failed = first!.upload(source)
      expect((await failed.settled()).state).toBe('failed')

      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      let held = what === 'runs' ? 'upload.confirmUpload' : ''
      app.intercept = async (path) => {
        // Only the first call: cancel() can ask for the status, too.
        if (path === held && app.calls.filter((call) => call === held).length === 1) await released
        return undefined
      }
      const isHeld = async () => app.calls.includes(held)
      app.calls.length = 0
      const other = second!.upload(source)
      if (held) await until('it is being confirmed', isHeld)
      else expect((await other.settled()).state).toBe('done')
      if (what.endsWith('retry')) {
        held = 'upload.status'
        app.calls.length = 0
        failed.retry()
        await until('it looks for its upload', isHeld)
      }
      failed.cancel()
      await first!.close()
      release()
      expect(await other.settled()).toMatchObject({ state: 'done', fileId: failed.getSnapshot().fileId })
      expect((await app.ok(user, 'files.list')).items).toMatchObject([{ state: 'READY' }])
    },
  )

  const broken = async () => {
    throw new Error('The storage does not respond')
  }
  test.each<[string, Partial<UnfinishedUploadStore>, Partial<UnfinishedUploadStore>]>([
    ['could not save it', { put: broken }, {}],
    ['cannot read its entry', {}, { get: broken }],
    ['cannot remove its entry', {}, { remove: broken }],
    ['has lost its entry', {}, { get: async () => undefined }],
  ])('cancel() of a failed upload aborts it on the server if the store %s', async (_, before, later) => {
    const user = await app.user()
    const store = { ...memory(), ...before }
    app.intercept = (path) =>
      path === 'upload.confirmUpload' ? new Response('', { status: 502 }) : undefined
    const uploader = app.uploader(user, { store })
    const failed = uploader.upload(await app.file('forgotten.png', 1000))
    expect((await failed.settled()).state).toBe('failed')
    expect((await app.ok(user, 'files.list')).items).toHaveLength(1)
    Object.assign(store, later)
    failed.cancel()
    await uploader.close()
    expect((await app.ok(user, 'files.list')).items).toEqual([])
  })

  test('cancel() of a failed upload leaves its finished file alone if the store fails', async () => {
    const user = await app.user()
    const store = memory()
    app.intercept = (path) =>
      path === 'upload.confirmUpload' ? new Response('', { status: 502 }) : undefined
    const uploader = app.uploader(user, { store })
    const source = await app.file('finished-by-another.png', 1000)
    const failed = uploader.upload(source)
    expect((await failed.settled()).state).toBe('failed')
    app.intercept = undefined
    expect((await uploader.upload(source).settled()).fileId).toBe(failed.getSnapshot().fileId)
    store.get = broken
    failed.cancel()
    await uploader.close()
    expect((await app.ok(user, 'files.list')).items).toMatchObject([{ state: 'READY' }])
  })

  test('discard() leaves a file alone that another page has finished in the meantime', async () => {
    const { uploader, user, source } = await startUpload('finished.mp4', { stateDir: stateDir() })
    await uploader.close()
    const second = app.uploader(user, { stateDir: stateDir() })
    const [entry] = await second.unfinished()
    const third = app.uploader(user, { stateDir: stateDir() })
    expect((await third.upload(source).settled()).state).toBe('done')
    await second.discard(entry!)
    expect((await app.ok(user, 'files.list')).items).toMatchObject([{ state: 'READY' }])
  })

  test('discard() also aborts an unfinished upload on the server', async () => {
    const { uploader, user, handle } = await startUpload('discard.mp4', { stateDir: stateDir() })
    await uploader.close()
    const second = app.uploader(user, { stateDir: stateDir() })
    const [entry] = await second.unfinished()
    await second.discard(entry!)
    expect(inProgress(handle.getSnapshot().fileId!)).toEqual([])
    expect(await second.unfinished()).toEqual([])
  })
})

/** A network that the test cuts and connects. */
function switchable() {
  let online = true
  let changed = () => {}
  return {
    connection: {
      online: () => online,
      subscribe: (callback: () => void) => {
        changed = callback
        return () => {}
      },
    },
    set(isOnline: boolean) {
      online = isOnline
      changed()
    },
  }
}

test('offline, pauseAll() pauses an upload that waits for the network, and resume() lets it wait again', async () => {
  const network = switchable()
  const { handle, uploader } = await startUpload('waiting.mp4', { connection: network.connection })
  network.set(false)
  expect(handle.getSnapshot()).toMatchObject({ state: 'paused', pauseReason: 'offline' })
  uploader.pauseAll()
  expect(handle.getSnapshot()).toMatchObject({ state: 'paused', pauseReason: 'user' })
  network.set(true)
  expect(handle.getSnapshot()).toMatchObject({ state: 'paused', pauseReason: 'user' })
  network.set(false)
  handle.resume()
  expect(handle.getSnapshot().state).toBe('queued')
  network.set(true)
  expect((await handle.settled()).state).toBe('done')
})

test('offline, an upload that the server verifies cannot be paused, and is done once the network returns', async () => {
  const network = switchable()
  const verification = Promise.withResolvers<Response>()
  app.intercept = (path) => (path === 'upload.confirmUpload' ? verification.promise : undefined)
  const uploader = app.uploader(await app.user(), { connection: network.connection })
  const handle = uploader.upload(await app.file('verified.png', 5000))
  await until('the server verifies', async () => handle.getSnapshot().state === 'verifying')
  network.set(false)
  handle.pause()
  uploader.pauseAll()
  expect(handle.getSnapshot()).toMatchObject({ state: 'paused', pauseReason: 'offline', bytesSent: 5000 })
  app.intercept = undefined
  verification.resolve(new Response(null, { status: 502 }))
  network.set(true)
  expect((await handle.settled()).state).toBe('done')
})

test.each(['everything', 'an upload that is pausing'])(
  'going offline pauses %s, and going online resumes it',
  async (what) => {
    const isPausing = what !== 'everything'
    const network = switchable()
    const { connection } = network
    const { handle, uploader, since } = await startUpload('offline.mp4', { connection })
    if (isPausing) handle.pause()
    network.set(false)
    const later = uploader.upload(await app.file('later.png', 100))
    expect(handle.getSnapshot()).toMatchObject({
      state: 'paused',
      pauseReason: isPausing ? 'user' : 'offline',
    })
    expect(later.getSnapshot().state).toBe('queued')
    expect(uploader.getSnapshot().online).toBe(false)
    network.set(true)
    handle.resume()
    expect((await handle.settled()).state).toBe('done')
    expect((await later.settled()).state).toBe('done')
    expect(new Set(partsPut(app, since)).size).toBe(PARTS)
  },
)

test('a snapshot never changes, and a thousand queued files use neither disk nor network', async () => {
  const uploader = app.uploader(await app.user(), { parallelFiles: 1 })
  uploader.pauseAll()
  const blocker = await app.file('blocker.png', 100)
  app.s3.faults.add({ operation: 'PutObject', first: 1, action: { kind: 'hold', name: 'first' } })
  const first = uploader.upload(blocker)
  await app.s3.faults.waitForHeld('first')
  let notified = 0
  uploader.subscribe(() => notified++)
  let touched = 0
  const handles = Array.from({ length: 1000 }, (_, i) => {
    const slice: typeof blocker.slice = (start, end) => {
      touched++
      return blocker.slice(start, end)
    }
    return uploader.upload({ ...blocker, name: `${i}.png`, slice })
  })
  const snapshot = uploader.getSnapshot()
  expect(snapshot).toMatchObject({ counts: { queued: 1000 }, size: 100_100 })
  expect(uploader.getSnapshot()).toBe(snapshot)
  uploader.pauseAll()
  expect(snapshot.counts.queued).toBe(1000)
  expect(uploader.getSnapshot().counts).toMatchObject({ queued: 0, pausing: 1, paused: 1000 })
  uploader.cancelAll()
  expect(uploader.getSnapshot().counts.cancelled).toBe(1001)
  await until('listeners were called', async () => notified > 0)
  expect(notified).toBeLessThan(10)
  expect(touched).toBe(0)
  expect(handles[0]!.getSnapshot().state).toBe('cancelled')
  app.s3.faults.release()
  await first.settled()
})
