import { type Clock, secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { addressKey } from './address-key.ts'
import type { createGuessGuard } from './guess-guard.ts'
import { hashPassword, verifyPassword } from './password.ts'
import type { AttemptCounter, AuthUser, SessionUser, UserRepo } from './ports.ts'
import type { AccountRemoval } from './removal.ts'
import type { IssuedSession, SignIn } from './sign-in.ts'

/** Who has no password proves itself by having signed in with the provider this recently. */
const RECENT_SECONDS = 5 * 60

/** New accounts an address may make in 15 minutes; far above an office's first day. */
const SIGN_UPS_PER_ADDRESS = 300

export type AccountsDeps = {
  users: UserRepo
  signIn: SignIn
  guarded: ReturnType<typeof createGuessGuard>
  attempts: AttemptCounter
  removal: AccountRemoval
  clock: Clock
  allowSignUp: boolean
}

export function createAccounts(deps: AccountsDeps) {
  const { users, guarded, attempts, clock } = deps

  /** @throws AppError FORBIDDEN (sign-up is off), CONFLICT (the email is taken), TOO_MANY_REQUESTS */
  async function signUp(
    input: { email: string; password: string; name?: string },
    address: string,
  ): Promise<IssuedSession> {
    if (!deps.allowSignUp)
      throw new AppError('FORBIDDEN', 'Sign-up is closed here. Ask the operator for an account.')
    // A taken email counts like a failed sign-in of the address: it is how somebody would collect emails.
    const user = await guarded({ email: null, address }, ['CONFLICT'], async () => {
      if (await users.findByEmail(input.email)) throw taken()
      const made = await attempts.add(`signup:address:${addressKey(address)}`)
      if (made.count > SIGN_UPS_PER_ADDRESS)
        throw new AppError('TOO_MANY_REQUESTS', 'Too many accounts were made from your address. Try later.', {
          retryAfterSeconds: made.secondsLeft,
        })
      const created = await users.create({
        id: newId(),
        email: input.email,
        name: input.name ?? null,
        emailVerifiedAt: null,
        passwordHash: await hashPassword(input.password),
      })
      if (!created) throw taken()
      return created
    })
    return deps.signIn.issue(user)
  }

  /**
   * Sets the password (or the first one of who has none) and ends all sessions; the answer is a new one.
   * @throws AppError FORBIDDEN (not proven), CONFLICT (changed meanwhile), TOO_MANY_REQUESTS
   */
  async function changePassword(
    session: SessionUser,
    input: { currentPassword?: string; newPassword: string },
    address: string,
  ): Promise<IssuedSession> {
    const user = await prove(session, 'currentPassword', input.currentPassword, address)
    const changed = await users.changePassword(
      user.id,
      user.passwordHash,
      await hashPassword(input.newPassword),
    )
    if (!changed)
      throw new AppError('CONFLICT', 'The password was changed by somebody else meanwhile. Sign in again.')
    return deps.signIn.issue(changed)
  }

  async function signOutEverywhere(session: SessionUser): Promise<void> {
    await users.endSessions(session.id)
  }

  /**
   * Ends all access at once and removes files, devices and tokens; what the store cannot give up yet goes later.
   * @throws AppError FORBIDDEN (not proven), TOO_MANY_REQUESTS
   */
  async function deleteAccount(
    session: SessionUser,
    input: { password?: string },
    address: string,
  ): Promise<void> {
    const user = await prove(session, 'password', input.password, address)
    await deps.removal.remove(user.id)
  }

  /** That the session's owner sits there, and not whoever found the device unlocked. */
  async function prove(
    session: SessionUser,
    field: string,
    password: string | undefined,
    address: string,
  ): Promise<AuthUser> {
    const user = await users.findById(session.id)
    if (!user) throw new AppError('UNAUTHORIZED', 'This account is gone.')
    if (user.passwordHash === null) {
      if (secondsAfter(session.signedInAt, RECENT_SECONDS) >= clock.now()) return user
      throw new AppError(
        'FORBIDDEN',
        'This account has no password. Sign in again with your provider, then repeat this within 5 minutes.',
      )
    }
    if (password === undefined)
      throw new AppError('BAD_REQUEST', `The input is not valid. ${field}: is missing.`, {
        fieldErrors: { [field]: ['is missing'] },
      })
    await guarded({ email: user.email, address }, ['FORBIDDEN'], async () => {
      if (!(await verifyPassword(password, user.passwordHash)).ok)
        throw new AppError('FORBIDDEN', 'The current password is wrong.', {
          fieldErrors: { [field]: ['is wrong'] },
        })
    })
    return user
  }

  return { signUp, changePassword, signOutEverywhere, deleteAccount }
}

function taken(): AppError {
  return new AppError('CONFLICT', 'There is an account with this email. Sign in, or use another email.', {
    fieldErrors: { email: ['is taken'] },
  })
}
