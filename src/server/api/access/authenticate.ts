import type { ApiKeys } from '../../domain/accounts/api-keys.ts'
import { credentialKind } from '../../domain/accounts/credential-kind.ts'
import type { ExternalUsers } from '../../domain/accounts/external-users.ts'
import type { Principal, SessionUser } from '../../domain/accounts/principal.ts'
import { isServerKey } from '../../domain/accounts/server-keys.ts'
import { createSessionCache } from '../../domain/accounts/session-token.ts'
import type { Sessions } from '../../domain/accounts/sessions.ts'
import type { UserTokens } from '../../domain/accounts/user-tokens.ts'
import { AppError } from '../../kernel/errors.ts'
import { clientAddress } from '../http/request-info.ts'
import { bearerToken, serverKeyNotAccepted } from './credentials.ts'
import { readCookies, sessionCookieName } from './session-cookie.ts'

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Returns the other site that a request comes from, for the error message, or null if its origin is allowed. Browsers
 * send `Origin` with every POST, and `Sec-Fetch-Site` since 2020 (Safari: 2023). A client that sends neither of them
 * nor `Referer` is not a browser, so no page of another site made it send the cookie.
 */
function foreignOrigin(request: Request, allowed: readonly string[]): string | null {
  const origin = request.headers.get('origin')
  if (origin !== null) return allowed.includes(origin) ? null : origin
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none' ? null : `a ${site} page`
  const referer = request.headers.get('referer')
  if (referer === null) return null
  if (!URL.canParse(referer)) return 'an unreadable Referer'
  const from = new URL(referer).origin
  return allowed.includes(from) ? null : from
}

export type AuthenticateDeps = {
  sessions: Pick<Sessions, 'find'>
  apiKeys: Pick<ApiKeys, 'authenticate'>
  userTokens: Pick<UserTokens, 'authenticate'>
  /** Undefined if JWTs are not accepted. */
  externalUsers: ExternalUsers | undefined
  sessionSecrets: readonly string[]
  baseUrl: string
  corsOrigins: readonly string[]
}

export type Authenticate = ReturnType<typeof createAuthenticate>

/**
 * Identifies the user of a request by its bearer token or, without one, by next-auth's cookie. A request with a bearer
 * token never falls back to the cookie, even if the token is invalid: the caller chose the credential.
 */
export function createAuthenticate(deps: AuthenticateDeps) {
  const { sessions, apiKeys, userTokens, externalUsers } = deps
  const readSessionId = createSessionCache(deps.sessionSecrets)
  const cookieName = sessionCookieName(deps.baseUrl)
  const origins = [new URL(deps.baseUrl).origin, ...deps.corsOrigins]

  /**
   * Returns the user, or null without a valid credential.
   * @throws AppError UNAUTHORIZED if a JWT, API key, server key or user token is not accepted, or if a page of another site requests a change
   * with the user's cookie
   */
  return async function authenticate(request: Request): Promise<Principal | null> {
    const token = bearerToken(request)
    if (token !== undefined) {
      const kind = credentialKind(token)
      if (kind === 'session') return userOf(token)
      if (kind === 'apiKey') return apiKeys.authenticate(token)
      if (kind === 'userToken') return userTokens.authenticate(token)
      if (isServerKey(token)) throw serverKeyNotAccepted()
      if (kind === 'jwt' && externalUsers) return externalUsers(token, clientAddress(request))
      return null
    }
    const cookie = readCookies(request)[cookieName]
    if (!cookie || credentialKind(cookie) !== 'session') return null
    const user = await userOf(cookie)
    if (user && !SAFE_METHODS.includes(request.method)) {
      const origin = foreignOrigin(request, origins)
      if (origin !== null)
        throw new AppError(
          'UNAUTHORIZED',
          `Changes with the session cookie are accepted only from ${origins.join(', ')}, not from ${origin.slice(0, 200)}. Use an accepted address, or send "Authorization: Bearer <session token>".`,
        )
    }
    return user
  }

  async function userOf(token: string): Promise<SessionUser | null> {
    const sessionId = await readSessionId(token)
    return sessionId === null ? null : sessions.find(sessionId)
  }
}
