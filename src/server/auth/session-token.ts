import { decode, encode } from 'next-auth/jwt'
import { isId } from '../ids.ts'

/** next-auth's default lifetime of a session. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60

/** A token has about 260 characters; anything much longer is not one and is not decrypted. */
const MAX_TOKEN_LENGTH = 4096

export type SessionClaims = { userId: string; epoch: number; signedInAt: Date }

/**
 * Session tokens are next-auth's own (JWE, A256GCM, key derived from NEXTAUTH_SECRET), so the same token
 * works as a cookie and as a bearer token. Claims: `sub` (user), `epoch` and `auth_time` (seconds). next-auth renews
 * `iat` and `exp` whenever a page asks for the session, but never `auth_time`.
 */
export async function issueSessionToken(
  secret: string,
  claims: SessionClaims,
): Promise<{ token: string; expiresAt: Date }> {
  const token = await encode({ secret, token: payloadOf(claims), maxAge: SESSION_SECONDS })
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + SESSION_SECONDS) * 1000)
  return { token, expiresAt }
}

/** Null for an invalid or expired token. */
export async function readSessionToken(
  secret: string,
  token: string,
): Promise<(SessionClaims & { expiresAt: Date }) | null> {
  if (token.length > MAX_TOKEN_LENGTH) return null
  try {
    const payload = await decode({ secret, token })
    const claims = claimsOf(payload)
    // next-auth writes `exp` (seconds) into every token.
    return claims && { ...claims, expiresAt: new Date(Number(payload?.exp) * 1000) }
  } catch {
    // The library throws for garbage, for another key and after expiry: all mean that there is no session.
    return null
  }
}

export function payloadOf(claims: SessionClaims) {
  return {
    sub: claims.userId,
    epoch: claims.epoch,
    auth_time: Math.floor(claims.signedInAt.getTime() / 1000),
  }
}

export function claimsOf(payload: Record<string, unknown> | null): SessionClaims | null {
  if (!payload) return null
  const { sub, epoch, auth_time: authTime } = payload
  if (typeof sub !== 'string' || !isId(sub)) return null
  if (!Number.isInteger(epoch) || !Number.isInteger(authTime)) return null
  return { userId: sub, epoch: epoch as number, signedInAt: new Date((authTime as number) * 1000) }
}
