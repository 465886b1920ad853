import { createPrivateKey, sign } from 'node:crypto'
import type { Clock } from '../clock.ts'

/** Apple: valid for an hour, to be renewed "no more than once every 20 minutes and no less than once every 60 minutes". */
const RENEW_AFTER_MS = 50 * 60_000
const RENEW_FLOOR_MS = 20 * 60_000

export type ProviderToken = {
  /** The token to send; renewed when it is 50 minutes old. */
  current(): string
  /**
   * APNs says that `token` has expired: whether there is a newer one now. The first caller creates it, the others
   * find it; false within 20 minutes of the last renewal.
   */
  renewedAfter(token: string): boolean
}

/**
 * The provider token (JWT, ES256) that all requests share. Signing is synchronous, so two renewals cannot
 * overlap. apns2 does not export its signer and renews on every "expired" response, which APNs answers with
 * TooManyProviderTokenUpdates.
 */
export function createProviderToken(
  { teamId, keyId, privateKey }: { teamId: string; keyId: string; privateKey: string },
  clock: Clock,
): ProviderToken {
  const key = createPrivateKey(privateKey)
  const header = encode({ alg: 'ES256', kid: keyId })
  let value = ''
  let madeAt = Number.NEGATIVE_INFINITY

  function renew(now: number): void {
    const signed = `${header}.${encode({ iss: teamId, iat: Math.floor(now / 1000) })}`
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    value = `${signed}.${signature.toString('base64url')}`
    madeAt = now
  }

  return {
    current() {
      const now = clock.now().getTime()
      if (now - madeAt >= RENEW_AFTER_MS) renew(now)
      return value
    },

    renewedAfter(token) {
      if (token !== value) return true
      const now = clock.now().getTime()
      if (now - madeAt < RENEW_FLOOR_MS) return false
      renew(now)
      return true
    },
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
