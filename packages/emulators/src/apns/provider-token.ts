import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Connection } from '../gateway/connection.ts'
import { isSignedEs256, type Jws, parseJws } from '../gateway/jws.ts'
import type { Reason } from './reasons.ts'

export type ProviderTokenOptions = {
  teamId: string
  keyId: string
  /** Public key (PEM, SPKI) of the team's ES256 signing key. */
  publicKey: string
  /**
   * Scope of the limit of one new provider token per 20 minutes. `connection` is what APNs does (replicas have their
   * own tokens). `key` covers all connections, and thus also detects one token per connection. Default: `connection`.
   */
  tokenUpdatesPer?: 'connection' | 'key'
  /** Returns milliseconds since the epoch. Default: Date.now. */
  now?: () => number
}

type Seen = { token: string; since: number }

const MAX_AGE_MS = 3_600_000
const UPDATE_FLOOR_MS = 20 * 60_000
const CLOCK_SKEW_MS = 5 * 60_000
const REMEMBERED_TOKENS = 1000

/**
 * Checks provider tokens according to "Establishing a token-based connection to APNs": ES256, `kid` in the header, and
 * `iss` (team) and `iat` (seconds) among the claims. Tokens must be at most an hour old, and renewed at most every 20
 * minutes. Rejects tokens from more than 5 minutes in the future, such as those with milliseconds in `iat`. Apple gives
 * no figure for this.
 */
export class ProviderTokens {
  readonly #options: ProviderTokenOptions
  readonly #key: KeyObject
  readonly #verified = new Map<string, Jws>()
  readonly #latestOfKey = new Map<string, unknown>()
  readonly #now: () => number

  constructor(options: ProviderTokenOptions) {
    this.#options = options
    this.#key = createPublicKey(options.publicKey)
    this.#now = options.now ?? Date.now
  }

  /** Checks the `authorization` header of a connection. Returns the accepted token, or the reason for rejection. */
  check(authorization: string | undefined, connection: Connection): { reason: Reason } | { token: string } {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (!token) return { reason: 'MissingProviderToken' }
    const jws = this.#verify(token)
    if (!jws) return { reason: 'InvalidProviderToken' }
    const ageMs = this.#now() - Number(jws.claims.iat) * 1000
    if (ageMs < -CLOCK_SKEW_MS) return { reason: 'InvalidProviderToken' }
    if (ageMs > MAX_AGE_MS) return { reason: 'ExpiredProviderToken' }
    if (this.#isTooSoon(token, connection)) return { reason: 'TooManyProviderTokenUpdates' }
    return { token }
  }

  #verify(token: string): Jws | null {
    const known = this.#verified.get(token)
    if (known) return known
    const jws = parseJws(token)
    if (!jws) return null
    const { teamId, keyId } = this.#options
    const isOurs = jws.header.alg === 'ES256' && jws.header.kid === keyId && jws.claims.iss === teamId
    if (!isOurs || !Number.isInteger(jws.claims.iat) || !isSignedEs256(jws, this.#key)) return null
    if (this.#verified.size >= REMEMBERED_TOKENS) this.#verified.clear()
    this.#verified.set(token, jws)
    return jws
  }

  #isTooSoon(token: string, connection: Connection): boolean {
    const notes = this.#options.tokenUpdatesPer === 'key' ? this.#latestOfKey : connection.notes
    const seen = notes.get('provider-token') as Seen | undefined
    if (seen?.token === token) return false
    const now = this.#now()
    if (seen && now - seen.since < UPDATE_FLOOR_MS) return true
    notes.set('provider-token', { token, since: now } satisfies Seen)
    return false
  }
}
