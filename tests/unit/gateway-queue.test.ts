import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from '../../src/server/adapters/http2/fair-queue.ts'
import { retryAfterMs } from '../../src/server/adapters/http2/reply.ts'
import { TokenBucket } from '../../src/server/adapters/http2/token-bucket.ts'
import { Backoff } from '../../src/server/kernel/backoff.ts'

test('the fair queue returns everything that was added, with the order within each flow', () => {
  const step = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant('shift' as const))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const keys = [{}, {}, {}, {}]
      const queue = new FairQueue<[number, number]>()
      const put: Array<[number, number]> = []
      const got: Array<[number, number]> = []
      for (const [n, what] of steps.entries()) {
        if (what === 'shift') {
          const item = queue.shift()
          if (item) got.push(item)
        } else {
          put.push([what, n])
          queue.push(keys[what]!, [what, n])
        }
        expect(queue.size).toBe(put.length - got.length)
      }
      for (let item = queue.shift(); item; item = queue.shift()) got.push(item)
      for (const flow of [0, 1, 2, 3])
        expect(got.filter(([l]) => l === flow)).toEqual(put.filter(([l]) => l === flow))
    }),
  )
})

test('a push to one user is second in line, regardless of the length of a broadcast’s queue', () => {
  const queue = new FairQueue<string>()
  const broadcast = {}
  for (let n = 0; n < 100_000; n++) queue.push(broadcast, 'broadcast')
  queue.shift()
  queue.push({}, 'one user')
  expect([queue.shift(), queue.shift()]).toContain('one user')
  let rest = 0
  while (queue.shift()) rest++
  expect(rest).toBe(99_998)
})

test('no window of a minute exceeds the rate, regardless of when senders start', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 2000 }),
      fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 60 }),
      (perMinute, gaps) => {
        const bucket = new TokenBucket({ perMinute }, 0)
        const taken: number[] = []
        let now = 0
        for (const gap of gaps) {
          now += gap
          while (bucket.take(now)) taken.push(now)
        }
        for (const [i, start] of taken.entries())
          expect(taken.findIndex((t, j) => j >= i + perMinute && t < start + 60_000)).toBe(-1)
      },
    ),
    { numRuns: 50 },
  )
})

test('the rate is fully used: a minute of steady demand gets all of it except the burst', () => {
  const bucket = new TokenBucket({ perMinute: 600_000 }, 0)
  let taken = 0
  for (let now = 0; now <= 60_000; now++) while (bucket.take(now)) taken++
  expect(taken).toBeGreaterThan(598_000)
  expect(taken).toBeLessThanOrEqual(600_000)
})

test('an empty bucket says how long to wait', () => {
  const bucket = new TokenBucket({ perMinute: 61, burst: 1 }, 0)
  expect(bucket.take(0)).toBe(true)
  expect(bucket.take(0)).toBe(false)
  expect(bucket.waitMs()).toBe(1000)
  expect(bucket.take(1000)).toBe(true)
})

test('backoff doubles to 10 s with jitter, counts a burst of failures as one, and starts over after success', () => {
  const backoff = new Backoff()
  let now = 1000
  for (const fullMs of [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]) {
    const waitMs = backoff.fail(now)
    expect(waitMs).toBeGreaterThanOrEqual(fullMs / 2)
    expect(waitMs).toBeLessThanOrEqual(fullMs + 1)
    // Many requests fail in the same attempt.
    expect(backoff.fail(now)).toBe(waitMs)
    now += waitMs
    expect(backoff.waitMs(now)).toBe(0)
  }
  backoff.succeed()
  expect(backoff.fail(now)).toBeLessThanOrEqual(201)
})

test.each([
  ['7', 7000],
  ['0', 0],
  [' 1.5 ', 1500],
  ['Fri, 02 Jan 2026 03:04:35 GMT', 30_000],
  ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
  ['999999999', 86_400_000],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
] as const)('Retry-After %j is %j ms', (header, expected) => {
  expect(retryAfterMs(header, new Date('2026-01-02T03:04:05.000Z'))).toBe(expected)
})
