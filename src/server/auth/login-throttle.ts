import { createHash } from 'node:crypto'
import { AppError, isAppError } from '../errors.ts'
import { createFairSemaphore } from '../fair-semaphore.ts'
import type { RateCounter, WindowCount } from '../rate-counter.ts'
import { tooBusyHashing } from './password.ts'

/** Failed logins are counted in windows of this length. */
export const LOGIN_WINDOW_SECONDS = 15 * 60

/** How long an address is known to an account after a right password came from it: sessions last up to 90 days. */
export const KNOWN_ADDRESS_SECONDS = 365 * 24 * 60 * 60

/**
 * The account a password is tried for (null at sign-up), or the shared link, and the address it comes from
 * (`RequestInfo.address`). Links are counted apart: their visitors must not use up what an office needs to sign in.
 */
export type LoginAttempt = { address: string } & ({ email: string | null } | { shareId: string })

/** An address may fail ten times as often as an account, since offices and schools share one. */
const ACCOUNTS_PER_ADDRESS = 10

/**
 * How many attempts one process checks at a time. Each is counted before its check and taken back if the
 * password was right, so this also bounds how many right passwords in flight can use up the limit of others.
 */
const MAX_CONCURRENT = 2

/** Attempts that wait in one process; each holds a request. */
const MAX_QUEUED = 1000

/** Attempts of one address at a time: a classroom that signs in at once, which takes 10 s. */
export const MAX_OF_ADDRESS = 50

export type LoginThrottleDeps = {
  /** Counts in windows of `LOGIN_WINDOW_SECONDS`. */
  attempts: RateCounter
  /** Counts in windows of `KNOWN_ADDRESS_SECONDS`. */
  knownAddresses: RateCounter
  failuresPerAccount: number
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>

/**
 * Limits wrong passwords per account and per address, however many attempts run in parallel. An address from which the
 * account's password came before has a limit of its own: strangers who use up the account's do not lock its owner out at
 * home, and get no more guesses than without. Each check hashes a password, which takes a core for 0.2 s: addresses take
 * turns, and one address never has more than one place.
 */
export function createLoginThrottle(deps: LoginThrottleDeps) {
  const { attempts, knownAddresses, failuresPerAccount } = deps
  const tooBusy = tooBusyHashing
  const inTurn = createFairSemaphore({
    maxConcurrent: MAX_CONCURRENT,
    maxConcurrentPerKey: 1,
    maxQueued: MAX_QUEUED,
    tooBusy,
  })
  const perAccount = createFairSemaphore({ maxConcurrentPerKey: 1, maxQueuedPerKey: MAX_QUEUED, tooBusy })
  const perAddress = createFairSemaphore({
    maxConcurrentPerKey: MAX_OF_ADDRESS,
    maxQueuedPerKey: 0,
    tooBusy,
  })

  /**
   * Runs `check`. If it throws one of the codes in `failures`, the attempt counts as failed.
   * @throws AppError TOO_MANY_REQUESTS, and whatever `check` throws
   */
  return function throttled<T>(
    attempt: LoginAttempt,
    failures: AppError['code'][],
    check: () => Promise<T>,
  ): Promise<T> {
    return perAddress(attempt.address, () => queued(attempt, failures, check))
  }

  async function queued<T>(
    attempt: LoginAttempt,
    failures: AppError['code'][],
    check: () => Promise<T>,
  ): Promise<T> {
    const { address } = attempt
    const account = accountOf(attempt)
    const pair = account === null ? null : pairKey(account, address)
    const isKnown = pair !== null && (await knownAddresses.read(pair)).count > 0
    const limits = limitsOf(attempt, isKnown)
    // Reject before queueing, so that a flood of rejected attempts does not delay the others.
    for (const { key, max } of limits) rejectAbove(max - 1, await attempts.read(key))
    // Account first, then process: many attempts on one account hold a single place, and others get theirs.
    if (account === null) return inTurn(address, countedCheck)
    return perAccount(account, () => inTurn(address, countedCheck))

    async function countedCheck(): Promise<T> {
      const counted: string[] = []
      try {
        for (const { key, max } of limits) {
          counted.push(key)
          rejectAbove(max, await attempts.increment(key))
        }
        const result = await check()
        await uncount(counted)
        if (pair !== null && !isKnown) await knownAddresses.increment(pair)
        return result
      } catch (error) {
        // Any other error (a rejected attempt, a database that is down) is not a wrong password.
        if (!isAppError(error) || !failures.includes(error.code)) await uncount(counted)
        throw error
      }
    }
  }

  function limitsOf(attempt: LoginAttempt, isKnown: boolean): { key: string; max: number }[] {
    const kind = 'shareId' in attempt ? 'share' : 'signin'
    const { address } = attempt
    const byAddress = { key: `${kind}:address:${address}`, max: failuresPerAccount * ACCOUNTS_PER_ADDRESS }
    const account = accountOf(attempt)
    if (account === null) return [byAddress]
    const key = isKnown ? pairKey(account, address) : accountKey(account)
    return [byAddress, { key: `${kind}:account:${key}`, max: failuresPerAccount }]
  }

  async function uncount(keys: string[]): Promise<void> {
    for (const key of keys) await attempts.decrement(key)
  }
}

/** What has a password. No email has a blank. */
function accountOf(attempt: LoginAttempt): string | null {
  return 'shareId' in attempt ? `share ${attempt.shareId}` : attempt.email
}

/**
 * By the email as given, whether or not the account exists, so that both look the same. Hashed, because users type
 * passwords into the wrong field, and because keys have a bounded length.
 */
function accountKey(account: string): string {
  return createHash('sha256').update(account).digest('base64url')
}

const pairKey = (account: string, address: string) => `${accountKey(account)}:${address}`

function rejectAbove(max: number, { count, secondsLeft }: WindowCount): void {
  if (count <= max) return
  const minutes = Math.max(1, Math.ceil(secondsLeft / 60))
  throw new AppError(
    'TOO_MANY_REQUESTS',
    `Too many failed attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(secondsLeft)) },
  )
}
