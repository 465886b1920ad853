import { decode, encode } from 'next-auth/jwt'
import { isId } from '../ids.ts'
import { MAX_SESSION_SECONDS } from './session-lifetime.ts'

/** A token has about 230 characters; anything much longer is not one and is not decrypted. */
const MAX_TOKEN_LENGTH = 4096

/**
 * Session tokens are next-auth's own (JWE, A256GCM, key derived from NEXTAUTH_SECRET), so the same token
 * works as a cookie and as a bearer token. Their only claim is `sid`, the id of the session's row: the row decides
 * how long the session lives. next-auth renews the token whenever a page asks for the session.
 */
export async function issueSessionToken(secret: string, sessionId: string): Promise<string> {
  return encode({ secret, token: payloadOf(sessionId), maxAge: MAX_SESSION_SECONDS })
}

/** The session's id and the token's end, or null if none of the secrets made the token or it has expired. */
export async function readSessionToken(
  secrets: readonly string[],
  token: string,
): Promise<{ sessionId: string; expiresAt: Date } | null> {
  const payload = await decodeToken(secrets, token)
  const sessionId = sessionIdOf(payload)
  // next-auth writes `exp` (seconds) into every token.
  return sessionId === null ? null : { sessionId, expiresAt: new Date(Number(payload?.exp) * 1000) }
}

/** The payload of any token that next-auth made with one of the secrets, or null. */
export async function decodeToken(secrets: readonly string[], token: string | undefined) {
  if (!token || token.length > MAX_TOKEN_LENGTH) return null
  for (const secret of secrets)
    try {
      return await decode({ secret, token })
    } catch {
      // The library throws for garbage, for another key and after expiry: all mean that there is no session.
    }
  return null
}

export function payloadOf(sessionId: string) {
  return { sid: sessionId }
}

export function sessionIdOf(payload: Record<string, unknown> | null): string | null {
  const sid = payload?.sid
  return typeof sid === 'string' && isId(sid) ? sid : null
}
