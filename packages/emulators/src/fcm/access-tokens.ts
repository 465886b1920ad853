import { randomBytes } from 'node:crypto'
import type { Reason } from './errors.ts'

const SENDING_SCOPES = [
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
]

type Issued = {
  readonly expiresAt: number
  readonly scopes: readonly string[]
}

/** OAuth 2 access tokens that this gateway has issued and still accepts. */
export class AccessTokens {
  /** Lifetime of tokens issued from now on. Google's tokens expire after an hour. */
  lifetimeSeconds: number
  readonly #issued = new Map<string, Issued>()
  readonly #fixed: ReadonlySet<string>
  readonly #now: () => number

  /** `fixed` tokens never expire, for tests without a token endpoint. */
  constructor(lifetimeSeconds = 3600, fixed: readonly string[] = [], now: () => number = Date.now) {
    this.lifetimeSeconds = lifetimeSeconds
    this.#fixed = new Set(fixed)
    this.#now = now
  }

  issue(scope: string): { token: string; expiresInSeconds: number } {
    const now = this.#now()
    for (const [token, { expiresAt }] of this.#issued) {
      // Keep expired tokens for an hour, so that the sender gets "expired" instead of "unknown".
      if (expiresAt < now - 3_600_000) this.#issued.delete(token)
    }
    const token = `ya29.${randomBytes(48).toString('base64url')}`
    this.#issued.set(token, { expiresAt: now + this.lifetimeSeconds * 1000, scopes: scope.split(' ') })
    return { token, expiresInSeconds: this.lifetimeSeconds }
  }

  /** Revokes all issued tokens, so that senders must request new ones. */
  revokeAll(): void {
    this.#issued.clear()
  }

  /** Checks the `authorization` header. Returns the accepted token, or the reason for rejection. */
  check(authorization: string | undefined): { reason: Reason } | { token: string } {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (!token) return { reason: 'CREDENTIALS_MISSING' }
    if (this.#fixed.has(token)) return { token }
    const issued = this.#issued.get(token)
    if (!issued) return { reason: 'ACCESS_TOKEN_INVALID' }
    if (this.#now() >= issued.expiresAt) return { reason: 'ACCESS_TOKEN_EXPIRED' }
    if (!issued.scopes.some((scope) => SENDING_SCOPES.includes(scope)))
      return { reason: 'INSUFFICIENT_SCOPE' }
    return { token }
  }
}
