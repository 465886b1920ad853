import { hash } from 'node:crypto'
import { decode, encode } from 'next-auth/jwt'
import { isId } from '../../kernel/ids.ts'
import { MAX_SESSION_SECONDS } from './sessions.ts'

/** A token has about 230 characters. Much longer texts are not decrypted. */
const MAX_TOKEN_LENGTH = 4096

/**
 * Session tokens are next-auth's own (JWE, A256GCM, key derived from NEXTAUTH_SECRET), so the same token works as a
 * cookie and as a bearer token. Their only claim is `sid`, the ID of the session's row, which decides how long the
 * session lasts. next-auth renews the token whenever a page asks for the session.
 */
export async function issueSessionToken(secret: string, sessionId: string): Promise<string> {
  return encode({ secret, token: payloadOf(sessionId), maxAge: MAX_SESSION_SECONDS })
}

/** Returns the payload of any token that next-auth issued with one of the secrets, or null. */
export async function decodeToken(secrets: readonly string[], token: string | undefined) {
  if (!token || token.length > MAX_TOKEN_LENGTH) return null
  for (const secret of secrets)
    try {
      return await decode({ secret, token })
    } catch {
      // The library throws for malformed and expired tokens and for another key. None of them is a session.
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

/** An entry takes about 300 bytes. */
const MAX_ENTRIES = 10_000
const TTL_MS = 60_000

/**
 * Reads session tokens and caches their session IDs for a minute. Without the cache, deriving next-auth's key and
 * decrypting each token took 10% of the CPU time of `requestUploadUrl`, and a trip through the thread pool. Only the
 * token's content is cached: each request asks the database for the session, so all replicas reject an ended session
 * at once.
 */
export function createSessionCache(secrets: readonly string[]) {
  const cache = new Map<string, { sessionId: string; validUntil: number }>()

  /** Returns the ID of the token's session, or null for an invalid token. */
  return async function readSessionId(token: string): Promise<string | null> {
    // Keyed by hash, so that no credential stays in memory.
    const key = hash('sha256', token, 'base64')
    const cached = cache.get(key)
    if (cached && cached.validUntil > Date.now()) return cached.sessionId
    cache.delete(key)
    const payload = await decodeToken(secrets, token)
    const sessionId = sessionIdOf(payload)
    if (sessionId === null) return null
    // A Map keeps insertion order, so this deletes the oldest entry.
    if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value!)
    // next-auth writes `exp` (seconds) into every token.
    const validUntil = Math.min(Date.now() + TTL_MS, Number(payload?.exp) * 1000)
    cache.set(key, { sessionId, validUntil })
    return sessionId
  }
}
