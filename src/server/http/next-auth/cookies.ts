import type { AuthOptions } from 'next-auth'
import { sessionCookieName } from '../authentication/session-cookie.ts'

const OPTIONS = { httpOnly: true, sameSite: 'lax', path: '/', secure: true } as const

/** How long a user may take at the provider; as next-auth's own. */
const FLOW = { ...OPTIONS, maxAge: 15 * 60 }

/** The cookie with the page that a sign-in returns to. */
export function callbackUrlCookieName(baseUrl: string): string {
  return `${baseUrl.startsWith('https:') ? '__Host-' : ''}next-auth.callback-url`
}

/**
 * Where NEXTAUTH_URL is https, next-auth's cookies with the prefix `__Host-` (OWASP ASVS 3.4.4), where next-auth has
 * `__Secure-`: a page of a subdomain could set those, and so plant its own sign-in flow. Else next-auth's defaults.
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
