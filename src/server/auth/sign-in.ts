import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { createGuessGuard } from './guess-guard.ts'
import { hashPassword, verifyPassword } from './password.ts'
import type { AuthUser, UserRepo } from './ports.ts'
import { isEmail } from './schema.ts'
import { issueSessionToken } from './session-token.ts'

export type SignInDeps = {
  users: UserRepo
  guarded: ReturnType<typeof createGuessGuard>
  secret: string
  clock: Clock
}

/** What a client keeps of a sign-in; `expiresAt` is ISO 8601. */
export type IssuedSession = {
  token: string
  expiresAt: string
  user: { id: string; email: string; name: string | null }
}

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn({ users, guarded, secret, clock }: SignInDeps) {
  /**
   * Whose email and password these are.
   * @throws AppError UNAUTHORIZED, in the same words and after the same work whichever of the two is wrong;
   * TOO_MANY_REQUESTS
   */
  async function checkPassword(email: string, password: string, address: string): Promise<AuthUser> {
    return guarded({ email, address }, ['UNAUTHORIZED'], async () => {
      const user = isEmail(email) ? await users.findByEmail(email) : null
      const { ok, outdated } = await verifyPassword(password, user?.passwordHash ?? null)
      if (!user?.passwordHash || !ok)
        throw new AppError('UNAUTHORIZED', 'The email or the password is wrong. Check both and try again.')
      if (outdated) await users.replaceHash(user.id, user.passwordHash, await hashPassword(password))
      return user
    })
  }

  /** A new session of this user, as of now. */
  async function issue(user: AuthUser): Promise<IssuedSession> {
    const claims = { userId: user.id, epoch: user.sessionEpoch, signedInAt: clock.now() }
    const { token, expiresAt } = await issueSessionToken(secret, claims)
    return {
      token,
      expiresAt: expiresAt.toISOString(),
      user: { id: user.id, email: user.email, name: user.name },
    }
  }

  return { checkPassword, issue }
}
