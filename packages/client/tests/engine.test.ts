import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createClient } from '../src/client.ts'
import { createBrowserUploader } from '../src/upload/browser.ts'
import { PauseController } from '../src/upload/engine/pause-controller.ts'
import { backoffMs, DEFAULT_RETRY, retry } from '../src/upload/engine/retry.ts'
import { RetryableError, SignedOutError, UploadError } from '../src/upload/errors.ts'
import { PartUrls } from '../src/upload/flows/part-urls.ts'
import { Progress, secondsLeft } from '../src/upload/progress/progress.ts'
import { totalsOf } from '../src/upload/progress/totals.ts'
import { fingerprintOf } from '../src/upload/resume/fingerprint.ts'
import {
  classifyResponse,
  retryAfterMs,
  UploadGoneError,
  UrlRejectedError,
} from '../src/upload/transport/classify-response.ts'
import type { RetryWait, UploadHandle, UploadSource, UploadState } from '../src/upload/types.ts'

const never = new AbortController().signal
const transient = (retryAfterMs?: number) =>
  new RetryableError(new UploadError('NETWORK', 'no'), retryAfterMs)

test('a server that renders a page can load the module that creates its uploader', () => {
  expect(createBrowserUploader(createClient()).getSnapshot()).toMatchObject({ uploads: [], online: true })
})

