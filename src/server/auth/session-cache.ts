import { createHash } from 'node:crypto'
import { readSessionToken, type SessionClaims } from './session-token.ts'

/** An entry takes about 300 bytes. */
const MAX_ENTRIES = 10_000
const TTL_MS = 60_000

/**
 * Reads session tokens and caches their claims for a minute. Without the cache next-auth derives its key for
 * every token, which with the decryption was 10 % of the CPU of `requestUploadUrl` and a trip through the thread
 * pool. Only the claims (user and epoch) are cached: every request asks the database whether the epoch is still
 * current, so a revoked session ends at once.
 */
export function createSessionCache(secret: string) {
  const cache = new Map<string, { claims: SessionClaims; validUntil: number }>()

  /** The token's claims, or null if it is not a valid session token. */
  return async function readClaims(token: string): Promise<SessionClaims | null> {
    // Keyed by hash, so that no credential stays in memory.
    const key = createHash('sha256').update(token).digest('base64')
    const cached = cache.get(key)
    if (cached && cached.validUntil > Date.now()) return cached.claims
    cache.delete(key)
    const session = await readSessionToken(secret, token)
    if (!session) return null
    const { expiresAt, ...claims } = session
    // The oldest entry goes: a Map keeps insertion order.
    if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value!)
    cache.set(key, { claims, validUntil: Math.min(Date.now() + TTL_MS, expiresAt.getTime()) })
    return claims
  }
}
