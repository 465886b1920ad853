/** Returns the longest wait before attempt `attempt + 1`: exponential from `baseMs`, at most `maxMs`. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30))
}

/** Returns between half of `ms` and all of it, so that callers who failed together do not return together. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2)
}

/** Waits 1 ms longer: timers can fire early, and gateways reject requests that arrive before Retry-After. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms + 1))
}

const FIRST_MS = 200
const MAX_MS = 10_000

/**
 * Backoff that callers share for something many of them need, such as a connection or an access token. Waits 200 ms
 * after the first failure and doubles up to 10 s, with jitter. APNs treats rapid reconnecting as an attack and blocks
 * the address.
 */
export class Backoff {
  #failures = 0
  #until = 0

  /** Returns how long to wait. Failures during a wait count as one. `now`: monotonic milliseconds. */
  fail(now: number): number {
    if (now >= this.#until) this.#until = now + jittered(backoffMs(this.#failures++, FIRST_MS, MAX_MS))
    return this.waitMs(now)
  }

  succeed(): void {
    this.#failures = 0
    this.#until = 0
  }

  /** Returns the remaining wait in milliseconds. 0: try now. */
  waitMs(now: number): number {
    return Math.max(0, Math.ceil(this.#until - now))
  }
}
