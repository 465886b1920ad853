import { Backoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'

export type AccessToken = { value: string; expiresAt: Date }
/** Asks the token endpoint for a new one, never out of a cache; throws if there is none. */
export type FetchAccessToken = () => Promise<AccessToken>

/** A token, or how long to wait before asking again. */
export type Credential = { value: string } | { afterMs: number }

/** Tokens live an hour; renewed while the old one still serves, so that no push waits for it. */
const RENEW_BEFORE_MS = 5 * 60_000
/** Not used in its last moments: it would expire on the way. */
const UNUSABLE_BEFORE_MS = 30_000
/** How long sends wait for the endpoint; what it answers later is taken all the same. */
const FETCH_TIMEOUT_MS = 2_500

/** The access token that all requests share: one renewal is waited for at a time, with backoff while the token endpoint fails. */
export class AccessTokens {
  private readonly fetchToken: FetchAccessToken
  private readonly clock: Clock
  private readonly log: Logger
  private readonly backoff = new Backoff()
  private readonly refusals = new Backoff()
  private token: AccessToken | undefined
  private renewal: Promise<void> | undefined

  constructor(fetchToken: FetchAccessToken, { clock, log }: { clock: Clock; log: Logger }) {
    this.fetchToken = fetchToken
    this.clock = clock
    this.log = log
  }

  /** The last one that was given and not refused. */
  get newest(): string | undefined {
    return this.token?.value
  }

  /** Never rejects. Answers at once while there is a usable token. */
  get(): Credential | Promise<Credential> {
    const leftMs = this.leftMs()
    if (leftMs > RENEW_BEFORE_MS) return this.token!
    if (leftMs > UNUSABLE_BEFORE_MS) {
      void this.renew()
      return this.token!
    }
    return this.renew().then(() =>
      this.leftMs() > UNUSABLE_BEFORE_MS
        ? this.token!
        : { afterMs: Math.max(1, this.backoff.waitMs(performance.now())) },
    )
  }

  /**
   * FCM does not take `value`. Returns 0 if a newer one is there or may be asked for, else the milliseconds to
   * wait: an endpoint whose tokens are never taken is not asked for one per push.
   */
  refused(value: string): number {
    if (this.token?.value !== value) return 0
    const now = performance.now()
    const waitMs = this.refusals.waitMs(now)
    if (waitMs > 0) return waitMs
    this.refusals.fail(now)
    this.token = undefined
    return 0
  }

  /** FCM took the current one. */
  accepted(): void {
    this.refusals.succeed()
  }

  private leftMs(): number {
    return this.token ? this.token.expiresAt.getTime() - this.clock.now().getTime() : 0
  }

  private renew(): Promise<void> {
    if (this.renewal) return this.renewal
    if (this.backoff.waitMs(performance.now()) > 0) return Promise.resolve()
    this.renewal = this.fetchOnce().finally(() => {
      this.renewal = undefined
    })
    return this.renewal
  }

  private async fetchOnce(): Promise<void> {
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(() => timeout.reject(new Error('no answer in time')), FETCH_TIMEOUT_MS)
    const fetched = this.fetchToken().then((token) => {
      this.token = token
      this.backoff.succeed()
    })
    try {
      await Promise.race([fetched, timeout.promise])
    } catch (error) {
      const retryInMs = this.backoff.fail(performance.now())
      const message = error instanceof Error ? error.message : String(error)
      this.log.warn({ error: message, retryInMs }, 'no access token for FCM')
    } finally {
      clearTimeout(timer)
    }
  }
}
