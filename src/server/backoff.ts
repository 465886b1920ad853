/** Exponential backoff from `baseMs`, at most `maxMs`: the longest wait before try `attempt + 1`. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30))
}

/** Between half of `ms` and all of it, so that those who failed together do not come back together. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2)
}

/** +1 ms: timers may fire early, and gateways refuse what comes before Retry-After. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms + 1))
}

const FIRST_MS = 200
const MAX_MS = 10_000

/**
 * Backoff that callers share, for something that many of them need (a connection, an access token): 200 ms after
 * the first failure, doubled with each further one up to 10 s, with jitter. APNs takes rapid reconnecting for an
 * attack and blocks the address.
 */
export class Backoff {
  #failures = 0
  #until = 0

  /** `now` in milliseconds, monotonic; returns how long to wait. Failures during a wait count as one. */
  fail(now: number): number {
    if (now >= this.#until) this.#until = now + jittered(backoffMs(this.#failures++, FIRST_MS, MAX_MS))
    return this.waitMs(now)
  }

  succeed(): void {
    this.#failures = 0
    this.#until = 0
  }

  /** Milliseconds left to wait; 0: try. */
  waitMs(now: number): number {
    return Math.max(0, Math.ceil(this.#until - now))
  }
}
