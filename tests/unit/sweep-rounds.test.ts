import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSweepRounds } from '../../src/server/kernel/sweep-rounds.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const HOUR_MS = 3_600_000

test('a statement is repeated until it finds no more', async () => {
  let left = 4_500
  const limits: number[] = []
  const rounds = createSweepRounds({
    everyMs: HOUR_MS,
    work: (inBatches) =>
      inBatches(async (limit) => {
        limits.push(limit)
        const done = Math.min(left, limit)
        left -= done
        return done
      }),
    onError: () => {},
  })
  expect(await rounds.run()).toBe(4_500)
  expect(limits).toEqual([2_000, 2_000, 2_000])
})

test('the first round runs within a minute, later ones within the interval, and failures are reported', async () => {
  const reported: unknown[] = []
  let round = 0
  const rounds = createSweepRounds({
    everyMs: HOUR_MS,
    work: async () => {
      if (++round === 1) throw new Error('away')
      return round
    },
    onDone: (result) => reported.push(result),
    onError: (error) => reported.push(String(error)),
  })
  rounds.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reported).toEqual(['Error: away'])
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(reported.slice(0, 2)).toEqual(['Error: away', 2])
  await rounds.close()
  const before = reported.length
  await vi.advanceTimersByTimeAsync(10 * HOUR_MS)
  expect(reported).toHaveLength(before)
})

test('closing ends the round after the statement in progress', async () => {
  const statement = Promise.withResolvers<number>()
  let statements = 0
  const rounds = createSweepRounds({
    everyMs: HOUR_MS,
    work: (inBatches) =>
      inBatches((limit) => {
        statements++
        return statement.promise.then(() => limit)
      }),
    onError: () => {},
  })
  rounds.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(statements).toBe(1)
  const closed = rounds.close()
  statement.resolve(0)
  await closed
  expect(statements).toBe(1)
})
