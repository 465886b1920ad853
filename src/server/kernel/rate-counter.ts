import { createHash } from 'node:crypto'
import { formatCount } from '@pigeonhole/client/format'
import { AppError } from './errors.ts'

export type WindowCount = {
  count: number
  /** Seconds until the window ends. */
  secondsLeft: number
}

/** Counts events by key in fixed windows that start with the first event. All replicas share the counts. */
export type RateCounter = {
  read(key: string): Promise<WindowCount>
  /** Counts `events` (default 1) and returns the new count, which the caller compares with its limit. */
  increment(key: string, events?: number): Promise<WindowCount>
  /** Takes one event back. */
  decrement(key: string): Promise<void>
}

/**
 * Returns a counter that asks the store no more about a key whose window has more than `max` events, until the window
 * ends. Otherwise a flood from one address would make all its statements wait for one row.
 * `now`: milliseconds of any clock.
 */
export function rememberFullWindows(
  counter: RateCounter,
  max: number,
  now = () => performance.now(),
): RateCounter {
  const full = new Map<string, { count: number; until: number }>()

  const known = (key: string): WindowCount | undefined => {
    const window = full.get(key)
    const secondsLeft = window ? (window.until - now()) / 1000 : 0
    return window && secondsLeft > 0 ? { count: window.count, secondsLeft } : undefined
  }
  const remember = (key: string, { count, secondsLeft }: WindowCount): WindowCount => {
    if (count <= max) return { count, secondsLeft }
    const at = now()
    for (const [other, { until }] of full) {
      // The others were added later.
      if (until > at) break
      full.delete(other)
    }
    full.set(key, { count, until: at + secondsLeft * 1000 })
    return { count, secondsLeft }
  }
  return {
    read: async (key) => known(key) ?? remember(key, await counter.read(key)),
    increment: async (key, events) => known(key) ?? remember(key, await counter.increment(key, events)),
    decrement: (key) => counter.decrement(key),
  }
}

/** Hashes a part of a key, because keys have a bounded length. */
export const hashForKey = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Window of limits per day. */
export const DAY_WINDOW_SECONDS = 24 * 60 * 60

/** Counts one event of the key. @throws AppError TOO_MANY_REQUESTS with this message above `max` per window */
export async function countUpTo(
  max: number,
  counter: Pick<RateCounter, 'increment'>,
  key: string,
  message: string,
): Promise<void> {
  const window = await counter.increment(key)
  if (window.count > max) throw limitReached(window, () => message)
}

/** Creates TOO_MANY_REQUESTS until the window ends. `messageFor` gets the wait in words, such as `5 minutes`. */
export function limitReached({ secondsLeft }: WindowCount, messageFor: (wait: string) => string): AppError {
  const minutes = Math.max(1, Math.ceil(secondsLeft / 60))
  return new AppError('TOO_MANY_REQUESTS', messageFor(formatCount(minutes, 'minute')), {
    retryAfterSeconds: Math.max(1, Math.ceil(secondsLeft)),
  })
}
