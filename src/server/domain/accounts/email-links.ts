import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import { mailboxOf, mailDomainOf } from '../../kernel/mail-address.ts'
import { hashForKey, limitReached, type RateCounter } from '../../kernel/rate-counter.ts'
import { hashToken, newToken } from '../../kernel/tokens.ts'
import { knownKey, type LoginThrottle } from './login-throttle.ts'
import type { Notices } from './notices.ts'
import type { EmailTokenPurpose, Mail, Outbox } from './outbox.ts'
import type { Passwords } from './password.ts'
import type { Caller, Principal, SessionUser } from './principal.ts'
import type { ResetPasswordInput } from './schema.ts'
import type { AuthUser, UserRepo } from './user-repo.ts'

/** Token of a mailed link, as stored. */
type NewEmailToken = {
  hash: string
  userId: string
  purpose: EmailTokenPurpose
  createdAt: Date
  expiresAt: Date
}

/** Use of a mailed link, with what the audit log records. */
export type TokenUse = { hash: string; at: Date; address: string }

/**
 * Mailed links. A link works once, until it expires, unless its user is disabled or being deleted. Using one ends all
 * other links of the user.
 */
export type EmailTokenRepo = {
  create(token: NewEmailToken): Promise<void>
  /** Returns null if the link does not work. */
  find(hash: string, purpose: EmailTokenPurpose, at: Date): Promise<{ userId: string; email: string } | null>
  /** Verifies the email for the signed-in user of the account, which keeps everything. False: the link does not work. */
  verify(use: TokenUse): Promise<boolean>
  /**
   * Verifies the email for a user who may not have created the account: removes what others added before, and stores
   * `next`, which sets the password. `verified`: the email was verified before, and nothing changes. Null: the link does
   * not work.
   */
  claim(use: TokenUse, next: Omit<NewEmailToken, 'userId'>): Promise<'claimed' | 'verified' | null>
  /**
   * Sets the password and ends all sessions, and if asked, all API keys and shared links. An account without a verified
   * email loses what others added before. False: the link does not work.
   */
  resetPassword(use: TokenUse, passwordHash: string, options: { endKeysAndShares: boolean }): Promise<boolean>
  /** Returns the number of deleted rows. */
  deleteExpired(at: Date, limit: number): Promise<number>
}

/** Lifetime of a mailed link. */
const LINK_SECONDS = 60 * 60
export const EMAIL_WINDOW_SECONDS = 60 * 60
/** Maximum number of emails of one kind per mailbox and window. Links sent before still work. */
const EMAILS_PER_MAILBOX = 5
/**
 * Maximum number of emails of one kind to unverified addresses of one domain per window, so that invented addresses
 * cannot flood a domain that accepts them all. Verified addresses do not count, so no one can use up their share.
 */
const UNVERIFIED_EMAILS_PER_DOMAIN = 500
/** Maximum number of emails per caller's address and window: enough for a classroom that requests every email twice. */
const EMAILS_PER_ADDRESS = 60

/** Pages that the links open. The token follows `#`, which browsers send to no server, proxy or log. */
const PATHS: Record<EmailTokenPurpose, string> = { verify: '/verify-email', reset: '/reset-password' }

type EmailLinksDeps = {
  users: Pick<UserRepo, 'findById' | 'findAllByEmail'>
  tokens: EmailTokenRepo
  passwords: Pick<Passwords, 'hash'>
  throttled: LoginThrottle
  /** Counts in windows of `KNOWN_ADDRESS_SECONDS`, by `knownKey`. */
  knownAddresses: Pick<RateCounter, 'increment'>
  /** Counts in windows of `EMAIL_WINDOW_SECONDS`. */
  requests: RateCounter
  /** Undefined: this service sends no email. */
  outbox: Outbox | undefined
  notices: Pick<Notices, 'newPassword'>
  clock: Clock
  log: Pick<Logger, 'warn'>
  baseUrl: string
}

export type EmailLinks = ReturnType<typeof createEmailLinks>

