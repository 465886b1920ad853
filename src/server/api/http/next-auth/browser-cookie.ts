import { hostPrefix } from '../../access/session-cookie.ts'

/** Browsers keep cookies for at most 400 days (RFC 6265bis). Each sign-in renews it. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60

/** Name of the cookie that remembers who has signed in with this browser. */
export const browserCookieName = (baseUrl: string) => `${hostPrefix(baseUrl)}pigeonhole.browser`

export function browserCookie(baseUrl: string, value: string): string {
  const secure = baseUrl.startsWith('https:') ? ' Secure;' : ''
  return `${browserCookieName(baseUrl)}=${value}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly;${secure} SameSite=Lax`
}
