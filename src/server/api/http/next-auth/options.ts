import type { AuthOptions, LoggerInstance } from 'next-auth'
import { recoverySignInInput, usedCredential } from '../../../domain/accounts/passkey-schema.ts'
import type { SignInMethod } from '../../../domain/accounts/principal.ts'
import { signInInput } from '../../../domain/accounts/schema.ts'
import { decodeToken, payloadOf, sessionIdOf } from '../../../domain/accounts/session-token.ts'
import { type ActiveSession, MAX_SESSION_SECONDS } from '../../../domain/accounts/sessions.ts'
import type { AuthUser } from '../../../domain/accounts/user-repo.ts'
import { type AppError, isAppError } from '../../../kernel/errors.ts'
import type { Logger } from '../../../kernel/log.ts'
import { providerKey } from '../../access/provider-key.ts'
import type { Services } from '../../services.ts'
import type { RequestInfo } from '../request-info.ts'
import { cookiesFor } from './cookies.ts'
import { identityFrom } from './identity.ts'
import { providersFor } from './providers.ts'
import { safeRedirectUrl } from './safe-redirect-url.ts'

/** Codes that next-auth reports as errors but are normal: expired sessions and canceled provider sign-ins. */
const EXPECTED = new Set(['JWT_SESSION_ERROR', 'OAUTH_CALLBACK_ERROR', 'OAUTH_CALLBACK_HANDLER_ERROR'])

/** Writes next-auth's messages to the log without their metadata, which contains profiles, tokens and client secrets. */
function loggerFor(log: Logger): Partial<LoggerInstance> {
  return {
    error(code, metadata) {
      const err = metadata instanceof Error ? metadata : metadata.error
      if (EXPECTED.has(code)) log.info({ code, reason: err?.message }, 'next-auth')
      else log.error({ code, err }, 'next-auth')
    },
    warn: (code) => log.debug({ code }, 'next-auth'),
    debug: () => {},
  }
}

export type AuthCall = RequestInfo & {
  services: Pick<Services, 'config' | 'auth' | 'sessions' | 'notices' | 'knownBrowsers'>
  log: Logger
  /** Value of the session cookie. It can belong to any session, or to none. */
  sessionToken: string | undefined
  /** Value of the cookie for `KnownBrowsers`. */
  browserMarks: string | undefined
  /** Moves the request from its address's queue to the queue for password hashing. */
  leaveQueue(): void
  /** ID of the user who has just signed in. */
  signedInId?: string
  /** Set if a sign-in was rejected for a reason other than a wrong password. */
  rejection?: AppError
  /** Set after a server error, whose message next-auth would show. */
  failure?: unknown
}

/** Error codes for the sign-in page, which has a message for each. */
const TOO_MANY = 'TooManyRequests'
const PASSKEY_REQUIRED = 'PasskeyRequired'

/**
 * Returns next-auth's options for one request. Its callbacks pass on only the user's name and email, so this function
 * keeps the user that one callback found for the next one.
 */
