import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Gate } from '../src/upload/engine/pause-controller.ts'
import { backoffMs, DEFAULT_RETRY, persist } from '../src/upload/engine/retry.ts'
import { SignedOut, Transient, UploadError } from '../src/upload/errors.ts'
import { PartUrls } from '../src/upload/flows/part-urls.ts'
import { secondsLeft, Tally } from '../src/upload/progress/progress.ts'
import { fingerprintOf } from '../src/upload/resume/fingerprint.ts'
import { judge, retryAfterMs, UploadGone, UrlRefused } from '../src/upload/transport/classify-response.ts'
import type { UploadSource } from '../src/upload/types.ts'

const never = new AbortController().signal
const transient = (afterMs?: number) => new Transient(new UploadError('NETWORK', 'no'), afterMs)

describe('what the store’s answer means', () => {
  const answer = (status: number, code = '', retryAfter: string | null = null) => ({
    ...{ status, etag: null, retryAfter },
    text: code && `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
  })

  test.each([
    [500, 'InternalError', Transient],
    [503, 'SlowDown', Transient],
    [429, '', Transient],
    [408, '', Transient],
    [400, 'RequestTimeout', Transient],
    [409, 'OperationAborted', Transient],
    [403, 'AccessDenied', UrlRefused],
    [403, 'SignatureDoesNotMatch', UrlRefused],
    [400, 'ExpiredToken', UrlRefused],
    [404, 'NoSuchUpload', UploadGone],
    [400, 'EntityTooLarge', UploadError],
    [404, 'NoSuchBucket', UploadError],
    [411, '', UploadError],
  ])('%i %s', (status, code, kind) => {
    expect(() => judge(answer(status, code))).toThrow(kind)
  })

  test('2xx is success, and Retry-After is read as seconds or date', () => {
    expect(judge(answer(204))).toBeUndefined()
    expect(() => judge(answer(503, '', '7'))).toThrow(expect.objectContaining({ afterMs: 7000 }))
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:05 GMT', now)).toBe(5000)
    expect([retryAfterMs('soon'), retryAfterMs(null), retryAfterMs('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('persistence', () => {
  const policy = { attempts: 3, baseMs: 1, maxMs: 2 }
  const persistence = (gate = new Gate(), signal: AbortSignal = never, successes = () => 0) => ({
    ...{ gate, signal, successes, retry: policy },
    onSignedOut: () => {
      gate.close('signed-out')
      queueMicrotask(() => gate.open('signed-out'))
    },
  })

  test('waits grow up to the limit, and jitter only shortens them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, random) => {
          const most = Math.min(DEFAULT_RETRY.maxMs, DEFAULT_RETRY.baseMs * 2 ** (n - 1))
          const ms = backoffMs(n, DEFAULT_RETRY, () => random)
          expect(ms).toBeGreaterThanOrEqual(most / 2)
          expect(ms).toBeLessThanOrEqual(most)
        },
      ),
    )
  })

  test('gives up after the attempts, with the error for people', async () => {
    let tries = 0
    const work = async () => {
      tries++
      throw transient()
    }
    await expect(persist(persistence(), work)).rejects.toMatchObject({ code: 'NETWORK' })
    expect(tries).toBe(3)
  })

  test('goes on as long as others succeed', async () => {
    let tries = 0
    const work = async () => {
      if (++tries < 20) throw transient()
      return tries
    }
    expect(
      await persist(
        persistence(new Gate(), never, () => tries),
        work,
      ),
    ).toBe(20)
  })

  test('a lost session is no attempt; a final error is not repeated', async () => {
    let tries = 0
    const work = async () => {
      if (++tries < 10) throw new SignedOut('who?')
      throw new UploadError('BAD_REQUEST', 'no')
    }
    await expect(persist(persistence(), work)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(tries).toBe(10)
  })

  test('a pause interrupts what is under way and begins it again; the end ends it', async () => {
    const gate = new Gate()
    const end = new AbortController()
    const signals: AbortSignal[] = []
    const running = persist(persistence(gate, end.signal), (signal) => {
      signals.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await expect.poll(() => signals.length).toBe(1)
    gate.close('user')
    gate.close('offline')
    expect(signals[0]!.aborted).toBe(true)
    gate.open('user')
    expect(signals).toHaveLength(1)
    gate.open('offline')
    await expect.poll(() => signals.length).toBe(2)
    end.abort(new Error('the end'))
    await expect(running).rejects.toThrow('the end')
  })

  test('losing the session interrupts nothing', () => {
    const gate = new Gate()
    const attempt = gate.attempt(never)
    gate.close('signed-out')
    expect(attempt.signal.aborted).toBe(false)
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

  test('1,024 parts at speed need a dozen calls, no URL is signed twice', async () => {
    const { calls, missing, send } = urls(1024, 50)
    for (const n of missing) await send(n)
    expect(calls.length).toBeLessThanOrEqual(13)
    expect(calls.every((call) => call.length <= 100)).toBe(true)
    expect(new Set(calls.flat()).size).toBe(calls.flat().length)
  })

  test('a slow upload signs few ahead', async () => {
    const { calls, missing, send } = urls(1024, 40_000)
    for (const n of [...missing].slice(0, 50)) await send(n)
    expect(Math.max(...calls.map((call) => call.length))).toBe(16)
  })

  test('an old URL, or one that was refused, is signed anew', async () => {
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
  test('the mean of the last seconds; a repeated attempt does not count twice as sent', () => {
    let now = 0
    const tally = new Tally(
      () => {},
      () => now,
    )
    tally.found(1000)
    expect([tally.bytesSent, tally.bytesPerSecond]).toEqual([1000, 0])
    for (let i = 0; i < 100; i++) {
      const piece = tally.begin()
      now += 100
      piece.sent(100)
      piece.arrived(100)
    }
    expect(tally.bytesSent).toBe(11_000)
    expect(tally.bytesPerSecond).toBeCloseTo(1000, -2)
    const failing = tally.begin()
    failing.sent(50)
    expect(tally.bytesSent).toBe(11_050)
    failing.failed()
    expect(tally.bytesSent).toBe(11_000)
    now += 6000
    expect(tally.bytesPerSecond).toBe(0)
  })

  test('unknown without speed', () => {
    expect([secondsLeft(10, 0), secondsLeft(10, 4), secondsLeft(0, 0)]).toEqual([null, 3, 0])
  })
})

test('a fingerprint tells files apart by name, time, size, ends and server, and stays the same', async () => {
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
})