describe('the store’s response', () => {
  const response = (status: number, code = '', retryAfter: string | null = null) => ({
    ...{ status, etag: null, retryAfter },
    text: code && `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
  })

  test.each([
    [500, 'InternalError', RetryableError],
    [503, 'SlowDown', RetryableError],
    [429, '', RetryableError],
    [408, '', RetryableError],
    [400, 'RequestTimeout', RetryableError],
    [409, 'OperationAborted', RetryableError],
    [403, 'AccessDenied', UrlRejectedError],
    [403, 'SignatureDoesNotMatch', UrlRejectedError],
    [400, 'ExpiredToken', UrlRejectedError],
    [404, 'NoSuchUpload', UploadGoneError],
    [400, 'EntityTooLarge', UploadError],
    [404, 'NoSuchBucket', UploadError],
    [411, '', UploadError],
  ])('%i %s has its own kind of error', (status, code, kind) => {
    expect(() => classifyResponse(response(status, code))).toThrow(kind)
  })

  test('2xx is success, and Retry-After is read as seconds or date', () => {
    expect(classifyResponse(response(204))).toBeUndefined()
    expect(() => classifyResponse(response(503, '', '7'))).toThrow(
      expect.objectContaining({ retryAfterMs: 7000 }),
    )
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:05 GMT', now)).toBe(5000)
    expect([retryAfterMs('soon'), retryAfterMs(null), retryAfterMs('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('retries', () => {
  const policy = { attempts: 3, baseMs: 1, maxMs: 2 }
  const retrying = (
    pauseController = new PauseController(),
    signal: AbortSignal = never,
    successes = () => 0,
  ) => ({
    ...{ pauseController, signal, successes, policy },
    onSignedOut: () => {
      pauseController.pause('signed-out')
      queueMicrotask(() => pauseController.resume('signed-out'))
    },
  })

  test('delays grow up to the limit, and jitter only shortens them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, random) => {
          const longest = Math.min(DEFAULT_RETRY.maxMs, DEFAULT_RETRY.baseMs * 2 ** (n - 1))
          const ms = backoffMs(n, DEFAULT_RETRY, () => random)
          expect(ms).toBeGreaterThanOrEqual(longest / 2)
          expect(ms).toBeLessThanOrEqual(longest)
        },
      ),
    )
  })

  test('the last attempt fails with the error for the user', async () => {
    let tries = 0
    const work = async () => {
      tries++
      throw transient()
    }
    await expect(retry(retrying(), work)).rejects.toMatchObject({ code: 'NETWORK' })
    expect(tries).toBe(3)
  })

  test('retries continue as long as other parts succeed', async () => {
    let tries = 0
    const work = async () => {
      if (++tries < 20) throw transient()
      return tries
    }
    expect(
      await retry(
        retrying(new PauseController(), never, () => tries),
        work,
      ),
    ).toBe(20)
  })

  test('every wait reports its time, its reason and its end', async () => {
    const waits: string[] = []
    const onWait = ({ at, reason }: RetryWait) => {
      expect(at - Date.now()).toBeLessThanOrEqual(policy.maxMs)
      waits.push(reason.code)
      return () => waits.push('ended')
    }
    const work = () => Promise.reject(transient())
    await expect(retry({ ...retrying(), onWait }, work)).rejects.toMatchObject({ code: 'NETWORK' })
    expect(waits).toEqual(['NETWORK', 'ended', 'NETWORK', 'ended'])
  })

  test('a lost session does not count as an attempt, and a final error is not retried', async () => {
    let tries = 0
    const work = async () => {
      if (++tries < 10) throw new SignedOutError('who?')
      throw new UploadError('BAD_REQUEST', 'no')
    }
    await expect(retry(retrying(), work)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(tries).toBe(10)
  })

  test('a pause interrupts a call, which restarts after the pause until the upload ends', async () => {
    const pauseController = new PauseController()
    const end = new AbortController()
    const signals: AbortSignal[] = []
    const running = retry(retrying(pauseController, end.signal), (signal) => {
      signals.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await expect.poll(() => signals.length).toBe(1)
    pauseController.pause('user')
    pauseController.pause('offline')
    expect(signals[0]!.aborted).toBe(true)
    pauseController.resume('user')
    expect(signals).toHaveLength(1)
    pauseController.resume('offline')
    await expect.poll(() => signals.length).toBe(2)
    end.abort(new Error('the end'))
    await expect(running).rejects.toThrow('the end')
  })

  test('a lost session does not interrupt attempts', () => {
    const pauseController = new PauseController()
    const attempt = pauseController.startAttempt(never)
    pauseController.pause('signed-out')
    expect(attempt.signal.aborted).toBe(false)
  })

  test('a PUT in flight finishes before a pause, and no other one starts until the pause ends', async () => {
    let ended = 0
    const pauseController = new PauseController(() => ended++)
    const puts: { resolve(): void; signal: AbortSignal }[] = []
    const put = () =>
      retry(retrying(pauseController), (signal, attempt) =>
        attempt.send(() => new Promise<void>((resolve) => puts.push({ resolve, signal }))),
      )
    const first = put()
    await expect.poll(() => puts.length).toBe(1)
    pauseController.pause('user')
    expect([puts[0]!.signal.aborted, pauseController.isSending]).toEqual([false, true])
    const second = put()
    puts[0]!.resolve()
    await first
    expect([ended, pauseController.isSending, puts.length]).toEqual([1, false, 1])
    pauseController.resume('user')
    await expect.poll(() => puts.length).toBe(2)
    puts[1]!.resolve()
    await second
    expect(ended).toBe(1)
  })

  test('an attempt that gets another URL during a pause does not send with it before the pause ends', async () => {
    const pauseController = new PauseController()
    const sent: string[] = []
    let fail = () => {}
    const running = retry(retrying(pauseController), async (_signal, attempt) => {
      if (sent.length === 0) {
        sent.push('rejected')
        await attempt.send(() => new Promise<void>((resolve) => (fail = resolve)))
      }
      return attempt.send(async () => sent.push('accepted'))
    })
    await expect.poll(() => sent.length).toBe(1)
    pauseController.pause('user')
    fail()
    await expect.poll(() => pauseController.attempts).toBe(0)
    expect(sent).toEqual(['rejected'])
    pauseController.resume('user')
    expect(await running).toBe(2)
  })

  test.each([
    ['a second pause', (pauses: PauseController) => pauses.interrupt()],
    ['a lost network', (pauses: PauseController) => pauses.pause('offline')],
  ])('%s interrupts a PUT that a pause lets finish', async (_, interrupt) => {
    const pauseController = new PauseController()
    const attempt = pauseController.startAttempt(never)
    const sending = attempt.send(
      () =>
        new Promise((_, reject) =>
          attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason)),
        ),
    )
    pauseController.interrupt()
    expect(attempt.signal.aborted).toBe(false)
    pauseController.pause('user')
    interrupt(pauseController)
    expect([attempt.interrupted(), pauseController.isSending]).toEqual([true, false])
    await expect(sending).rejects.toThrow()
  })
})

describe('signed URLs', () => {
  function urls(total: number, speedMs: number) {
    const calls: number[][] = []
    let now = 0
    const missing = new Set(Array.from({ length: total }, (_, i) => i + 1))
    const stock = new PartUrls({
      sign: async (partNumbers) => {
        calls.push(partNumbers)
        return partNumbers.map((partNumber) => ({
          partNumber,
          uploadUrl: `${partNumber}@${now}`,
          headers: {},
        }))
      },
      missing: () => missing,
      ahead: 12,
      now: () => now,
    })
    const send = async (n: number) => {
      await stock.get(n)
      now += speedMs
      stock.done(n)
      missing.delete(n)
    }
    return { calls, missing, stock, send, later: (ms: number) => (now += ms) }
  }

  test('1,024 fast parts need about a dozen calls, and no URL is signed twice', async () => {
    const { calls, missing, send } = urls(1024, 50)
    for (const n of missing) await send(n)
    expect(calls.length).toBeLessThanOrEqual(13)
    expect(calls.every((call) => call.length <= 100)).toBe(true)
    expect(new Set(calls.flat()).size).toBe(calls.flat().length)
  })

  test('a slow upload signs few URLs ahead', async () => {
    const { calls, missing, send } = urls(1024, 40_000)
    for (const n of [...missing].slice(0, 50)) await send(n)
    expect(Math.max(...calls.map((call) => call.length))).toBe(16)
  })

  test('an old or rejected URL is signed again', async () => {
    const { stock, later } = urls(3, 0)
    const first = await stock.get(1)
    expect((await stock.get(1)).url).toBe(first.url)
    later(20 * 60_000)
    const second = await stock.get(1)
    expect(second.url).not.toBe(first.url)
    later(1)
    stock.drop(first)
    expect((await stock.get(1)).url).toBe(second.url)
    stock.drop(second)
    expect((await stock.get(1)).url).not.toBe(second.url)
  })
})

describe('speed and time left', () => {
  test('speed is the average of the last seconds, and a repeated attempt does not count twice as sent', () => {
    let now = 0
    const progress = new Progress(
      () => {},
      () => now,
    )
    progress.setStored(1000)
    expect([progress.bytesSent, progress.bytesPerSecond]).toEqual([1000, 0])
    for (let i = 0; i < 100; i++) {
      const piece = progress.startAttempt()
      now += 100
      piece.sent(100)
      piece.succeeded(100)
    }
    expect(progress.bytesSent).toBe(11_000)
    expect(progress.bytesPerSecond).toBeCloseTo(1000, -2)
    const failing = progress.startAttempt()
    failing.sent(50)
    expect(progress.bytesSent).toBe(11_050)
    failing.failed()
    expect(progress.bytesSent).toBe(11_000)
    now += 6000
    expect(progress.bytesPerSecond).toBe(0)
  })

  test('the totals add up the bytes to send again, as they do those that are sent', () => {
    const upload = (bytesSent: number, bytesToResend: number) => ({
      getSnapshot: () => ({ state: 'paused', size: 100, bytesSent, bytesToResend, speedBytesPerSecond: 0 }),
    })
    const totals = totalsOf([upload(40, 7), upload(10, 5)] as unknown as UploadHandle[])
    expect(totals).toMatchObject({ size: 200, bytesSent: 50, bytesToResend: 12 })
  })

  test('bytes that were sent but not stored count as sent again, until they have been', () => {
    const progress = new Progress(() => {})
    progress.setStored(1000)
    const interrupted = progress.startAttempt()
    interrupted.sent(60)
    expect(progress.bytesToResend).toBe(0)
    interrupted.failed()
    expect([progress.bytesSent, progress.bytesToResend]).toEqual([1000, 60])
    const repeated = progress.startAttempt()
    repeated.sent(40)
    expect([progress.bytesSent, progress.bytesToResend]).toEqual([1040, 20])
    repeated.sent(90)
    repeated.succeeded(100)
    expect([progress.bytesSent, progress.bytesToResend]).toEqual([1100, 0])
  })

  test('the time left is unknown without speed', () => {
    expect([secondsLeft(10, 0), secondsLeft(10, 4), secondsLeft(0, 0)]).toEqual([null, 3, 0])
  })

  test('the time left of all uploads leaves out paused ones', () => {
    const upload = (state: UploadState, speedBytesPerSecond: number) => ({
      getSnapshot: () => ({ state, size: 100, bytesSent: 20, speedBytesPerSecond }),
    })
    const uploads = [upload('uploading', 10), upload('paused', 0)] as unknown as UploadHandle[]
    expect(totalsOf(uploads)).toMatchObject({ size: 200, bytesSent: 40, secondsLeft: 8 })
    expect(totalsOf(uploads.slice(1)).secondsLeft).toBe(null)
  })
})

test('a fingerprint depends on name, time, size, both ends and server, and is stable', async () => {
  const source = (bytes: Uint8Array, more: Partial<UploadSource> = {}): UploadSource => ({
    ...{ name: 'a.mp4', type: '', size: bytes.length, lastModified: 1 },
    slice: (start, end) => ({
      size: end - start,
      stream: async function* () {
        yield bytes.subarray(start, end)
      },
    }),
    ...more,
  })
  const bytes = new Uint8Array(300_000).fill(3)
  const changed = bytes.slice()
  changed[299_999] = 4
  const prints = await Promise.all([
    fingerprintOf(source(bytes), 'one'),
    fingerprintOf(source(changed), 'one'),
    fingerprintOf(source(bytes, { name: 'b.mp4' }), 'one'),
    fingerprintOf(source(bytes, { lastModified: 2 }), 'one'),
    fingerprintOf(source(bytes.subarray(1)), 'one'),
    fingerprintOf(source(bytes), 'two'),
  ])
  expect(new Set(prints).size).toBe(6)
  expect(prints[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(await fingerprintOf(source(bytes.slice()), 'one')).toBe(prints[0])
  // This value is from the first release. If it changed, updated pages would not find unfinished uploads of older ones.
  const varied = source(
    bytes.map((_, i) => i % 251),
    { type: 'video/mp4' },
  )
  expect(await fingerprintOf(varied, 'one')).toBe('7d2c0db21a9952f80ef8aabcf2330b71')
})
