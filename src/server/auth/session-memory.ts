import { createHash } from 'node:crypto'
import { readSessionToken, type SessionClaims } from './session-token.ts'

/** Tokens remembered; about 300 bytes each. */
const MAX_TOKENS = 10_000
const REMEMBER_MS = 60_000

/**
 * Reads session tokens, and remembers for a minute what the last ones said: next-auth derives its key anew for
 * every token, and with the decryption that was 10 % of the CPU of `requestUploadUrl` and a trip through the
 * thread pool. What is remembered says only which user and epoch the token was made for; whether that epoch
 * still counts is asked of the database at every request, so a revoked session ends at once.
 */
export function createSessionMemory(secret: string) {
  const known = new Map<string, { claims: SessionClaims; until: number }>()

  return async function readToken(token: string): Promise<SessionClaims | null> {
    // The hash, so that no credential stays in memory.
    const key = createHash('sha256').update(token).digest('base64')
    const found = known.get(key)
    if (found && found.until > Date.now()) return found.claims
    known.delete(key)
    const read = await readSessionToken(secret, token)
    if (!read) return null
    const { expiresAt, ...claims } = read
    if (known.size >= MAX_TOKENS) known.delete(known.keys().next().value!)
    known.set(key, { claims, until: Math.min(Date.now() + REMEMBER_MS, expiresAt.getTime()) })
    return claims
  }
}
