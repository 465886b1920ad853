import { createSigner } from '../../kernel/signer.ts'

/** Users that one browser remembers. The least recent sign-ins are forgotten. */
const MAX_USERS = 10
/** One HMAC-SHA256 in base64url for each user. */
const MARK = /^[\w-]{43}$/

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>

/**
 * Uses a cookie to recognize browsers in which a user has signed in before. It contains a mark for each user, which
 * only this service can compute and which reveals nothing.
 */
export function createKnownBrowsers(secrets: readonly string[]) {
  const marks = createSigner(secrets, 'pigeonhole known browser')
  const marksIn = (cookie: string | undefined) =>
    (cookie ?? '').split('.', MAX_USERS).filter((mark) => MARK.test(mark))

  return {
    isKnown: (cookie: string | undefined, userId: string): boolean =>
      marksIn(cookie).some((mark) => marks.isSigned(userId, mark)),

    /** Returns the cookie that also remembers this user. */
    remember(cookie: string | undefined, userId: string): string {
      const others = marksIn(cookie).filter((mark) => !marks.isSigned(userId, mark))
      return [marks.sign(userId), ...others].slice(0, MAX_USERS).join('.')
    },
  }
}
