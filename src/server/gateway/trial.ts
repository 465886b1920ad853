/**
 * While one request at a time may be in flight, one that hangs delays all others. After the first of these waits a
 * second request may go out beside it, before its caller repeats it after 2.5 s; after the second it is failed,
 * before the repeat that comes after 5 s. After three such failures requests get the whole timeout, in case the
 * gateway is that slow.
 */
const SECOND_REQUEST_AFTER_MS = 2_200
const TRIAL_TIMEOUT_MS = 4_700
const MAX_SHORT_TIMEOUTS = 3

/** Trial requests: one in flight until the gateway has accepted our credential. */
export class Trial {
  #isActive: boolean
  #consecutiveTimeouts = 0
  /** When the last request was sent, `performance.now()`. */
  #sentAt = 0

  constructor(isActive: boolean) {
    this.#isActive = isActive
  }

  get isActive(): boolean {
    return this.#isActive
  }

  start(): void {
    this.#isActive = true
  }

  succeed(): void {
    this.#isActive = false
  }

  /** How many requests may be in flight while it is active. */
  limit(): number {
    return performance.now() - this.#sentAt > SECOND_REQUEST_AFTER_MS ? 2 : 1
  }

  onSent(now: number): void {
    this.#sentAt = now
  }

  /** The gateway responds, whatever it says. */
  onResponse(): void {
    this.#consecutiveTimeouts = 0
  }

  /** A request got no response while it was active. */
  onTimeout(): void {
    this.#consecutiveTimeouts++
  }

  /** The timeout of requests: `timeoutMs`, or less while requests wait for this trial. */
  timeoutMs(timeoutMs: number): number {
    const isShort = this.#isActive && this.#consecutiveTimeouts < MAX_SHORT_TIMEOUTS
    return isShort ? Math.min(timeoutMs, TRIAL_TIMEOUT_MS) : timeoutMs
  }
}
