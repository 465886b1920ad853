import { createHash } from 'node:crypto'
import { AppError, isAppError } from '../errors.ts'
import { addressKey } from './address-key.ts'
import type { AttemptCounter, Attempts } from './ports.ts'
import { createTurns, createTurnsByKey } from './turns.ts'

/** Whose secret is guessed at (none when signing up), and from where. */
export type Guess = { email: string | null; address: string }

/** An address may fail this many times as often as an account: offices and schools share one. */
const ACCOUNTS_PER_ADDRESS = 10

/**
 * How many guesses a process works on at once. Each is counted before it is checked and taken back if it was
 * right, so this bounds by how much right ones in flight can stand in the way of others.
 */
const AT_ONCE = 2
const MAX_WAITING = 200

export type GuessGuardDeps = { attempts: AttemptCounter; failuresPerAccount: number }

/** Limits wrong guesses per account and per address in a window of 15 minutes, however parallel they come. */
export function createGuessGuard({ attempts, failuresPerAccount }: GuessGuardDeps) {
  const inTurn = createTurns(AT_ONCE, MAX_WAITING)
  const perAccount = createTurnsByKey(MAX_WAITING)

  /**
   * Runs `check`; if it throws one of `wrong`, the guess counts.
   * @throws AppError TOO_MANY_REQUESTS, and whatever `check` throws
   */
  return async function guarded<T>(
    guess: Guess,
    wrong: AppError['code'][],
    check: () => Promise<T>,
  ): Promise<T> {
    const limits = limitsOf(guess)
    // Refused before the queue, so that a flood of refused ones does not stand in the way of the others.
    for (const { key, max } of limits) refuseAbove(max - 1, await attempts.read(key))
    const turns = guess.email === null ? inTurn : perAccount(guess.email)
    return turns(() => (guess.email === null ? counted() : inTurn(counted)))

    async function counted(): Promise<T> {
      const taken: string[] = []
      try {
        for (const { key, max } of limits) {
          taken.push(key)
          refuseAbove(max, await attempts.add(key))
        }
        const result = await check()
        await takeBack(taken)
        return result
      } catch (error) {
        // What failed for another reason (a refused guess, a database that is down) was no wrong guess.
        if (!isAppError(error) || !wrong.includes(error.code)) await takeBack(taken)
        throw error
      }
    }
  }

  function limitsOf({ email, address }: Guess): { key: string; max: number }[] {
    const byAddress = {
      key: `signin:address:${addressKey(address)}`,
      max: failuresPerAccount * ACCOUNTS_PER_ADDRESS,
    }
    if (email === null) return [byAddress]
    // By the email as given, whether or not there is such an account: both look the same. Hashed, since
    // people type passwords into the wrong field, and to a fixed length.
    const hash = createHash('sha256').update(email).digest('base64url')
    return [byAddress, { key: `signin:account:${hash}`, max: failuresPerAccount }]
  }

  async function takeBack(keys: string[]): Promise<void> {
    for (const key of keys) await attempts.takeBack(key)
  }
}

function refuseAbove(max: number, { count, secondsLeft }: Attempts): void {
  if (count <= max) return
  const minutes = Math.max(1, Math.ceil(secondsLeft / 60))
  throw new AppError(
    'TOO_MANY_REQUESTS',
    `Too many failed attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(secondsLeft)) },
  )
}
