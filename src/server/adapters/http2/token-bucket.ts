export type Rate = {
  /** Sustained pushes per minute. */
  perMinute: number
  /** Pushes that can go out at once after a pause. They count toward the minute. Default: 1/600 of it, at least 1. */
  burst?: number
}

/**
 * Token bucket that keeps every window of 60 s within `perMinute`. The burst reduces a minute's refill, so that even a
 * full bucket plus a minute's refill stays within the limit.
 */
export class TokenBucket {
  readonly #burst: number
  readonly #perMs: number
  #level: number
  #filledAt: number

  /** `now` in milliseconds, monotonic. */
  constructor(rate: Rate, now: number) {
    this.#burst = rate.burst ?? Math.max(1, Math.floor(rate.perMinute / 600))
    this.#perMs = Math.max(rate.perMinute - this.#burst, 1) / 60_000
    this.#level = this.#burst
    this.#filledAt = now
  }

  /** Takes a token and returns true, or returns false if there is none. */
  take(now: number): boolean {
    this.#level = Math.min(this.#burst, this.#level + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
    if (this.#level < 1) return false
    this.#level -= 1
    return true
  }

  /** Returns the milliseconds until `take` succeeds again, at least 1. */
  waitMs(): number {
    return Math.max(1, Math.ceil((1 - this.#level) / this.#perMs))
  }
}
