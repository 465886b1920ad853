import type { AuthOptions } from 'next-auth'
import { hostPrefix, sessionCookieName } from '../../access/session-cookie.ts'

const OPTIONS = { httpOnly: true, sameSite: 'lax', path: '/', secure: true } as const

/** Time that users have to sign in at the provider, like next-auth's default. */
const FLOW = { ...OPTIONS, maxAge: 15 * 60 }

/** Name of the cookie that stores the page to return to after sign-in. */
export function callbackUrlCookieName(baseUrl: string): string {
  return `${hostPrefix(baseUrl)}next-auth.callback-url`
}

/**
 * Adds the prefix `__Host-` (OWASP ASVS 3.4.4) to next-auth's cookies if NEXTAUTH_URL is https. With next-auth's own
 * prefix, `__Secure-`, a page of a subdomain could set these cookies and so start its own sign-in flow.
 */
export function cookiesFor(baseUrl: string): AuthOptions['cookies'] {
  if (!baseUrl.startsWith('https:')) return {}
  return {
    sessionToken: { name: sessionCookieName(baseUrl), options: OPTIONS },
    callbackUrl: { name: callbackUrlCookieName(baseUrl), options: OPTIONS },
    pkceCodeVerifier: { name: '__Host-next-auth.pkce.code_verifier', options: FLOW },
    state: { name: '__Host-next-auth.state', options: FLOW },
    nonce: { name: '__Host-next-auth.nonce', options: OPTIONS },
  }
}

/**
 * Name of the cookie with the email of a rejected form, which the sign-in page shows again. Only that page gets it. The
 * page's address has no email, because addresses are logged.
 */
export const TYPED_EMAIL_COOKIE = 'pigeonhole.typed-email'

/** Returns the cookie with an email, or one that removes it. */
export function typedEmailCookie(baseUrl: string, email?: string): string {
  const secure = baseUrl.startsWith('https:') ? ' Secure;' : ''
  const value = email === undefined ? '; Max-Age=0' : `${encodeURIComponent(email)}; Max-Age=60`
  return `${TYPED_EMAIL_COOKIE}=${value}; Path=/signin; HttpOnly;${secure} SameSite=Lax`
}

/** Browsers keep cookies for at most 400 days (RFC 6265bis). Each sign-in renews it. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60

/** Name of the cookie that remembers who has signed in with this browser. */
export const browserCookieName = (baseUrl: string) => `${hostPrefix(baseUrl)}pigeonhole.browser`

export function browserCookie(baseUrl: string, value: string): string {
  const secure = baseUrl.startsWith('https:') ? ' Secure;' : ''
  return `${browserCookieName(baseUrl)}=${value}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly;${secure} SameSite=Lax`
}
