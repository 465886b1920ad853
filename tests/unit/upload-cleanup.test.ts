import { describe, expect, test } from 'vitest'
import { afterCleanup, retryCleanupAt } from '../../src/server/domain/uploads/cleanup.ts'
import { sweepEveryMs } from '../../src/server/domain/uploads/sweeper.ts'
import { secondsAfter } from '../../src/server/kernel/clock.ts'

const start = new Date('2026-01-01T00:00:00Z')
const at = (seconds: number) => secondsAfter(start, seconds)
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** A simple upload whose URL is valid for 15 minutes from `start`. */
const simple = {
  totalParts: null,
  urlExpiresAt: at(15 * MINUTE),
  deletedAt: null,
  endedAt: null,
  reserved: 7,
}
const multipart = { totalParts: 3, urlExpiresAt: null, deletedAt: null, endedAt: at(0), reserved: 7 }

describe('after removal of its staged bytes, a simple upload', () => {
  const rejected = { ...simple, state: 'REJECTED' as const, endedAt: at(0) }

  test('stays reserved while its URL is valid, and is cleaned up again after the URL has expired', () => {
    expect(afterCleanup(rejected, false, at(1))).toEqual({
      release: false,
      next: at(16 * MINUTE),
      drop: false,
    })
    expect(afterCleanup(rejected, false, at(15 * MINUTE + 59)).release).toBe(false)
  })

  test('is then released, and cleaned up again an hour later because a PUT can end late', () => {
    const late = at(16 * MINUTE + HOUR)
    expect(afterCleanup(rejected, false, at(16 * MINUTE))).toEqual({ release: true, next: late, drop: false })
    expect(afterCleanup(rejected, false, late)).toEqual({ release: true, next: at(30 * DAY), drop: false })
  })

  test('is dropped 30 days after its end', () => {
    expect(afterCleanup(rejected, false, at(30 * DAY))).toEqual({ release: true, next: null, drop: true })
  })

  test('that is ready keeps its used quota, and is cleaned up at the same times', () => {
    const ready = { ...simple, state: 'READY' as const, reserved: 0 }
    expect(afterCleanup(ready, false, at(1))).toEqual({ release: false, next: at(16 * MINUTE), drop: false })
    expect(afterCleanup(ready, false, at(2 * HOUR))).toEqual({ release: false, next: null, drop: false })
  })

  test('that was ready and then deleted is released when its URL has expired, and its row is dropped after 30 days', () => {
    const deleted = { ...simple, state: 'READY' as const, deletedAt: at(1) }
    expect(afterCleanup(deleted, false, at(2))).toEqual({
      release: false,
      next: at(16 * MINUTE),
      drop: false,
    })
    expect(afterCleanup(deleted, false, at(16 * MINUTE)).release).toBe(true)
    expect(afterCleanup({ ...deleted, urlExpiresAt: at(-HOUR) }, false, at(2)).release).toBe(true)
    expect(afterCleanup(deleted, false, at(2 * HOUR)).next).toEqual(at(1 + 30 * DAY))
    expect(afterCleanup(deleted, false, at(1 + 30 * DAY))).toEqual({ release: true, next: null, drop: true })
  })

  test('of a deleted account is dropped once no more bytes can arrive', () => {
    const deleted = { ...simple, state: 'ABORTED' as const, deletedAt: at(1) }
    expect(afterCleanup(deleted, true, at(2))).toMatchObject({ release: false, drop: false })
    expect(afterCleanup(deleted, true, at(2 * HOUR))).toEqual({ release: true, next: null, drop: true })
  })
})

test('an aborted multipart upload is released at once, and cleaned up again an hour later', () => {
  const expired = { ...multipart, state: 'EXPIRED' as const }
  expect(afterCleanup(expired, false, at(1))).toEqual({ release: true, next: at(1 + HOUR), drop: false })
  const released = { ...expired, reserved: 0 }
  expect(afterCleanup(released, false, at(1 + HOUR))).toEqual({
    release: true,
    next: at(30 * DAY),
    drop: false,
  })
  expect(afterCleanup(released, false, at(30 * DAY))).toEqual({ release: true, next: null, drop: true })
})

test('a deleted account keeps an aborted multipart upload for that second cleanup', () => {
  const released = { ...multipart, state: 'ABORTED' as const, reserved: 0 }
  expect(afterCleanup(released, true, at(MINUTE))).toEqual({ release: true, next: at(HOUR), drop: false })
  expect(afterCleanup(released, true, at(HOUR))).toEqual({ release: true, next: null, drop: true })
})

test('the sweeper runs at least twice per time to live, every 1 to 30 seconds', () => {
  const every = (pending: number, multi: number) =>
    sweepEveryMs({ pendingTtlSeconds: pending, multipartTtlSeconds: multi })
  expect(every(3600, 604_800)).toBe(30_000)
  expect(every(3600, 10)).toBe(5_000)
  expect(every(1, 604_800)).toBe(1_000)
})

test('a failed cleanup is retried after a pause as long as the failure has lasted, from a minute to an hour', () => {
  for (const [failed, wait] of [
    [0, MINUTE],
    [30, MINUTE],
    [5 * MINUTE, 5 * MINUTE],
    [HOUR, HOUR],
    [30 * DAY, HOUR],
  ] as const)
    expect(retryCleanupAt(start, at(failed))).toEqual(at(failed + wait))
})
