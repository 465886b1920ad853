import { type Audit, userActor } from '../audit.ts'
import { AppError, isAppError } from '../errors.ts'
import { isStorable } from '../text.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Passwords } from './password.ts'
import type { AuthUser, UserRepo } from './ports.ts'
import { issueSessionToken } from './session-token.ts'
import type { Sessions } from './sessions.ts'

export type SignInDeps = {
  users: UserRepo
  passwords: Passwords
  throttled: LoginThrottle
  sessions: Sessions
  secret: string
  audit: Audit
}

/** What a client gets when it signs in; `expiresAt` (ISO 8601) is when the session ends if it is not used. */
export type IssuedSession = {
  token: string
  expiresAt: string
  user: { id: string; email: string; name: string | null }
}

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn({ users, passwords, throttled, sessions, secret, audit }: SignInDeps) {
  /**
   * The user with this email and password.
   * @throws AppError UNAUTHORIZED, with the same message and after the same work whether the email or the
   * password is wrong; TOO_MANY_REQUESTS
   */
  async function checkPassword(email: string, password: string, address: string): Promise<AuthUser> {
    const from = { address, details: { method: 'password' } }
    let userId: string | null = null
    try {
      const user = await throttled({ email, address }, ['UNAUTHORIZED'], async () => {
        // Also emails that a new account may no longer have.
        const found = isStorable(email) ? await users.findByEmail(email) : null
        userId = found?.id ?? null
        const { ok, outdated } = await passwords.verify(password, found?.passwordHash ?? null)
        // A disabled account looks like a wrong password: whether there is one is nobody's business.
        if (!found?.passwordHash || !ok || found.disabledAt)
          throw new AppError('UNAUTHORIZED', 'The email or the password is wrong. Check both and try again.')
        if (outdated) await users.replaceHash(found.id, found.passwordHash, await passwords.hash(password))
        return found
      })
      await audit.record({ action: 'session.created', actor: userActor(user.id), userId, ...from })
      return user
    } catch (error) {
      // Without the email of an unknown account: people type passwords into the wrong field.
      if (isAppError(error) && error.code === 'UNAUTHORIZED')
        await audit.recordRefusal({ action: 'session.refused', actor: null, userId, ...from })
      throw error
    }
  }

  /** Begins a session of this user. */
  async function issue(user: AuthUser, userAgent: string | null): Promise<IssuedSession> {
    const { id, expiresAt } = await sessions.begin(user, userAgent)
    return {
      token: await issueSessionToken(secret, id),
      expiresAt: expiresAt.toISOString(),
      user: { id: user.id, email: user.email, name: user.name },
    }
  }

  return { checkPassword, issue }
}
