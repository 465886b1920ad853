import { AppError } from '../errors.ts'
import { bearer } from '../http/endpoint.ts'
import { foreignOrigin } from '../http/origin.ts'
import type { SessionUser, UserRepo } from './ports.ts'
import { readCookies, sessionCookieName } from './session-cookie.ts'
import { createSessionMemory } from './session-memory.ts'

export type AuthenticateDeps = {
  users: UserRepo
  secret: string
  baseUrl: string
  corsOrigins: readonly string[]
}

/**
 * Finds whose session a request carries: a bearer token if there is one (then the cookie does not count,
 * even if the token is invalid: the caller said which credential it means), else next-auth's cookie.
 */
export function createAuthenticate(deps: AuthenticateDeps) {
  const { users, baseUrl } = deps
  const readToken = createSessionMemory(deps.secret)
  const cookieName = sessionCookieName(baseUrl)
  const origins = [new URL(baseUrl).origin, ...deps.corsOrigins]

  /**
   * Null without a valid session.
   * @throws AppError UNAUTHORIZED for a change that a foreign page asks for in the name of the cookie's owner
   */
  return async function authenticate(request: Request): Promise<SessionUser | null> {
    const token = bearer(request)
    if (token !== undefined) return userOf(token)
    const cookie = readCookies(request)[cookieName]
    if (!cookie) return null
    const user = await userOf(cookie)
    if (user && !isSafe(request.method)) {
      const from = foreignOrigin(request, origins)
      if (from !== null) throw refusal(from)
    }
    return user
  }

  async function userOf(token: string): Promise<SessionUser | null> {
    const claims = await readToken(token)
    if (!claims) return null
    const user = await users.findSession(claims.userId, claims.epoch)
    return user && { ...user, signedInAt: claims.signedInAt }
  }

  function refusal(from: string): AppError {
    return new AppError(
      'UNAUTHORIZED',
      `The session cookie does not count for changes asked for by ${from.slice(0, 200)}: it is accepted from ${origins.join(', ')} only. Use that address, or send "Authorization: Bearer <session token>".`,
    )
  }
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}
