import { randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { createSigner } from '../../kernel/signer.ts'

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
 * stored until it expires, so that it works only once.
 */
export function createPasskeyChallenges(secrets: readonly string[], clock: Clock) {
  const signer = createSigner(secrets, 'pigeonhole passkey challenge')

  return {
    /** Returns base64url. */
    create(purpose: ChallengePurpose): string {
      const content = Buffer.alloc(RANDOM_BYTES + TIME_BYTES)
      randomBytes(RANDOM_BYTES).copy(content)
      content.writeUIntBE(clock.now().getTime() + CHALLENGE_SECONDS * 1000, RANDOM_BYTES, TIME_BYTES)
      const mac = Buffer.from(signer.sign(signedContent(content, purpose)), 'base64url')
      return Buffer.concat([content, mac]).toString('base64url')
    },

    /** Returns when the challenge expires, or null if it has expired or was not created for this purpose. */
    expiryOf(challenge: string, purpose: ChallengePurpose): Date | null {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return null
      const content = bytes.subarray(0, -MAC_BYTES)
      const given = bytes.toString('base64url', bytes.length - MAC_BYTES)
      if (!signer.isSigned(signedContent(content, purpose), given)) return null
      const expiresAt = new Date(content.readUIntBE(RANDOM_BYTES, TIME_BYTES))
      return expiresAt > clock.now() ? expiresAt : null
    },
  }
}

function signedContent(content: Buffer, purpose: ChallengePurpose): Buffer {
  const text = purpose === 'sign-in' ? purpose : `register ${purpose.sessionId}`
  return Buffer.concat([content, Buffer.from(text)])
}
