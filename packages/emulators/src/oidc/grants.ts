import { createHash, randomBytes } from 'node:crypto'
import type { OidcClient, OidcUser } from './options.ts'

/** Lifetime of a code. RFC 6749 recommends at most 10 minutes. */
const CODE_SECONDS = 60

export type AuthorizationRequest = {
  client: OidcClient
  redirectUri: string
  scope: string[]
  state: string | null
  nonce: string | null
  codeChallenge: string | null
}

export type Grant = { request: AuthorizationRequest; user: OidcUser; authTime: number; expiresAt: number }

/** Codes of the authorization code flow. Each can be redeemed once, by its client and for its redirect URI. */
export function createGrants() {
  const grants = new Map<string, Grant>()
  return {
    /** Creates a code for this user. */
    create(request: AuthorizationRequest, user: OidcUser): string {
      const code = randomBytes(32).toString('base64url')
      const now = Math.floor(Date.now() / 1000)
      grants.set(code, { request, user, authTime: now, expiresAt: now + CODE_SECONDS })
      return code
    },

    /** Redeems a code. Returns null for `invalid_grant`. The first attempt uses the code up, even if it fails. */
    redeem(client: OidcClient, form: URLSearchParams): Grant | null {
      const code = form.get('code') ?? ''
      const grant = grants.get(code)
      grants.delete(code)
      if (!grant || grant.expiresAt < Date.now() / 1000) return null
      const { request } = grant
      if (request.client !== client || request.redirectUri !== form.get('redirect_uri')) return null
      return isVerifier(form.get('code_verifier'), request.codeChallenge) ? grant : null
    },
  }
}

/**
 * Checks the verifier (RFC 7636, 4.6). Rejects one without a challenge, which indicates a downgrade (RFC 9700, 2.1.1).
 */
function isVerifier(verifier: string | null, challenge: string | null): boolean {
  if (challenge === null) return verifier === null
  if (verifier === null || !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
