import type { AuthOptions } from 'next-auth'
import type { AuthUser } from '../../auth/ports.ts'
import { signInInput } from '../../auth/schema.ts'
import { claimsOf, payloadOf, SESSION_SECONDS } from '../../auth/session-token.ts'
import type { Services } from '../../container.ts'
import { type AppError, isAppError } from '../../errors.ts'
import type { Log } from '../../telemetry/log.ts'
import type { RequestInfo } from '../request-info.ts'
import { identityFrom } from './identity.ts'
import { loggerFor } from './logger.ts'
import { providerKey, providersFor } from './providers.ts'

export type AuthCall = RequestInfo & {
  services: Pick<Services, 'config' | 'clock' | 'auth'>
  log: Log
  /** Set when a sign-in was refused for more than a wrong password. */
  refusal?: AppError
  /** Set when it failed for a fault of ours, whose words next-auth would show. */
  failure?: unknown
}

/** What the sign-in page is told instead of our error; it has the words. */
const TOO_MANY = 'TooManyRequests'

/**
 * next-auth's options for one request. Its callbacks pass a user on only as far as name and email, so the
 * user that one of them found is kept here for the next.
 */
export function authOptionsFor(call: AuthCall): AuthOptions {
  const { config, clock, auth } = call.services
  let signedIn: AuthUser | undefined
  let current: { id: string; email: string; name: string | null } | undefined

  return {
    secret: config.sessionSecret,
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    pages: { signIn: '/signin', error: '/signin' },
    useSecureCookies: config.baseUrl.startsWith('https:'),
    logger: loggerFor(call.log),
    providers: providersFor(config, async (credentials) => {
      const input = signInInput.safeParse({ email: credentials?.email, password: credentials?.password })
      if (!input.success) return null
      try {
        const { email, password } = input.data
        signedIn = await ours(auth.checkPassword(email, password, call.address))
        return { id: signedIn.id, email: signedIn.email, name: signedIn.name }
      } catch (error) {
        if (isAppError(error) && error.code === 'UNAUTHORIZED') return null
        if (isAppError(error)) call.refusal = error
        throw new Error(TOO_MANY)
      }
    }),
    callbacks: {
      /** For providers; a password was checked before. The text is where a refused person is sent. */
      async signIn({ account, profile }) {
        if (!account || account.type === 'credentials') return signedIn !== undefined
        const provider = providerKey(account.provider, config)
        const identity = identityFrom(provider, account.providerAccountId, profile ?? {})
        const found = await ours(auth.resolveIdentity(identity))
        if (typeof found === 'string') return `/signin?error=${found}`
        signedIn = found
        return true
      },
      /** At a sign-in: the claims of a new session. Else: the old ones, if they still hold. */
      async jwt({ token, account }) {
        if (account) {
          if (!signedIn) throw new Error('next-auth asks for a session of nobody')
          return payloadOf({ userId: signedIn.id, epoch: signedIn.sessionEpoch, signedInAt: clock.now() })
        }
        const claims = claimsOf(token)
        current = (claims && (await ours(auth.findSession(claims.userId, claims.epoch)))) ?? undefined
        // next-auth then removes the cookie and answers that nobody is signed in.
        if (!claims || !current) throw new Error('the session has ended')
        return payloadOf(claims)
      },
      session: ({ session }) => ({ expires: session.expires, user: current }),
      /** Back to our own pages only, however a link to the sign-in page was made. */
      redirect({ url, baseUrl }) {
        const target = URL.parse(url, baseUrl)
        return target?.origin === baseUrl ? target.href : baseUrl
      },
    },
  }

  /** Notes a failure that is not the caller's. */
  async function ours<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!isAppError(error)) call.failure = error
      throw error
    }
  }
}
