import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** What base64url makes of 256 bits. */
const TOKEN = /^[\w-]{43}$/

export type ShareSecrets = ReturnType<typeof createShareSecrets>

/**
 * Link tokens and unlock cookies, both made with keys derived from NEXTAUTH_SECRET (the first of `secrets`; the others
 * are of the rotation). A token is the HMAC of its share's id: the owner can be shown the link again, while the
 * database holds only its hash, with which nobody opens anything.
 */
export function createShareSecrets(secrets: readonly string[]) {
  const linkKeys = secrets.map((secret) => derive(secret, 'pigeonhole share link'))
  const unlockKeys = secrets.map((secret) => derive(secret, 'pigeonhole share unlock'))

  return {
    tokenOf: (id: string): string => mac(linkKeys[0]!, id),

    /** The token of a share that was made with this hash; null if none of the secrets made it. */
    findToken: (id: string, hash: string): string | null =>
      linkKeys.map((key) => mac(key, id)).find((token) => hashOf(token) === hash) ?? null,

    /** The value of the cookie that stands for the share's password until then. */
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

/** Whether it has the form of a token; anything else is not looked up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** What is stored of a token. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
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
