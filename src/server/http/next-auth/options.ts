import type { AuthOptions } from 'next-auth'
import type { AuthUser, LiveSession } from '../../auth/ports.ts'
import { signInInput } from '../../auth/schema.ts'
import { MAX_SESSION_SECONDS } from '../../auth/session-lifetime.ts'
import { decodeToken, payloadOf, sessionIdOf } from '../../auth/session-token.ts'
import type { Services } from '../../container.ts'
import { type AppError, isAppError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import type { RequestInfo } from '../request-info.ts'
import { cookiesFor } from './cookies.ts'
import { identityFrom } from './identity.ts'
import { loggerFor } from './logger.ts'
import { providerKey, providersFor } from './providers.ts'
import { safeRedirectUrl } from './safe-redirect-url.ts'

export type AuthCall = RequestInfo & {
  services: Pick<Services, 'config' | 'auth' | 'sessions'>
  log: Logger
  /** Set when a sign-in was rejected for another reason than a wrong password. */
  rejection?: AppError
  /** Set on a server error, whose message next-auth would show. */
  failure?: unknown
}

/** The error code for the sign-in page, which has the message for it. */
const TOO_MANY = 'TooManyRequests'

/**
 * next-auth's options for one request. Its callbacks pass on only a user's name and email, so the user that one callback
 * found is kept here for the next.
 */
export function authOptionsFor(call: AuthCall): AuthOptions {
  const { config, auth, sessions } = call.services
  let signedIn: AuthUser | undefined
  let current: LiveSession | null = null

  return {
    secret: config.sessionSecret,
    session: { strategy: 'jwt', maxAge: MAX_SESSION_SECONDS },
    jwt: { decode: ({ token }) => decodeToken(config.sessionSecrets, token) },
    pages: { signIn: '/signin', error: '/signin' },
    useSecureCookies: config.baseUrl.startsWith('https:'),
    cookies: cookiesFor(config.baseUrl),
    logger: loggerFor(call.log),
    providers: providersFor(config, async (credentials) => {
      const input = signInInput.safeParse({ email: credentials?.email, password: credentials?.password })
      if (!input.success) return null
      try {
        const { email, password } = input.data
        signedIn = await recordFailure(auth.checkPassword(email, password, call.address))
        return { id: signedIn.id, email: signedIn.email, name: signedIn.name }
      } catch (error) {
        if (isAppError(error) && error.code === 'UNAUTHORIZED') return null
        if (isAppError(error)) call.rejection = error
        throw new Error(TOO_MANY)
      }
    }),
    callbacks: {
      /** For providers; passwords were checked in `authorize`. A string is the URL that a rejected user is sent to. */
      async signIn({ account, profile }) {
        if (!account || account.type === 'credentials') return signedIn !== undefined
        const provider = providerKey(account.provider, config)
        const identity = identityFrom(provider, account.providerAccountId, profile ?? {})
        const found = await recordFailure(auth.resolveIdentity(identity, call.address, call.language))
        if (typeof found === 'string') return `/signin?error=${found}`
        signedIn = found
        return true
      },
      /** At sign-in the claim of the new session, else the old one if the session still lives. */
      async jwt({ token, account }) {
        if (account) {
          if (!signedIn) throw new Error('next-auth asked for a session without a signed-in user')
          return payloadOf((await recordFailure(sessions.begin(signedIn, call.userAgent))).id)
        }
        const sessionId = sessionIdOf(token)
        current = sessionId === null ? null : await recordFailure(sessions.find(sessionId))
        // next-auth then removes the cookie and responds that nobody is signed in.
        if (!current) throw new Error('the session has ended')
        return payloadOf(current.sessionId)
      },
      session({ session }) {
        if (!current) return { expires: session.expires }
        const { id, email, name, expiresAt } = current
        return { expires: expiresAt.toISOString(), user: { id, email, name } }
      },
      /** Whatever the link to the sign-in page says. */
      redirect: ({ url, baseUrl }) => safeRedirectUrl(url, baseUrl),
    },
    events: {
      /** The cookie is removed by next-auth; this ends the session for every copy of its token. */
      async signOut({ token }) {
        const sessionId = sessionIdOf(token)
        if (sessionId !== null) await recordFailure(sessions.end(sessionId, call.address))
      },
    },
  }

  /** Records an error that is not the caller's. */
  async function recordFailure<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!isAppError(error)) call.failure = error
      throw error
    }
  }
}
