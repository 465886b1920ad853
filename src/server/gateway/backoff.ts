const FIRST_MS = 200
const MAX_MS = 10_000

/**
 * How long not to connect after failures: 200 ms, doubled with each to 10 s, half of it random so that
 * replicas do not come back in step. APNs takes rapid reconnecting for an attack and blocks the address.
 */
export class Backoff {
  private failures = 0
  private until = 0

  /** `now` in milliseconds, monotonic; returns the wait it leads to. Failures during a wait are one. */
  fail(now: number): number {
    if (now < this.until) return this.waitMs(now)
    const fullMs = Math.min(MAX_MS, FIRST_MS * 2 ** this.failures++)
    this.until = now + fullMs / 2 + (Math.random() * fullMs) / 2
    return this.waitMs(now)
  }

  succeed(): void {
    this.failures = 0
    this.until = 0
  }

  /** Milliseconds that are left to wait; 0: try. */
  waitMs(now: number): number {
    return Math.max(0, Math.ceil(this.until - now))
  }
}
