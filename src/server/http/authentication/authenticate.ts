import type { SessionUser } from '../../auth/ports.ts'
import { createSessionCache } from '../../auth/session-cache.ts'
import type { Sessions } from '../../auth/sessions.ts'
import { AppError } from '../../errors.ts'
import { bearerToken } from './bearer-token.ts'
import { foreignOrigin } from './foreign-origin.ts'
import { readCookies, sessionCookieName } from './session-cookie.ts'

export type AuthenticateDeps = {
  sessions: Pick<Sessions, 'find'>
  sessionSecrets: readonly string[]
  baseUrl: string
  corsOrigins: readonly string[]
}

/**
 * Finds the session of a request: of its bearer token if it has one, else of next-auth's cookie. With a bearer
 * token the cookie never counts, even if the token is invalid: the caller chose the credential.
 */
export function createAuthenticate({ sessions, sessionSecrets, baseUrl, corsOrigins }: AuthenticateDeps) {
  const readSessionId = createSessionCache(sessionSecrets)
  const cookieName = sessionCookieName(baseUrl)
  const origins = [new URL(baseUrl).origin, ...corsOrigins]

  /**
   * The signed-in user, or null without a valid session.
   * @throws AppError UNAUTHORIZED when another site's page asks for a change with the user's cookie
   */
  return async function authenticate(request: Request): Promise<SessionUser | null> {
    const token = bearerToken(request)
    if (token !== undefined) return userOf(token)
    const cookie = readCookies(request)[cookieName]
    if (!cookie) return null
    const user = await userOf(cookie)
    if (user && !isSafe(request.method)) {
      const origin = foreignOrigin(request, origins)
      if (origin !== null) throw crossSiteError(origin)
    }
    return user
  }

  async function userOf(token: string): Promise<SessionUser | null> {
    const sessionId = await readSessionId(token)
    return sessionId === null ? null : sessions.find(sessionId)
  }

  function crossSiteError(origin: string): AppError {
    return new AppError(
      'UNAUTHORIZED',
      `The session cookie is not accepted for changes requested by ${origin.slice(0, 200)}, only by ${origins.join(', ')}. Use that address, or send "Authorization: Bearer <session token>".`,
    )
  }
}

/** Safe methods (RFC 9110, 9.2.1) change nothing. */
function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}
