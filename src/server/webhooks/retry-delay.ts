import { jittered } from '../backoff.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Longest wait after the first, second, ... failed attempt; the last one repeats. */
const DELAYS_MS = [5_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR]

/**
 * How long to wait after `failures` attempts have failed; null: the time of the delivery is over. The last attempt is
 * made when it ends.
 */
export function retryDelayMs(failures: number, expiresInMs: number, random?: () => number): number | null {
  if (expiresInMs <= 0) return null
  const longest = DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1]!
  return Math.min(jittered(longest, random), expiresInMs)
}
