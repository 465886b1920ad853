import { createHash, randomBytes } from 'node:crypto'
import type { OidcClient, OidcUser } from './options.ts'

/** How long a code may be redeemed; RFC 6749 recommends 10 minutes at most. */
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

/** Codes of the authorization code flow: each is redeemed once, by the client and for the URI that it was made for. */
export function createGrants() {
  const grants = new Map<string, Grant>()
  return {
    /** A code for this user. */
    make(request: AuthorizationRequest, user: OidcUser): string {
      const code = randomBytes(32).toString('base64url')
      const now = Math.floor(Date.now() / 1000)
      grants.set(code, { request, user, authTime: now, expiresAt: now + CODE_SECONDS })
      return code
    },

    /** Null: `invalid_grant`. A code is used up by the first attempt, whatever comes of it. */
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

/** RFC 7636, 4.6; a verifier without a challenge is a sign of a downgrade (RFC 9700, 2.1.1). */
function isVerifier(verifier: string | null, challenge: string | null): boolean {
  if (challenge === null) return verifier === null
  if (verifier === null || !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
