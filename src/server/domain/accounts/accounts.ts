import { type Audit, byUser, changedFields } from '../../kernel/audit.ts'
import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { hashForKey, limitReached, type RateCounter, type WindowCount } from '../../kernel/rate-counter.ts'
import { invalidFields } from '../../kernel/validation.ts'
import type { AccountDeletion } from './account-deletion.ts'
import type { EmailLinks } from './email-links.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { ownsEmail } from './match-account.ts'
import type { Notices } from './notices.ts'
import { type PasskeyRepo, passkeyRequired } from './passkeys.ts'
import type { Passwords } from './password.ts'
import type { Caller, ExternalUser, SessionUser } from './principal.ts'
import type { Sessions } from './sessions.ts'
import type { IssuedSession, SignIn } from './sign-in.ts'
import type { AuthUser, UserRepo } from './user-repo.ts'

/** A user without a password must have signed in with the provider or external issuer within this time. */
const RECENT_SIGN_IN_SECONDS = 5 * 60

/** Maximum accounts per address and day: more than a classroom of 40 needs, and 30 GB with the default quota. */
const SIGN_UPS_PER_ADDRESS = 60
export const SIGN_UP_WINDOW_SECONDS = 24 * 60 * 60
/**
 * Limits the accounts that claim one email, and how often someone can try the owner's password. A stranger could set the
 * password of such an account to a guess and sign in with it. A right guess signs in the owner, and a wrong one the
 * account, so it does not count as failed.
 */
const SIGN_UPS_PER_EMAIL = 10

/**
 * Time in which a sign-up must verify its email if this service sends email. After that, it is deleted unless it has
 * files.
 */
const VERIFY_SECONDS = 7 * 24 * 60 * 60

/** Returns when a sign-up at this time is deleted if its email is still unverified. Null: never. */
export const verifyByOf = (now: Date, sendsMail: boolean) =>
  sendsMail ? secondsAfter(now, VERIFY_SECONDS) : null

