import { createHash } from 'node:crypto'
import { readSessionToken } from './session-token.ts'

/** An entry takes about 300 bytes. */
const MAX_ENTRIES = 10_000
const TTL_MS = 60_000

/**
 * Reads session tokens and caches the ids in them for a minute. Without the cache next-auth derives its key for
 * every token, which with the decryption was 10 % of the CPU of `requestUploadUrl` and a trip through the thread
 * pool. Only what a token says is cached: every request asks the database whether the session still lives, so one
 * that was ended is refused at once by all replicas.
 */
export function createSessionCache(secrets: readonly string[]) {
  const cache = new Map<string, { sessionId: string; validUntil: number }>()

  /** The id of the token's session, or null if it is not a valid session token. */
  return async function readSessionId(token: string): Promise<string | null> {
    // Keyed by hash, so that no credential stays in memory.
    const key = createHash('sha256').update(token).digest('base64')
    const cached = cache.get(key)
    if (cached && cached.validUntil > Date.now()) return cached.sessionId
    cache.delete(key)
    const read = await readSessionToken(secrets, token)
    if (!read) return null
    // The oldest entry goes: a Map keeps insertion order.
    if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value!)
    const validUntil = Math.min(Date.now() + TTL_MS, read.expiresAt.getTime())
    cache.set(key, { sessionId: read.sessionId, validUntil })
    return read.sessionId
  }
}
