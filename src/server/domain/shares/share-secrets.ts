import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { hashToken } from '../../kernel/tokens.ts'

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/

export type ShareSecrets = ReturnType<typeof createShareSecrets>

/**
 * Creates link tokens and unlock cookies, with keys derived from NEXTAUTH_SECRET. The first of `secrets` is the current
 * one; the others are from a rotation. A token is the HMAC of its share's ID, so its owner can see the link again, while
 * the database only stores a hash that opens nothing.
 */
export function createShareSecrets(secrets: readonly string[]) {
  const linkKeys = secrets.map((secret) => derive(secret, 'pigeonhole share link'))
  const unlockKeys = secrets.map((secret) => derive(secret, 'pigeonhole share unlock'))

  return {
    tokenOf: (id: string): string => mac(linkKeys[0]!, id),

    /** Returns the token with this hash, or null if none of the secrets created it. */
    findToken: (id: string, hash: string): string | null =>
      linkKeys.map((key) => mac(key, id)).find((token) => hashToken(token) === hash) ?? null,

    /** Returns the cookie that replaces the share's password until this time. */
    unlock(id: string, until: Date): string {
      const seconds = Math.floor(until.getTime() / 1000)
      return `${seconds}.${mac(unlockKeys[0]!, `${id}.${seconds}`)}`
    },

    isUnlocked(id: string, cookie: string | undefined, now: Date): boolean {
      const [, seconds, given] = /^(\d{1,12})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
      if (!seconds || !given || Number(seconds) * 1000 <= now.getTime()) return false
      return unlockKeys.some((key) => isEqual(mac(key, `${id}.${seconds}`), given))
    },
  }
}

/** Returns true if the text has the form of a token. Other texts are not looked up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

function mac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