export type AccountsDeps = {
  users: UserRepo
  passwords: Passwords
  passkeys: Pick<PasskeyRepo, 'isRequired'>
  signIn: SignIn
  sessions: Pick<Sessions, 'renew'>
  throttled: LoginThrottle
  /** Counts in windows of `SIGN_UP_WINDOW_SECONDS`. */
  signUps: RateCounter
  accountDeletion: AccountDeletion
  emailLinks: Pick<EmailLinks, 'welcome'>
  notices: Pick<Notices, 'newPassword'>
  clock: Clock
  audit: Audit
  allowSignUp: boolean
  sendsMail: boolean
}

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(deps: AccountsDeps) {
  const { users, passwords, passkeys, signIn, sessions, throttled, signUps, clock, audit, sendsMail } = deps

  /**
   * If this service sends email, the caller cannot tell whether an account has the email: the new account claims it, and
   * the owner of the mailbox decides with the emailed link.
   * @throws AppError FORBIDDEN (sign-up is off), CONFLICT (the email is taken, and this service sends none),
   * TOO_MANY_REQUESTS
   */
  async function signUp(input: { email: string; password: string; name?: string }, caller: Caller) {
    const { address, language } = caller
    if (!deps.allowSignUp)
      throw new AppError('FORBIDDEN', 'Sign-up is closed. Ask the operator for an account.')
    // Check before queueing too, so that rejected callers do not delay the others.
    rejectSignUpAbove(SIGN_UPS_PER_ADDRESS - 1, await signUps.read(address))
    // A taken email counts as a failed login. Otherwise, sign-up would quickly reveal who has an account.
    const user = await throttled({ email: null, address }, ['CONFLICT'], async () => {
      const others = await users.findAllByEmail(input.email)
      if (others.length > 0 && !sendsMail) throw emailTaken()
      rejectSignUpAbove(SIGN_UPS_PER_ADDRESS, await signUps.increment(address))
      if (sendsMail) await countUnverified(input.email)
      const { passwordHash: saltFrom = null } = others.find(isPendingWithPassword) ?? {}
      const account = {
        id: newId(),
        email: input.email,
        name: input.name ?? null,
        emailVerifiedAt: null,
        passwordHash: await passwords.hash(input.password, saltFrom),
        verifyBy: verifyByOf(clock.now(), sendsMail),
        isClaim: others.some(({ isClaim }) => !isClaim),
      }
      const created = await users.create(account)
      if (created) return created
      // Another sign-up with this email was faster.
      const claim = sendsMail ? await users.create({ ...account, isClaim: true }) : null
      if (!claim) throw emailTaken()
      return claim
    })
    const details = { ...(user.isClaim && { claim: true }) }
    await audit.record({ action: 'account.created', ...byUser(user.id, address), details })
    deps.emailLinks.welcome(user, language)
    return signIn.issue(user, caller, 'password')
  }

  /** Counts a password for an unverified email, whether or not an account has the email. @throws AppError TOO_MANY_REQUESTS */
  async function countUnverified(email: string): Promise<void> {
    const window = await signUps.increment(`email:${hashForKey(email)}`)
    const message = `At most ${SIGN_UPS_PER_EMAIL} sign-ups and new passwords are possible per day with an unverified email. Open the link in the last email, or request a new password.`
    if (window.count > SIGN_UPS_PER_EMAIL) throw limitReached(window, () => message)
  }

  /**
   * Changes the password, or sets the first one, and ends all sessions. Returns a new session.
   * @throws AppError FORBIDDEN (not verified), CONFLICT (changed in the meantime), TOO_MANY_REQUESTS
   */
  async function changePassword(
    session: SessionUser,
    input: { currentPassword?: string; newPassword: string },
    caller: Caller,
  ): Promise<IssuedSession> {
    const { address } = caller
    const user = await verifyOwner(session, 'currentPassword', input.currentPassword, address)
    if (user.isPending) await countUnverified(user.email)
    const saltFrom = user.isPending ? user.passwordHash : null
    const hash = await throttled({ email: null, address }, [], () =>
      passwords.hash(input.newPassword, saltFrom),
    )
    const changed = await users.changePassword(session, user.passwordHash, hash)
    if (!changed) throw new AppError('CONFLICT', 'The password was changed in the meantime. Sign in again.')
    await audit.record({ action: 'password.changed', ...byUser(user.id, address) })
    deps.notices.newPassword(user.id, caller.language)
    // The password alone must not give access that a passkey or recovery code gave.
    const signedInAt = (await passkeys.isRequired(user.id)) ? session.signedInAt : undefined
    return signIn.issue(changed, caller, session.method ?? 'password', signedInAt)
  }

  /**
   * Renews the session's sign-in time with the password.
   * @throws AppError FORBIDDEN (wrong password, the account has none or requires a passkey), TOO_MANY_REQUESTS
   */
  async function reauthenticate(session: SessionUser, { password }: { password: string }, address: string) {
    const user = await ownerOf(session)
    if (user.passwordHash === null)
      throw new AppError(
        'FORBIDDEN',
        'This account has no password. Sign in again with your passkey or provider.',
      )
    if (await passkeys.isRequired(user.id)) throw passkeyRequired()
    await checkPassword(user, 'password', password, address)
    await sessions.renew(session.sessionId)
    const event = { ...byUser(user.id, address), subjectId: session.sessionId }
    await audit.record({ action: 'session.renewed', ...event, details: { method: 'password' } })
  }

  /** Returns how the user can sign in without a passkey. `providers` are those of the user's identities. */
  async function signInMethods(session: SessionUser): Promise<{ password: boolean; providers: string[] }> {
    const { id, passwordHash } = await ownerOf(session)
    if (await passkeys.isRequired(id)) return { password: false, providers: [] }
    return { password: passwordHash !== null, providers: await users.providersOf(id) }
  }

  /** Changes the user's name. Null removes it. @throws AppError UNAUTHORIZED (access has ended) */
  async function rename(session: SessionUser, { name }: { name: string | null }, address: string) {
    const before = await ownerOf(session)
    const [details] = changedFields({ name: before.name }, { name })
    if (!details) return
    if (!(await users.rename(session, name))) throw new AppError('UNAUTHORIZED', 'This session has ended.')
    await audit.record({ action: 'user.changed', ...byUser(session.id, address), details })
  }

  async function signOutEverywhere({ id }: SessionUser, address: string): Promise<void> {
    await users.endSessions(id)
    await audit.record({ action: 'session.ended', ...byUser(id, address), details: { all: true } })
  }

  /**
   * Ends all access at once and deletes files, devices and tokens. Files that the store cannot delete now are deleted
   * later.
   * @throws AppError FORBIDDEN (not verified), TOO_MANY_REQUESTS
   */
  async function deleteAccount(
    caller: SessionUser | ExternalUser,
    input: { password?: string },
    address: string,
  ): Promise<void> {
    if (caller.via === 'session') await verifyOwner(caller, 'password', input.password, address)
    else
      requireRecent(
        caller.signedInAt,
        'Sign in again with your identity provider, then retry within 5 minutes with the new token. Its `auth_time`, or else its `iat`, is what counts.',
      )
    await deps.accountDeletion.deleteAccount(caller.id, address)
  }

  /** @throws AppError FORBIDDEN */
  function requireRecent(signedInAt: Date | null, message: string): void {
    if (signedInAt && secondsAfter(signedInAt, RECENT_SIGN_IN_SECONDS) >= clock.now()) return
    throw new AppError('FORBIDDEN', message, { data: { reason: 'reauthentication_required' } })
  }

  /** Checks that the account's owner is asking, not someone who found the device unlocked. */
  async function verifyOwner(
    session: SessionUser,
    field: string,
    password: string | undefined,
    address: string,
  ): Promise<AuthUser> {
    const user = await ownerOf(session)
    if (user.passwordHash === null) {
      requireRecent(
        session.signedInAt,
        'This account has no password. Sign in again with your passkey or provider, then try again within 5 minutes.',
      )
      return user
    }
    if (password === undefined) throw invalidFields({ [field]: ['is missing'] })
    await checkPassword(user, field, password, address)
    return user
  }

  async function ownerOf({ id }: SessionUser): Promise<AuthUser> {
    const user = await users.findById(id)
    if (!user) throw new AppError('UNAUTHORIZED', 'This account was deleted.')
    return user
  }

  /** @throws AppError FORBIDDEN (wrong password), TOO_MANY_REQUESTS */
  async function checkPassword(user: AuthUser, field: string, password: string, address: string) {
    try {
      const check = async () => {
        if (!(await passwords.verify(password, user.passwordHash)).ok)
          throw new AppError('FORBIDDEN', 'The current password is wrong.', {
            fieldErrors: { [field]: ['is wrong'] },
          })
      }
      await throttled({ email: user.email, address }, ['FORBIDDEN'], check, () => ownsEmail(user))
    } catch (error) {
      if (isAppError(error) && error.code === 'FORBIDDEN')
        await audit.recordRejection({ action: 'password.refused', ...byUser(user.id, address) })
      throw error
    }
  }

  return { signUp, changePassword, reauthenticate, signInMethods, rename, signOutEverywhere, deleteAccount }
}

function rejectSignUpAbove(max: number, window: WindowCount): void {
  const message = `At most ${SIGN_UPS_PER_ADDRESS} accounts can be created from one address per day. Try again later, or ask the operator for an account.`
  if (window.count > max) throw limitReached(window, () => message)
}

const isPendingWithPassword = ({ isPending, passwordHash }: AuthUser) => isPending && passwordHash !== null

const emailTaken = () =>
  new AppError('CONFLICT', 'An account with this email already exists. Sign in, or use another email.', {
    fieldErrors: { email: ['is taken'] },
  })
