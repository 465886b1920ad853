import pg from 'pg'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'

export type WindowCount = {
  /** In the window that runs. */
  count: number
  /** Until it ends. */
  secondsLeft: number
}

/** Counts events by key in fixed windows that begin with the first event; shared by all replicas. */
export type RateLimiter = {
  /** Without counting. */
  read(key: string): Promise<WindowCount>
  /** Counts one more and tells how many that makes; the caller compares with its limit. */
  add(key: string): Promise<WindowCount>
  takeBack(key: string): Promise<void>
}

/** Its own few connections, so that a flood which is being refused does not take those of the rest. */
export function createRateLimitPool(databaseUrl: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 4,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
  })
  // An idle connection that breaks would otherwise end the process.
  pool.on('error', onError)
  return pool
}

/** Keys are at most 255 characters with the prefix; one statement for each call. */
export function createRateLimiter(
  pool: pg.Pool,
  options: { prefix: string; windowSeconds: number },
): RateLimiter {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: options.prefix,
    duration: options.windowSeconds,
    // The library refuses nothing here: `penalty` counts without a limit.
    points: 0,
  })
  return {
    read: async (key) => countOf(await limiter.get(key)),
    add: async (key) => countOf(await limiter.penalty(key, 1)),
    async takeBack(key) {
      await limiter.reward(key, 1)
    },
  }
}

function countOf(result: RateLimiterRes | null): WindowCount {
  if (!result) return { count: 0, secondsLeft: 0 }
  return { count: result.consumedPoints, secondsLeft: result.msBeforeNext / 1000 }
}
