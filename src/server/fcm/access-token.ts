import { Backoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'

export type AccessToken = { value: string; expiresAt: Date }
/** Fetches a new one from the token endpoint, never from a cache; rejects if there is none. */
export type FetchAccessToken = () => Promise<AccessToken>

/** A token, or how long to wait before asking again. */
export type Credential = { value: string } | { afterMs: number }

/** Tokens live an hour; renewed while the old one is valid, so that no push waits for it. */
const RENEW_BEFORE_MS = 5 * 60_000
/** Not used this close to its end: it could expire on the way. */
const UNUSABLE_BEFORE_MS = 30_000
/** How long sends wait for the endpoint; a later response is used all the same. */
const FETCH_TIMEOUT_MS = 2_500

/** The access token that all requests share: one renewal at a time, with backoff while the token endpoint fails. */
export class AccessTokens {
  readonly #fetchToken: FetchAccessToken
  readonly #clock: Clock
  readonly #log: Logger
  readonly #backoff = new Backoff()
  readonly #refusals = new Backoff()
  #token: AccessToken | undefined
  #renewal: Promise<void> | undefined

  constructor(fetchToken: FetchAccessToken, { clock, log }: { clock: Clock; log: Logger }) {
    this.#fetchToken = fetchToken
    this.#clock = clock
    this.#log = log
  }

  /** The last one that was fetched and not refused. */
  get newest(): string | undefined {
    return this.#token?.value
  }

  /** Never rejects. Not a promise while there is a usable token. */
  get(): Credential | Promise<Credential> {
    const leftMs = this.#leftMs()
    if (leftMs > RENEW_BEFORE_MS) return this.#token!
    if (leftMs > UNUSABLE_BEFORE_MS) {
      void this.#renew()
      return this.#token!
    }
    return this.#renew().then(() =>
      this.#leftMs() > UNUSABLE_BEFORE_MS
        ? this.#token!
        : { afterMs: Math.max(1, this.#backoff.waitMs(performance.now())) },
    )
  }

  /**
   * FCM refused `value`. Returns 0 if there is a newer one or one may be fetched, else the milliseconds to wait: an
   * endpoint whose tokens FCM always refuses is not asked for one per push.
   */
  refused(value: string): number {
    if (this.#token?.value !== value) return 0
    const now = performance.now()
    const waitMs = this.#refusals.waitMs(now)
    if (waitMs > 0) return waitMs
    this.#refusals.fail(now)
    this.#token = undefined
    return 0
  }

  /** FCM accepted the current one. */
  accepted(): void {
    this.#refusals.succeed()
  }

  #leftMs(): number {
    return this.#token ? this.#token.expiresAt.getTime() - this.#clock.now().getTime() : 0
  }

  #renew(): Promise<void> {
    if (this.#renewal) return this.#renewal
    if (this.#backoff.waitMs(performance.now()) > 0) return Promise.resolve()
    this.#renewal = this.#fetchOnce().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #fetchOnce(): Promise<void> {
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(() => timeout.reject(new Error('no response in time')), FETCH_TIMEOUT_MS)
    const fetched = this.#fetchToken().then((token) => {
      this.#token = token
      this.#backoff.succeed()
    })
    try {
      await Promise.race([fetched, timeout.promise])
    } catch (error) {
      const retryInMs = this.#backoff.fail(performance.now())
      const message = error instanceof Error ? error.message : String(error)
      this.#log.warn({ error: message, retryInMs }, 'no access token for FCM')
    } finally {
      clearTimeout(timer)
    }
  }
}
