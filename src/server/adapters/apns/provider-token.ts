import { createPrivateKey } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { signJwt } from '../http2/sign-jwt.ts'

/** Apple: valid for an hour; renew "no more than once every 20 minutes and no less than once every 60 minutes". */
const RENEW_AFTER_MS = 50 * 60_000
const MIN_RENEWAL_INTERVAL_MS = 20 * 60_000

/**
 * Provider token (JWT) that all requests share. apns2 does not export its signer, and renews on each "expired"
 * response, which APNs answers with TooManyProviderTokenUpdates.
 */
export function createProviderToken(
  { teamId, keyId, privateKey }: { teamId: string; keyId: string; privateKey: string },
  clock: Clock,
) {
  const key = createPrivateKey(privateKey)
  let value = ''
  let createdAt = Number.NEGATIVE_INFINITY

  /** Renews a token of at least this age. */
  function renewAfter(ageMs: number): boolean {
    const now = clock.now().getTime()
    if (now - createdAt < ageMs) return false
    value = signJwt({ alg: 'ES256', kid: keyId }, { iss: teamId, iat: Math.floor(now / 1000) }, key)
    createdAt = now
    return true
  }

  return {
    /** Returns the token to send, renewed when it is 50 minutes old. */
    current(): string {
      renewAfter(RENEW_AFTER_MS)
      return value
    },
    /**
     * Renews `token`, which APNs has reported as expired. Only the first of several callers creates a new one. Returns
     * true if there is a newer token, false within 20 minutes of the last renewal.
     */
    renewedAfter: (token: string): boolean => token !== value || renewAfter(MIN_RENEWAL_INTERVAL_MS),
  }
}
