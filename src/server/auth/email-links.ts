import { createHash, randomBytes } from 'node:crypto'
import { type Clock, secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { RateCounter, WindowCount } from '../rate-counter.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Passwords } from './password.ts'
import type {
  AuthUser,
  Caller,
  EmailTokenPurpose,
  EmailTokenRepo,
  Mail,
  Outbox,
  Principal,
  SessionUser,
  UserRepo,
} from './ports.ts'

/** How long a link is good. */
export const LINK_SECONDS = 60 * 60
/** Mails are counted in windows of this length ... */
export const MAIL_WINDOW_SECONDS = 60 * 60
/** ... of one kind to one email: what is sent stays good, so whoever is kept from more has these. */
const MAILS_PER_EMAIL = 5
/** ... and asked for by one address: more than a classroom whose sign-ups all went astray. */
const MAILS_PER_ADDRESS = 60

/** The pages that the links lead to. After `#`, which no server, proxy or log on the way gets to see. */
const PATHS: Record<EmailTokenPurpose, string> = { verify: '/verify-email', reset: '/reset-password' }

export type EmailLinksDeps = {
  users: Pick<UserRepo, 'findById' | 'findByEmail'>
  tokens: EmailTokenRepo
  passwords: Pick<Passwords, 'hash'>
  throttled: LoginThrottle
  /** Counts in windows of `MAIL_WINDOW_SECONDS`. */
  requests: RateCounter
  /** Undefined: this service sends no mail. */
  outbox: Outbox | undefined
  clock: Clock
  /** Of the links. */
  baseUrl: string
}

export type EmailLinks = ReturnType<typeof createEmailLinks>

/** Links by mail: they prove an email, or set a new password, which proves it too. */
export function createEmailLinks(deps: EmailLinksDeps) {
  const { users, tokens, passwords, throttled, requests, outbox, clock, baseUrl } = deps

  /** Sends the mail that a new account begins with. Never throws, and waits for nothing. */
  function welcome({ id, email }: Pick<AuthUser, 'id' | 'email'>, language: Caller['language']): void {
    const wanted = language?.() ?? 'en'
    outbox?.post(async () => {
      // An account that is made and deleted in turn must not fill somebody's mailbox.
      const { count } = await requests.increment(emailKey('verify', email))
      return count <= MAILS_PER_EMAIL ? verification(id, wanted) : null
    })
  }

  /** Mails somebody whose account an administrator made a link that sets a password. False: too many mails wait. */
  function invite({ id }: Pick<AuthUser, 'id'>, language: string): boolean {
    if (!outbox) throw noMail()
    return outbox.post(async () => {
      const user = await users.findById(id)
      return user && !user.disabledAt
        ? { ...(await mailTo(user, 'reset', language)), purpose: 'invite' }
        : null
    })
  }

  /**
   * Mails a link that proves the email of the user's account; nothing if it is proven.
   * @throws AppError FORBIDDEN (no mail here), TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE
   */
  async function requestVerification({ id, email }: SessionUser, caller: Caller): Promise<void> {
    const language = caller.language?.() ?? 'en'
    await post('verify', email, caller, () => verification(id, language))
  }

  /**
   * Mails a link that sets a new password, if there is an account with this email. Answers alike and as fast whether
   * or not there is: it is looked for after the answer.
   * @throws AppError FORBIDDEN (no mail here), TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE
   */
  async function requestPasswordReset(email: string, caller: Caller): Promise<void> {
    const language = caller.language?.() ?? 'en'
    await post('reset', email, caller, async () => {
      const user = await users.findByEmail(email)
      return user && !user.disabledAt ? mailTo(user, 'reset', language) : null
    })
  }

  /**
   * Proves the email that the link was mailed to. With a session of that account all stays as it is: whoever signed up
   * has the mailbox. Without one, somebody else may have signed up: the account loses what was put there, and
   * `resetToken` sets its password.
   * @throws AppError BAD_REQUEST (the link is over), FORBIDDEN (the session is another user's)
   */
  async function verifyEmail(
    token: string,
    caller: Principal | null,
    address: string,
  ): Promise<{ email: string; resetToken: string | null }> {
    const at = clock.now()
    const use = { hash: hashOf(token), at, address }
    const found = await tokens.find(use.hash, 'verify', at)
    if (!found) throw linkOver()
    const { email } = found
    if (caller?.via === 'session') {
      if (caller.id !== found.userId) throw otherAccount()
      if (!(await tokens.prove(use))) throw linkOver()
      return { email, resetToken: null }
    }
    const { token: resetToken, ...next } = newToken('reset')
    const result = await tokens.claim(use, next)
    if (result === null) throw linkOver()
    return { email, resetToken: result === 'claimed' ? resetToken : null }
  }

  /**
   * Sets the password of the account that the link was mailed to, and ends all its sessions.
   * @throws AppError BAD_REQUEST (the link is over), TOO_MANY_REQUESTS
   */
  async function resetPassword(
    { token, password }: { token: string; password: string },
    address: string,
  ): Promise<{ email: string }> {
    const hash = hashOf(token)
    const found = await tokens.find(hash, 'reset', clock.now())
    if (!found) throw linkOver()
    const passwordHash = await throttled({ email: null, address }, [], () => passwords.hash(password))
    if (!(await tokens.resetPassword({ hash, at: clock.now(), address }, passwordHash))) throw linkOver()
    return { email: found.email }
  }

  /** Whether this user has to prove the email before uploading. */
  async function mustVerify(userId: string): Promise<boolean> {
    if (!outbox) return false
    const user = await users.findById(userId)
    return user !== null && user.emailVerifiedAt === null
  }

  async function post(
    purpose: EmailTokenPurpose,
    email: string,
    { address }: Caller,
    prepare: () => Promise<Mail | null>,
  ): Promise<void> {
    if (!outbox) throw noMail()
    refuseAbove(MAILS_PER_ADDRESS, await requests.increment(`${purpose}:address:${address}`))
    refuseAbove(MAILS_PER_EMAIL, await requests.increment(emailKey(purpose, email)))
    if (!outbox.post(prepare)) throw tooBusy()
  }

  async function verification(userId: string, language: string): Promise<Mail | null> {
    const user = await users.findById(userId)
    return user && !user.emailVerifiedAt && !user.disabledAt ? mailTo(user, 'verify', language) : null
  }

  async function mailTo(user: AuthUser, purpose: EmailTokenPurpose, language: string): Promise<Mail> {
    const { token, ...stored } = newToken(purpose)
    await tokens.create({ ...stored, userId: user.id })
    return { purpose, to: user.email, language, url: `${baseUrl}${PATHS[purpose]}#${token}` }
  }

  /** 256 random bits; only their hash is stored. */
  function newToken(purpose: EmailTokenPurpose) {
    const token = randomBytes(32).toString('base64url')
    const createdAt = clock.now()
    return {
      token,
      hash: hashOf(token),
      purpose,
      createdAt,
      expiresAt: secondsAfter(createdAt, LINK_SECONDS),
    }
  }

  return {
    welcome,
    invite,
    requestVerification,
    requestPasswordReset,
    verifyEmail,
    resetPassword,
    mustVerify,
  }
}

/** By the email as given, whether or not there is an account. Hashed, because keys have a bounded length. */
function emailKey(purpose: EmailTokenPurpose, email: string): string {
  return `${purpose}:email:${createHash('sha256').update(email).digest('base64url')}`
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function refuseAbove(max: number, { count, secondsLeft }: WindowCount): void {
  if (count <= max) return
  const minutes = Math.max(1, Math.ceil(secondsLeft / 60))
  throw new AppError(
    'TOO_MANY_REQUESTS',
    `Enough mails were asked for; their links are good for an hour. Look into the mailbox and its spam folder, or try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(secondsLeft)) },
  )
}

const noMail = () =>
  new AppError('FORBIDDEN', 'This service sends no mail. Ask its operator for a new password.')

const tooBusy = () =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many mails wait to be sent. Try again in a minute.', {
    retryAfterSeconds: 60,
  })

const linkOver = () =>
  new AppError(
    'BAD_REQUEST',
    'This link is not good: it was used already, is older than an hour, or is not complete. Ask for a new one.',
    { fieldErrors: { token: ['is used, expired or unknown'] } },
  )

const otherAccount = () =>
  new AppError(
    'FORBIDDEN',
    'This link is for another account than the one that is signed in. Sign out, then use it again.',
  )
