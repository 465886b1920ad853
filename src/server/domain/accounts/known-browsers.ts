import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Users that one browser remembers. The least recent sign-ins are forgotten. */
const MAX_USERS = 10
/** One HMAC-SHA256 in base64url for each user. */
const MARK = /^[\w-]{43}$/

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>

/**
 * Uses a cookie to recognize browsers in which a user has signed in before. It contains a mark for each user, which
 * only this service can compute and which reveals nothing. The first of `secrets` is the current one; the others are
 * from a rotation.
 */
export function createKnownBrowsers(secrets: readonly string[]) {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'pigeonhole known browser', 32)),
  )
  const markOf = (key: Buffer, userId: string) => createHmac('sha256', key).update(userId).digest('base64url')
  const marksIn = (cookie: string | undefined) =>
    (cookie ?? '').split('.', MAX_USERS).filter((mark) => MARK.test(mark))
  const isMark = (mark: string, userId: string) =>
    keys.some((key) => timingSafeEqual(Buffer.from(mark), Buffer.from(markOf(key, userId))))

  return {
    isKnown: (cookie: string | undefined, userId: string): boolean =>
      marksIn(cookie).some((mark) => isMark(mark, userId)),

    /** Returns the cookie that also remembers this user. */
    remember(cookie: string | undefined, userId: string): string {
      const others = marksIn(cookie).filter((mark) => !isMark(mark, userId))
      return [markOf(keys[0]!, userId), ...others].slice(0, MAX_USERS).join('.')
    },
  }
}