export function authOptionsFor(call: AuthCall): AuthOptions {
  const { config, auth, sessions, notices, knownBrowsers } = call.services
  let signedIn: AuthUser | undefined
  let method: SignInMethod = 'password'
  let current: ActiveSession | null = null

  return {
    secret: config.sessionSecret,
    session: { strategy: 'jwt', maxAge: MAX_SESSION_SECONDS },
    jwt: { decode: ({ token }) => decodeToken(config.sessionSecrets, token) },
    pages: { signIn: '/signin', error: '/signin' },
    useSecureCookies: config.baseUrl.startsWith('https:'),
    cookies: cookiesFor(config.baseUrl),
    logger: loggerFor(call.log),
    providers: providersFor(config, async (credentials) => {
      try {
        const found = await recordFailure(check(credentials ?? {}))
        if (!found) return null
        method = found.method
        signedIn = found.user
        return { id: signedIn.id, email: signedIn.email, name: signedIn.name }
      } catch (error) {
        if (isAppError(error) && error.code === 'UNAUTHORIZED') return null
        if (isAppError(error) && error.data.reason === 'passkey_required') throw new Error(PASSKEY_REQUIRED)
        if (isAppError(error)) call.rejection = error
        throw new Error(TOO_MANY)
      }
    }),
    callbacks: {
      /** Resolves a provider's user; `authorize` has checked passwords. Rejected users are redirected to the URL. */
      async signIn({ account, profile }) {
        if (!account || account.type === 'credentials') return signedIn !== undefined
        const provider = providerKey(account.provider, config)
        const identity = identityFrom(provider, account.providerAccountId, profile ?? {})
        const found = await recordFailure(auth.resolveIdentity(identity, call.address, call.language))
        if (typeof found === 'string') return `/signin?error=${found}`
        signedIn = found
        method = 'provider'
        return true
      },
      /** Returns the claim of the session that a sign-in starts or renews, otherwise that of an active session. */
      async jwt({ token, account }) {
        if (account) {
          if (!signedIn) throw new Error('next-auth asked for a session without a signed-in user')
          call.signedInId = signedIn.id
          // Do this before the new session exists, because the notice uses the language of the user's last session.
          notices.signedInBrowser(
            signedIn.id,
            knownBrowsers.isKnown(call.browserMarks, signedIn.id),
            call.language,
          )
          return payloadOf(await recordFailure(startSession(signedIn)))
        }
        const sessionId = sessionIdOf(token)
        current = sessionId === null ? null : await recordFailure(sessions.find(sessionId))
        // next-auth then removes the cookie and responds without a user.
        if (!current) throw new Error('the session has ended')
        return payloadOf(current.sessionId)
      },
      session({ session }) {
        if (!current) return { expires: session.expires }
        const { id, email, name, expiresAt } = current
        return { expires: expiresAt.toISOString(), user: { id, email, name } }
      },
      redirect: ({ url, baseUrl }) => safeRedirectUrl(url, baseUrl),
    },
    events: {
      /** Ends the session for every copy of its token. next-auth removes only the cookie. */
      async signOut({ token }) {
        const sessionId = sessionIdOf(token)
        if (sessionId !== null) await recordFailure(sessions.end(sessionId, call.address))
      },
    },
  }

  /** Returns the ID of a new session. A user who signs in again in the same browser keeps the session, now recent. */
  async function startSession(user: AuthUser): Promise<string> {
    const currentId = sessionIdOf(await decodeToken(config.sessionSecrets, call.sessionToken))
    const active = currentId === null ? null : await sessions.find(currentId)
    if (active?.id !== user.id) return (await sessions.begin(user, call, method)).id
    await sessions.renew(active.sessionId, method)
    return active.sessionId
  }

  /** Checks a form with email and password, a recovery code or a passkey. Null: the form is not valid. */
  async function check(
    form: Record<string, string>,
  ): Promise<{ method: SignInMethod; user: AuthUser } | null> {
    const { email, password, recoveryCode, passkey } = form
    if (passkey !== undefined) {
      const { data } = usedCredential.safeParse(jsonOf(passkey))
      return data ? { method: 'passkey', user: await auth.checkPasskey(data, call.address) } : null
    }
    if (recoveryCode !== undefined) {
      const { data } = recoverySignInInput.safeParse({ email, password, recoveryCode })
      if (!data) return null
      call.leaveQueue()
      return { method: 'recovery_code', user: await auth.checkRecoveryCode(data, call.address) }
    }
    const { data } = signInInput.safeParse({ email, password })
    if (!data) return null
    call.leaveQueue()
    return { method: 'password', user: await auth.checkPassword(data.email, data.password, call.address) }
  }

  /** Records a server error in `call.failure` and rethrows it. */
  async function recordFailure<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!isAppError(error)) call.failure = error
      throw error
    }
  }
}

/** Returns undefined for a text that is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
