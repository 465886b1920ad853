import { randomBytes } from 'node:crypto'
import type { Reason } from './errors.ts'

const SCOPES_THAT_MAY_SEND = [
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
]

type Issued = {
  readonly expiresAt: number
  readonly scopes: readonly string[]
}

/** The OAuth 2 access tokens that this gateway has issued and still honours. */
export class AccessTokens {
  /** For tokens issued from now on. Google's live an hour. */
  lifetimeSeconds: number
  readonly #issued = new Map<string, Issued>()
  readonly #fixed: ReadonlySet<string>
  readonly #now: () => number

  /** `fixed` tokens never expire: for tests that want no token endpoint. */
  constructor(lifetimeSeconds = 3600, fixed: readonly string[] = [], now: () => number = Date.now) {
    this.lifetimeSeconds = lifetimeSeconds
    this.#fixed = new Set(fixed)
    this.#now = now
  }

  issue(scope: string): { token: string; expiresInSeconds: number } {
    const now = this.#now()
    for (const [token, { expiresAt }] of this.#issued) {
      // Expired ones are remembered for a while: the sender is told "expired", not "unknown".
      if (expiresAt < now - 3_600_000) this.#issued.delete(token)
    }
    const token = `ya29.${randomBytes(48).toString('base64url')}`
    this.#issued.set(token, { expiresAt: now + this.lifetimeSeconds * 1000, scopes: scope.split(' ') })
    return { token, expiresInSeconds: this.lifetimeSeconds }
  }

  /** Takes back every token that was issued: senders must ask for new ones. */
  revokeAll(): void {
    this.#issued.clear()
  }

  /** The reason to refuse this `authorization` header, or the accepted token. */
  check(authorization: string | undefined): { reason: Reason } | { token: string } {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (!token) return { reason: 'CREDENTIALS_MISSING' }
    if (this.#fixed.has(token)) return { token }
    const issued = this.#issued.get(token)
    if (!issued) return { reason: 'ACCESS_TOKEN_INVALID' }
    if (this.#now() >= issued.expiresAt) return { reason: 'ACCESS_TOKEN_EXPIRED' }
    if (!issued.scopes.some((scope) => SCOPES_THAT_MAY_SEND.includes(scope)))
      return { reason: 'INSUFFICIENT_SCOPE' }
    return { token }
  }
}
