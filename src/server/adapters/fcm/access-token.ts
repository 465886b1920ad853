import { Backoff } from '../../kernel/backoff.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { shareRun } from '../../kernel/share-run.ts'
import { within } from '../../kernel/time-limit.ts'

export type AccessToken = { value: string; expiresAt: Date }
/** Fetches a new token from the token endpoint, never from a cache. Rejects if it gets none. */
export type FetchAccessToken = () => Promise<AccessToken>

/** A token, or the time to wait before asking again. */
export type Credential = { value: string } | { afterMs: number }

/** Tokens live an hour. Renewing them early means that no push waits. */
const RENEW_BEFORE_MS = 5 * 60_000
/** A token this close to its end could expire on the way. */
const UNUSABLE_BEFORE_MS = 30_000
/** Maximum time that sends wait for the token endpoint. A later response is still used. */
const FETCH_TIMEOUT_MS = 2_500

/** Access token that all requests share. Renews once at a time, with backoff while the token endpoint fails. */
export class AccessTokens {
  readonly #fetchToken: FetchAccessToken
  readonly #clock: Clock
  readonly #log: Logger
  readonly #backoff = new Backoff()
  readonly #rejections = new Backoff()
  #token: AccessToken | undefined
  readonly #fetchShared = shareRun(() => this.#fetchOnce())

  constructor(fetchToken: FetchAccessToken, { clock, log }: { clock: Clock; log: Logger }) {
    this.#fetchToken = fetchToken
    this.#clock = clock
    this.#log = log
  }

  /** Last token that was fetched and not rejected. */
  get newest(): string | undefined {
    return this.#token?.value
  }

  /** Returns a credential, as a promise only if no token is usable. Never rejects. */
  get(): Credential | Promise<Credential> {
    const leftMs = this.#leftMs()
    if (leftMs > RENEW_BEFORE_MS) return this.#token!
    const renewal = this.#renew()
    if (leftMs > UNUSABLE_BEFORE_MS) return this.#token!
    return renewal.then(() =>
      this.#leftMs() > UNUSABLE_BEFORE_MS
        ? this.#token!
        : { afterMs: Math.max(1, this.#backoff.waitMs(performance.now())) },
    )
  }

  /**
   * FCM rejected `value`. Returns 0 if there is a newer token or one can be fetched, or else the milliseconds to wait.
   * If FCM rejects every token, the endpoint must not be asked for one per push.
   */
  rejected(value: string): number {
    if (this.#token?.value !== value) return 0
    const now = performance.now()
    const waitMs = this.#rejections.waitMs(now)
    if (waitMs > 0) return waitMs
    this.#rejections.fail(now)
    this.#token = undefined
    return 0
  }

  /** FCM accepted the current token. */
  accepted(): void {
    this.#rejections.succeed()
  }

  #leftMs(): number {
    return this.#token ? this.#token.expiresAt.getTime() - this.#clock.now().getTime() : 0
  }

  #renew(): Promise<void> {
    return this.#backoff.waitMs(performance.now()) > 0 ? Promise.resolve() : this.#fetchShared()
  }

  async #fetchOnce(): Promise<void> {
    const fetched = this.#fetchToken().then((token) => {
      this.#token = token
      this.#backoff.succeed()
      return true
    })
    try {
      if (!(await within(FETCH_TIMEOUT_MS, fetched))) throw new Error('no response in time')
    } catch (error) {
      const retryInMs = this.#backoff.fail(performance.now())
      const message = error instanceof Error ? error.message : String(error)
      this.#log.warn({ error: message, retryInMs }, 'no access token for FCM')
    }
  }
}
