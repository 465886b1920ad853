import type { z } from 'zod'
import { type Audit, userActor } from '../../kernel/audit.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import { isStorable } from '../../kernel/text.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { type MatchAccount, ownsEmail } from './match-account.ts'
import { type PasskeyRepo, passkeyRequired } from './passkeys.ts'
import type { Passwords } from './password.ts'
import type { Caller, SignInMethod } from './principal.ts'
import type { sessionOutput } from './schema.ts'
import { issueSessionToken } from './session-token.ts'
import type { Sessions } from './sessions.ts'
import type { AuthUser, UserRepo } from './user-repo.ts'

type SignInDeps = {
  users: UserRepo
  passwords: Passwords
  passkeys: Pick<PasskeyRepo, 'isRequired'>
  throttled: LoginThrottle
  matchAccount: MatchAccount
  sessions: Sessions
  /** Encrypts session tokens. */
  secret: string
  audit: Audit
}

export type IssuedSession = z.output<typeof sessionOutput>

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn(deps: SignInDeps) {
  const { users, passwords, passkeys, throttled, matchAccount, sessions, secret, audit } = deps

  /**
   * Returns the user whom `find` recognizes among the accounts with this email.
   * @throws AppError UNAUTHORIZED with the message `wrong` if it recognizes none; TOO_MANY_REQUESTS; what `admit` throws
   */
  async function byEmail(
    { email, address, method, wrong }: { email: string; address: string; method: string; wrong: string },
    find: (accounts: AuthUser[]) => Promise<AuthUser | null | undefined>,
    admit?: (user: AuthUser) => Promise<void>,
  ): Promise<AuthUser> {
    const from = { address, details: { method } }
    let userId: string | null = null
    const check = async () => {
      // Accepts emails that a new account could not have.
      const accounts = isStorable(email) ? await users.findAllByEmail(email) : []
      userId = accounts[0]?.id ?? null
      const user = await find(accounts)
      if (!user) throw new AppError('UNAUTHORIZED', wrong)
      userId = user.id
      return user
    }
    try {
      const user = await throttled({ email, address }, ['UNAUTHORIZED'], check, ownsEmail)
      await admit?.(user)
      await audit.record({ action: 'session.created', actor: userActor(user.id), userId, ...from })
      return user
    } catch (error) {
      // Omit unknown emails: users sometimes type a password in that field.
      const refused = { action: 'session.refused', actor: null, userId, address } as const
      if (isAppError(error) && error.code === 'UNAUTHORIZED')
        await audit.recordRejection({ ...refused, details: { method } })
      if (isAppError(error) && error.data.reason === 'passkey_required')
        await audit.recordRejection({ ...refused, details: { method, reason: 'passkey_required' } })
      throw error
    }
  }

  /**
   * Returns the user with this email and password.
   * @throws AppError UNAUTHORIZED, with the same message and after the same work whether the email or the
   * password is wrong; FORBIDDEN if the password is correct and the account requires a passkey; TOO_MANY_REQUESTS
   */
  function checkPassword(email: string, password: string, address: string): Promise<AuthUser> {
    const wrong = 'The email or password is wrong. Check both and try again.'
    return byEmail(
      { email, address, method: 'password', wrong },
      async (accounts) => {
        // A disabled account looks like a wrong password, so that strangers do not learn that it exists.
        const match = await matchAccount(accounts, password)
        if (match?.outdated && match.user.passwordHash !== null)
          await users.replaceHash(match.user.id, match.user.passwordHash, await passwords.hash(password))
        return match?.user
      },
      async (user) => {
        if (await passkeys.isRequired(user.id)) throw passkeyRequired()
      },
    )
  }

  /** Starts a session of this user. `signedInAt`: when the user signed in. Default: now. */
  async function issue(
    user: AuthUser,
    client: Pick<Caller, 'userAgent' | 'language'>,
    method: SignInMethod,
    signedInAt?: Date,
  ): Promise<IssuedSession> {
    const { id, expiresAt } = await sessions.begin(user, client, method, signedInAt)
    return {
      token: await issueSessionToken(secret, id),
      expiresAt: expiresAt.toISOString(),
      user: { id: user.id, email: user.email, name: user.name },
    }
  }

  return { byEmail, checkPassword, issue }
}
