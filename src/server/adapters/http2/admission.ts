import { Backoff } from '../../kernel/backoff.ts'
import type { TokenBucket } from './token-bucket.ts'

/**
 * A trial allows one request in flight, so one that hangs would delay all others. After this time, a second one can
 * join it: just before the caller of the first repeats it, after 2.5 s.
 */
const SECOND_REQUEST_AFTER_MS = 2_200
/** Timeout of trial requests. Just under 5 s, so that the first one fails before its caller repeats it again. */
const TRIAL_TIMEOUT_MS = 4_700
/** Number of consecutive timeouts after which trial requests get the full timeout, in case the gateway is that slow. */
const MAX_SHORT_TIMEOUTS = 3

/**
 * Decides whether a request can go out now: by requests in flight, rate, pauses that the gateway asks for, and backoff
 * after failed connections. During a trial, which lasts until the gateway accepts the credential, one request is in
 * flight. Times are `performance.now()`.
 */
export class Admission {
  readonly #maxInFlight: number
  readonly #bucket: TokenBucket | undefined
  readonly #backoff = new Backoff()
  #inFlight = 0
  #sentAt = 0
  #pausedUntil = 0
  #pauseReason = ''
  #isTrial: boolean
  #trialTimeouts = 0

  constructor({
    maxInFlight,
    bucket,
    isTrial,
  }: { maxInFlight: number; bucket?: TokenBucket; isTrial: boolean }) {
    this.#maxInFlight = maxInFlight
    this.#isTrial = isTrial
    this.#bucket = bucket
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get isTrial(): boolean {
    return this.#isTrial
  }

  /** Returns whether one more request can be in flight. */
  hasPlace(): boolean {
    if (!this.#isTrial) return this.#inFlight < this.#maxInFlight
    return this.#inFlight < (performance.now() - this.#sentAt > SECOND_REQUEST_AFTER_MS ? 2 : 1)
  }

  /** Takes one of the rate's tokens and returns 0, or returns the milliseconds until there is one. */
  takeToken(): number {
    const bucket = this.#bucket
    return !bucket || bucket.take(performance.now()) ? 0 : bucket.waitMs()
  }

  onSent(): void {
    this.#inFlight++
    this.#sentAt = performance.now()
  }

  onSettled(): void {
    this.#inFlight--
  }

  onResponse(): void {
    this.#trialTimeouts = 0
  }

  /** A trial request got no response. */
  onTrialTimeout(): void {
    this.#trialTimeouts++
  }

  /** A connection works, so backoff ends. */
  onVerified(): void {
    this.#backoff.succeed()
  }

  /** Returns the milliseconds until the next attempt to connect, or undefined if an earlier failure set them. */
  onConnectFailure(now: number): number | undefined {
    const isFirst = this.canConnect()
    const retryInMs = this.#backoff.fail(now)
    return isFirst ? retryInMs : undefined
  }

  canConnect(): boolean {
    return this.#backoff.waitMs(performance.now()) === 0
  }

  startTrial(): void {
    this.#isTrial = true
  }

  endTrial(): void {
    this.#isTrial = false
  }

  /** Returns the timeout of requests: `timeoutMs`, or less while others wait for a trial request. */
  timeoutMs(timeoutMs: number): number {
    const isShort = this.#isTrial && this.#trialTimeouts < MAX_SHORT_TIMEOUTS
    return isShort ? Math.min(timeoutMs, TRIAL_TIMEOUT_MS) : timeoutMs
  }

  /** Stops sending for `ms`, for this reason of the gateway. */
  pause(reason: string, ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms)
    this.#pauseReason = reason
  }

  /**
   * Returns for how many milliseconds nothing can be sent. During backoff, open connections are used, except by
   * trials.
   */
  pausedMs(isConnected: boolean): number {
    const now = performance.now()
    const backoffMs = this.#isTrial || !isConnected ? this.#backoff.waitMs(now) : 0
    return Math.max(backoffMs, Math.ceil(this.#pausedUntil - now))
  }

  /** Returns why nothing is sent: the gateway's reason, or UNREACHABLE. */
  pauseReason(): string {
    return this.#pausedUntil > performance.now() ? this.#pauseReason : 'UNREACHABLE'
  }
}
