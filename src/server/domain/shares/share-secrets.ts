import { createSigner } from '../../kernel/signer.ts'
import { hashToken } from '../../kernel/tokens.ts'

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/

export type ShareSecrets = ReturnType<typeof createShareSecrets>

/**
 * Creates link tokens and unlock cookies. A token is the HMAC of its share's ID, so its owner can see the link again,
 * while the database only stores a hash that opens nothing.
 */
export function createShareSecrets(secrets: readonly string[]) {
  const links = createSigner(secrets, 'pigeonhole share link')
  const unlocks = createSigner(secrets, 'pigeonhole share unlock')

  return {
    tokenOf: links.sign,

    /** Returns the token with this hash, or null if none of the secrets created it. */
    findToken: (id: string, hash: string): string | null =>
      links.signatures(id).find((token) => hashToken(token) === hash) ?? null,

    /** Returns the cookie that replaces the share's password until this time. */
    unlock(id: string, until: Date): string {
      const seconds = Math.floor(until.getTime() / 1000)
      return `${seconds}.${unlocks.sign(`${id}.${seconds}`)}`
    },

    isUnlocked(id: string, cookie: string | undefined, now: Date): boolean {
      const [, seconds, given] = /^(\d{1,12})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
      if (!seconds || !given || Number(seconds) * 1000 <= now.getTime()) return false
      return unlocks.isSigned(`${id}.${seconds}`, given)
    },
  }
}

/** Returns true if the text has the form of a token. Other texts are not looked up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}
