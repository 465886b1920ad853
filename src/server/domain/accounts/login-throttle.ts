import { AppError, isAppError } from '../../kernel/errors.ts'
import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'
import { hashForKey, limitReached, type RateCounter, type WindowCount } from '../../kernel/rate-counter.ts'
import { type Passwords, tooBusyHashing as tooBusy } from './password.ts'

/** Length of the windows that count failed logins. */
export const LOGIN_WINDOW_SECONDS = 15 * 60

/** Time for which an account remembers an address that gave its password. Sessions last up to 90 days. */
export const KNOWN_ADDRESS_SECONDS = 365 * 24 * 60 * 60

/**
 * Attempt from an address (`RequestInfo.address`) on an account (null at sign-up) or a shared link. Links are counted
 * separately, so that their visitors cannot use up an office's sign-in attempts.
 */
type LoginAttempt = { address: string } & ({ email: string | null } | { shareId: string })

/** An address can fail ten times as often as an account, because offices and schools share one. */
const ACCOUNTS_PER_ADDRESS = 10

/**
 * A link can fail ten times as often as an address on this link. Most visitors come from addresses that the link does
 * not know. If these shared one low limit, any visitor could lock out the others.
 */
const ADDRESSES_PER_SHARE = 10

/**
 * Maximum number of concurrent checks per process. Each attempt is counted before its check and subtracted again if the
 * password was right, so this also bounds how much of others' limit correct attempts in progress can use up.
 */
const MAX_CONCURRENT = 2

/** Maximum number of waiting attempts per process. Each holds a request. */
const MAX_QUEUED = 1000

/**
 * Maximum number of concurrent attempts per address: enough for a classroom that signs in at once, which takes 10 s.
 */
const MAX_ATTEMPTS_PER_ADDRESS = 50

/** Key in `knownAddresses` of an address that is known to an account or link. */
export const knownKey = (account: string, address: string) => `${hashForKey(account)}:${address}`

type LoginThrottleDeps = {
  /** Counts in windows of `LOGIN_WINDOW_SECONDS`. */
  attempts: RateCounter
  /** Counts in windows of `KNOWN_ADDRESS_SECONDS`, by `knownKey`. */
  knownAddresses: RateCounter
  failuresPerAccount: number
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>

/**
 * Limits wrong passwords per account and per address, even if attempts run in parallel. An address that gave the
 * account's password before has its own limit, so strangers cannot lock out the owner at home. This gives them no
 * additional guesses. Each check hashes a password, which takes 0.2 s of one core: addresses take turns, one check
 * each.
 */
export function createLoginThrottle(deps: LoginThrottleDeps) {
  const { attempts, knownAddresses, failuresPerAccount } = deps
  const inTurn = createFairSemaphore({
    maxConcurrent: MAX_CONCURRENT,
    maxConcurrentPerKey: 1,
    maxQueued: MAX_QUEUED,
    tooBusy,
  })
  const perAccount = createFairSemaphore({ maxConcurrentPerKey: 1, maxQueuedPerKey: MAX_QUEUED, tooBusy })
  const perAddress = createFairSemaphore({
    maxConcurrentPerKey: MAX_ATTEMPTS_PER_ADDRESS,
    maxQueuedPerKey: 0,
    tooBusy,
  })

  /**
   * Runs `check`. If it throws one of the codes in `failures`, the attempt counts as failed. If `isOwner` is true for its
   * result, the address is known to the account from then on.
   * @throws AppError TOO_MANY_REQUESTS, and what `check` throws
   */
  return function throttled<T>(
    attempt: LoginAttempt,
    failures: AppError['code'][],
    check: () => Promise<T>,
    isOwner: (result: T) => boolean = () => false,
  ) {
    return perAddress(attempt.address, () => queued(attempt, failures, check, isOwner))
  }

  async function queued<T>(
    attempt: LoginAttempt,
    failures: AppError['code'][],
    check: () => Promise<T>,
    isOwner: (result: T) => boolean,
  ) {
    const { address } = attempt
    const account = accountOf(attempt)
    const pair = account === null ? null : knownKey(account, address)
    const isKnown = pair !== null && (await knownAddresses.read(pair)).count > 0
    const isShare = 'shareId' in attempt
    const kind = isShare ? 'share' : 'signin'
    const limits = [{ key: `${kind}:address:${address}`, max: failuresPerAccount * ACCOUNTS_PER_ADDRESS }]
    if (pair !== null && (isShare || isKnown))
      limits.push({ key: `${kind}:account:${pair}`, max: failuresPerAccount })
    if (account !== null && !isKnown)
      limits.push({
        key: `${kind}:account:${hashForKey(account)}`,
        max: failuresPerAccount * (isShare ? ADDRESSES_PER_SHARE : 1),
      })
    // Reject before queueing, so that a flood of rejected attempts does not delay the others.
    for (const { key, max } of limits) rejectAbove(max - 1, await attempts.read(key))
    if (account === null || pair === null) return inTurn(address, countedCheck)
    // Queue for the account first: many attempts on one account then hold a single place in the process's queue. Known
    // addresses do not wait for strangers, who can sign up with the email and sign in again and again.
    return perAccount(isKnown ? pair : account, () => inTurn(address, countedCheck))

    async function countedCheck(): Promise<T> {
      const counted: string[] = []
      try {
        for (const { key, max } of limits) {
          counted.push(key)
          rejectAbove(max, await attempts.increment(key))
        }
        const result = await check()
        await takeBack(counted)
        if (pair !== null && !isKnown && isOwner(result)) await knownAddresses.increment(pair)
        return result
      } catch (error) {
        // Other errors, such as a rejected attempt or an unavailable database, are not wrong passwords.
        if (!isAppError(error) || !failures.includes(error.code)) await takeBack(counted)
        throw error
      }
    }
  }

  async function takeBack(keys: string[]): Promise<void> {
    for (const key of keys) await attempts.decrement(key)
  }
}

/**
 * Returns what the password protects: the email as given, whether or not an account has it, or a link. No email contains
 * a space. Keys contain only its hash, because users sometimes type a password in the email field.
 */
function accountOf(attempt: LoginAttempt): string | null {
  return 'shareId' in attempt ? `share ${attempt.shareId}` : attempt.email
}

function rejectAbove(max: number, window: WindowCount): void {
  if (window.count > max)
    throw limitReached(window, (wait) => `Too many failed attempts. Try again in ${wait}.`)
}

/** Hashes and verifies passwords of shared links, in the queue of sign-ins, where addresses take turns. */
export function createSharePasswords(passwords: Passwords, throttled: LoginThrottle) {
  return {
    /** @throws AppError TOO_MANY_REQUESTS */
    hash: (password: string, address: string) =>
      throttled({ email: null, address }, [], () => passwords.hash(password)),

    /** @throws AppError FORBIDDEN (wrong password), TOO_MANY_REQUESTS (by link or address) */
    verify: (attempt: { shareId: string; address: string }, password: string, stored: string) =>
      throttled(
        attempt,
        ['FORBIDDEN'],
        async () => {
          if (!(await passwords.verify(password, stored)).ok)
            throw new AppError('FORBIDDEN', 'The password of this link is wrong.')
        },
        () => true,
      ),
  }
}
