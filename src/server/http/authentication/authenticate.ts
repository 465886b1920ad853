import type { ApiKeys } from '../../auth/api-keys.ts'
import { credentialKind } from '../../auth/credential-kind.ts'
import type { ExternalUsers } from '../../auth/external-users.ts'
import type { Principal, SessionUser } from '../../auth/ports.ts'
import { createSessionCache } from '../../auth/session-cache.ts'
import type { Sessions } from '../../auth/sessions.ts'
import { AppError } from '../../errors.ts'
import { clientAddress } from '../request-info.ts'
import { bearerToken } from './bearer-token.ts'
import { foreignOrigin } from './foreign-origin.ts'
import { readCookies, sessionCookieName } from './session-cookie.ts'

export type AuthenticateDeps = {
  sessions: Pick<Sessions, 'find'>
  apiKeys: Pick<ApiKeys, 'authenticate'>
  /** Undefined: no issuer's JWTs are accepted. */
  externalUsers: ExternalUsers | undefined
  sessionSecrets: readonly string[]
  baseUrl: string
  corsOrigins: readonly string[]
}

/**
 * Finds who makes a request: by its bearer token if it has one, else by next-auth's cookie. With a bearer
 * token the cookie never counts, even if the token is invalid: the caller chose the credential.
 */
export function createAuthenticate(deps: AuthenticateDeps) {
  const { sessions, apiKeys, externalUsers, sessionSecrets, baseUrl, corsOrigins } = deps
  const readSessionId = createSessionCache(sessionSecrets)
  const cookieName = sessionCookieName(baseUrl)
  const origins = [new URL(baseUrl).origin, ...corsOrigins]

  /**
   * The user, or null without a valid credential.
   * @throws AppError UNAUTHORIZED when another site's page asks for a change with the user's cookie, and for a JWT or
   * API key that is not accepted
   */
  return async function authenticate(request: Request): Promise<Principal | null> {
    const token = bearerToken(request)
    if (token !== undefined) {
      const kind = credentialKind(token)
      if (kind === 'session') return userOf(token)
      if (kind === 'apiKey') return apiKeys.authenticate(token)
      if (kind === 'jwt' && externalUsers) return externalUsers(token, clientAddress(request))
      return null
    }
    const cookie = readCookies(request)[cookieName]
    if (!cookie || credentialKind(cookie) !== 'session') return null
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
