import { Backoff } from '../backoff.ts'
import { type Rate, TokenBucket } from './token-bucket.ts'
import type { Trial } from './trial.ts'

export type AdmissionOptions = { maxInFlight: number; rate?: Rate; trial: Trial }

/**
 * Whether a request may go out now: requests in flight, the rate, pauses that the gateway asks for, and backoff
 * after connections fail. Times are `performance.now()`.
 */
export class Admission {
  readonly #maxInFlight: number
  readonly #trial: Trial
  readonly #bucket: TokenBucket | undefined
  readonly #backoff = new Backoff()
  #inFlight = 0
  #pausedUntil = 0
  #pauseReason = ''

  constructor({ maxInFlight, rate, trial }: AdmissionOptions) {
    this.#maxInFlight = maxInFlight
    this.#trial = trial
    this.#bucket = rate && new TokenBucket(rate, performance.now())
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether one more may be in flight. */
  hasPlace(): boolean {
    return this.#inFlight < (this.#trial.isActive ? this.#trial.limit() : this.#maxInFlight)
  }

  /** Takes one of the rate's tokens; 0, or the milliseconds until there is one. */
  takeToken(): number {
    const bucket = this.#bucket
    return !bucket || bucket.take(performance.now()) ? 0 : bucket.waitMs()
  }

  onSent(): void {
    this.#inFlight++
    this.#trial.onSent(performance.now())
  }

  onSettled(): void {
    this.#inFlight--
  }

  /** A connection works: no backoff. */
  onVerified(): void {
    this.#backoff.succeed()
  }

  /** Milliseconds until the next attempt to connect; undefined if an attempt has failed before that. */
  onConnectFailure(now: number): number | undefined {
    const isFirst = this.#backoff.waitMs(now) === 0
    const retryInMs = this.#backoff.fail(now)
    return isFirst ? retryInMs : undefined
  }

  mayConnect(): boolean {
    return this.#backoff.waitMs(performance.now()) === 0
  }

  /** Nothing is sent for `ms`, for this reason of the gateway's. */
  pause(reason: string, ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms)
    this.#pauseReason = reason
  }

  /** Milliseconds during which nothing is sent. Open connections are used during backoff, but not by trials. */
  pausedMs(isConnected: boolean): number {
    const now = performance.now()
    const backoffMs = this.#backoff.waitMs(now)
    const applies = backoffMs > 0 && (this.#trial.isActive || !isConnected)
    return Math.max(applies ? backoffMs : 0, Math.ceil(this.#pausedUntil - now))
  }

  /** Why nothing is sent: the gateway's reason, else UNREACHABLE. */
  pauseReason(): string {
    return this.#pausedUntil > performance.now() ? this.#pauseReason : 'UNREACHABLE'
  }
}
