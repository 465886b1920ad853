import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'

/** Time to answer a challenge. The sign-in page fetches another one before it expires. */
export const CHALLENGE_SECONDS = 5 * 60

const RANDOM_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 32

/** Purpose of a challenge: a sign-in, or a registration in one session. */
export type ChallengePurpose = 'sign-in' | { sessionId: string }

export type PasskeyChallenges = ReturnType<typeof createPasskeyChallenges>

/**
 * Creates WebAuthn challenges: random bytes and an expiry, authenticated with a key derived from NEXTAUTH_SECRET. Every
 * replica accepts them, and asking for one stores nothing (docs/decisions/014-passkeys.md). Once answered, its hash is
 * stored until it expires, so that it works only once. The first of `secrets` is the current one.
 */
export function createPasskeyChallenges(secrets: readonly string[], clock: Clock) {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'pigeonhole passkey challenge', 32)),
  )

  return {
    /** Returns base64url. */
    create(purpose: ChallengePurpose): string {
      const content = Buffer.alloc(RANDOM_BYTES + TIME_BYTES)
      randomBytes(RANDOM_BYTES).copy(content)
      content.writeUIntBE(clock.now().getTime() + CHALLENGE_SECONDS * 1000, RANDOM_BYTES, TIME_BYTES)
      return Buffer.concat([content, mac(keys[0]!, content, purpose)]).toString('base64url')
    },

    /** Returns when the challenge expires, or null if it has expired or was not created for this purpose. */
    expiryOf(challenge: string, purpose: ChallengePurpose): Date | null {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return null
      const content = bytes.subarray(0, -MAC_BYTES)
      const given = bytes.subarray(-MAC_BYTES)
      if (!keys.some((key) => timingSafeEqual(mac(key, content, purpose), given))) return null
      const expiresAt = new Date(content.readUIntBE(RANDOM_BYTES, TIME_BYTES))
      return expiresAt > clock.now() ? expiresAt : null
    },
  }
}

function mac(key: Buffer, content: Buffer, purpose: ChallengePurpose): Buffer {
  const text = purpose === 'sign-in' ? purpose : `register ${purpose.sessionId}`
  return createHmac('sha256', key).update(content).update(text).digest()
}
