import type pg from 'pg'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { RateCounter, WindowCount } from '../../kernel/rate-counter.ts'
import { createPool, POOL_SIZES, type Pool, SHORT } from './pool.ts'

/** Creates a small separate pool, so that a flood of rejected requests does not take the connections of other calls. */
export function createRateCounterPool(databaseUrl: string, onError: (error: Error) => void): Pool {
  const pool = createPool(databaseUrl, POOL_SIZES.limits, SHORT)
  pool.on('error', onError)
  return pool
}

/** Counts with one statement per call. A key with its prefix has at most 255 characters. */
export function createRateCounter(
  pool: pg.Pool,
  options: { prefix: string; windowSeconds: number },
): RateCounter {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: options.prefix,
    duration: options.windowSeconds,
    // The library never rejects here: `penalty` counts without a limit.
    points: 0,
  })
  return {
    read: async (key) => countOf(await limiter.get(key)),
    increment: async (key, events = 1) => countOf(await limiter.penalty(key, events)),
    async decrement(key) {
      await limiter.reward(key, 1)
    },
  }
}

function countOf(result: RateLimiterRes | null): WindowCount {
  if (!result) return { count: 0, secondsLeft: 0 }
  return { count: result.consumedPoints, secondsLeft: result.msBeforeNext / 1000 }
}