/** Sends links that verify an email, or set a new password, which also verifies the email. */
export function createEmailLinks(deps: EmailLinksDeps) {
  const {
    users,
    tokens,
    passwords,
    throttled,
    knownAddresses,
    requests,
    outbox,
    notices,
    clock,
    log,
    baseUrl,
  } = deps

  /** Sends the first email of a new account. Never throws and does not wait. */
  function welcome({ id, email }: Pick<AuthUser, 'id' | 'email'>, language: Caller['language']): void {
    const wanted = language?.() ?? 'en'
    outbox?.post(async () => {
      // Without this limit, creating and deleting an account repeatedly would flood a stranger's mailbox.
      const { count } = await requests.increment(mailboxKey('verify', email))
      return count <= EMAILS_PER_MAILBOX ? verification(id, wanted) : null
    })
  }

  /** Emails a new user's first link, which sets the password. False: too many emails are waiting. */
  function invite({ id }: Pick<AuthUser, 'id'>, language: string): boolean {
    if (!outbox) throw noEmail()
    return outbox.post(async () => {
      const user = await users.findById(id)
      return user && !user.disabledAt
        ? { ...(await mailTo(user, 'reset', language)), purpose: 'invite' }
        : null
    })
  }

  /** Emails a user a link that sets a new password, for an administrator. False: too many emails are waiting. */
  function sendReset({ id }: Pick<AuthUser, 'id'>, language: string): boolean {
    if (!outbox) throw noEmail()
    return outbox.post(async () => {
      const user = await users.findById(id)
      if (!user || user.disabledAt) return null
      const { count } = await requests.increment(mailboxKey(user.isPending ? 'verify' : 'reset', user.email))
      if (count > EMAILS_PER_MAILBOX) return null
      return user.isPending ? verification(id, language) : limitedMailTo(user, 'reset', language)
    })
  }

  /**
   * Emails a link that verifies the email of the user's account, unless it is verified or another account has it.
   * @throws AppError FORBIDDEN (this service sends no email), TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE
   */
  async function requestVerification({ id, email }: SessionUser, caller: Caller): Promise<void> {
    const language = caller.language?.() ?? 'en'
    await post('verify', email, caller, () => verification(id, language))
  }

  /**
   * Emails a link that sets a new password if an account has this email. Looks for the account after the response, so
   * that neither its content nor its time reveals whether the account exists.
   * @throws AppError FORBIDDEN (this service sends no email), TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE
   */
  async function requestPasswordReset(email: string, caller: Caller): Promise<void> {
    const language = caller.language?.() ?? 'en'
    await post('reset', email, caller, async () => {
      const [user] = await users.findAllByEmail(email)
      return user && !user.disabledAt ? limitedMailTo(user, 'reset', language) : null
    })
  }

  /**
   * Verifies the email that the link was sent to. A caller with a session of that account both created it and owns the
   * mailbox, so everything stays. Without a session, someone else may have created it: the account loses what was added
   * before, and `resetToken` sets its password.
   * @throws AppError BAD_REQUEST (the link does not work), FORBIDDEN (the session is another user's)
   */
  async function verifyEmail(token: string, caller: Principal | null, address: string) {
    const at = clock.now()
    const use = { hash: hashToken(token), at, address }
    const found = await tokens.find(use.hash, 'verify', at)
    if (!found) throw invalidLink()
    const { email } = found
    if (caller?.via === 'session') {
      if (caller.id !== found.userId) throw otherAccount()
      if (!(await tokens.verify(use))) throw invalidLink()
      return { email, resetToken: null }
    }
    const { token: resetToken, ...next } = newEmailToken('reset')
    const result = await tokens.claim(use, next)
    if (result === null) throw invalidLink()
    return { email, resetToken: result === 'claimed' ? resetToken : null }
  }

  /**
   * Returns the account that a link of this purpose was sent to, without using the link.
   * @throws AppError BAD_REQUEST (the link does not work)
   */
  async function linkAccount(purpose: EmailTokenPurpose, token: string): Promise<{ email: string }> {
    const found = await tokens.find(hashToken(token), purpose, clock.now())
    if (!found) throw invalidLink()
    return { email: found.email }
  }

  /**
   * Sets the password of the account that the link was sent to, and ends all its sessions, and if asked, all its API
   * keys and shared links.
   * @throws AppError BAD_REQUEST (the link does not work), TOO_MANY_REQUESTS
   */
  async function resetPassword(
    { token, password, endKeysAndShares = false }: ResetPasswordInput,
    { address, language }: Pick<Caller, 'address' | 'language'>,
  ): Promise<{ email: string }> {
    const hash = hashToken(token)
    const found = await tokens.find(hash, 'reset', clock.now())
    if (!found) throw invalidLink()
    const passwordHash = await throttled({ email: null, address }, [], () => passwords.hash(password))
    const use = { hash, at: clock.now(), address }
    if (!(await tokens.resetPassword(use, passwordHash, { endKeysAndShares }))) throw invalidLink()
    // Strangers who use up the account's wrong passwords must not keep its owner out.
    await knownAddresses.increment(knownKey(found.email, address))
    notices.newPassword(found.userId, language)
    return { email: found.email }
  }

  /** Returns true if this user must verify the email before storing anything. */
  async function mustVerify(userId: string): Promise<boolean> {
    if (!outbox) return false
    const user = await users.findById(userId)
    return user !== null && user.emailVerifiedAt === null
  }

  /** @throws AppError FORBIDDEN if this user must verify the email first */
  async function requireVerified(userId: string): Promise<void> {
    if (await mustVerify(userId)) throw emailUnverified()
  }

  async function post(
    purpose: EmailTokenPurpose,
    email: string,
    { address }: Caller,
    prepare: () => Promise<Mail | null>,
  ): Promise<void> {
    if (!outbox) throw noEmail()
    await countRequest(`${purpose}:address:${address}`, EMAILS_PER_ADDRESS)
    await countRequest(mailboxKey(purpose, email), EMAILS_PER_MAILBOX)
    if (!outbox.post(prepare)) throw tooBusy()
  }

  async function countRequest(key: string, max: number): Promise<void> {
    const window = await requests.increment(key)
    if (window.count <= max) return
    throw limitReached(
      window,
      (wait) =>
        `Too many emails were requested. Their links are valid for an hour: check the inbox and the spam folder, or try again in ${wait}.`,
    )
  }

  /** Returns the link for this user, or if another account has the email, an email that tells its owner. */
  async function verification(userId: string, language: string): Promise<Mail | null> {
    const user = await users.findById(userId)
    if (!user || user.emailVerifiedAt || user.disabledAt) return null
    const owner = (await users.findAllByEmail(user.email)).find(({ isPending }) => !isPending)
    if (owner?.disabledAt) return null
    // No link can give another account the email of its owner.
    if (owner?.emailVerifiedAt)
      return { purpose: 'emailTaken', to: owner.email, language, url: `${baseUrl}/signin` }
    return limitedMailTo(owner ?? user, 'verify', language)
  }

  /** Like `mailTo`, but returns null for an unverified address whose domain has reached its limit. */
  async function limitedMailTo(...mail: Parameters<typeof mailTo>): Promise<Mail | null> {
    const [{ email, emailVerifiedAt }, purpose] = mail
    if (!emailVerifiedAt) {
      const { count } = await requests.increment(`${purpose}:domain:${hashForKey(mailDomainOf(email))}`)
      if (count === UNVERIFIED_EMAILS_PER_DOMAIN + 1)
        log.warn(
          { purpose, limit: UNVERIFIED_EMAILS_PER_DOMAIN },
          'no more emails to unverified addresses of one domain for up to an hour',
        )
      if (count > UNVERIFIED_EMAILS_PER_DOMAIN) return null
    }
    return mailTo(...mail)
  }

  async function mailTo(user: AuthUser, purpose: EmailTokenPurpose, language: string): Promise<Mail> {
    const { token, ...stored } = newEmailToken(purpose)
    await tokens.create({ ...stored, userId: user.id })
    return { purpose, to: user.email, language, url: `${baseUrl}${PATHS[purpose]}#${token}` }
  }

  function newEmailToken(purpose: EmailTokenPurpose) {
    const token = newToken()
    const createdAt = clock.now()
    const expiresAt = secondsAfter(createdAt, LINK_SECONDS)
    return { token, hash: hashToken(token), purpose, createdAt, expiresAt }
  }

  return {
    welcome,
    invite,
    sendReset,
    requestVerification,
    requestPasswordReset,
    verifyEmail,
    linkAccount,
    resetPassword,
    mustVerify,
    requireVerified,
  }
}

/** Uses the email as given, whether or not an account has it. */
const mailboxKey = (purpose: EmailTokenPurpose, email: string) =>
  `${purpose}:email:${hashForKey(mailboxOf(email))}`

const emailUnverified = () =>
  new AppError(
    'FORBIDDEN',
    'Verify your email first: open the link in the email that was sent to you, or request another with account.requestEmailVerification.',
    { data: { reason: 'email_unverified' } },
  )

const noEmail = () =>
  new AppError('FORBIDDEN', 'This service sends no email. Ask the operator for a new password.')

const tooBusy = () =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many emails are waiting to be sent. Try again in a minute.', {
    retryAfterSeconds: 60,
  })

const invalidLink = () =>
  new AppError(
    'BAD_REQUEST',
    'This link is invalid: it was used, is older than an hour, or is incomplete. Request a new one.',
    { fieldErrors: { token: ['is used, expired or unknown'] } },
  )

const otherAccount = () =>
  new AppError('FORBIDDEN', 'This link belongs to another account. Sign out, then open it again.')
