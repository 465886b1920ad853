import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../errors.ts'
import type { RateCounter } from '../../rate-counter.ts'

/** Wrong credentials that one address may send in a minute before it is blocked. */
export const FAILURES_PER_MINUTE = 20

/** Passes callers that know the secret; @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS */
export type SecretGate = (given: string | undefined, address: string) => Promise<void>

/**
 * Guards an operator's secret, of which a rotation has two, and counts wrong guesses by address; a request without a
 * credential is no guess.
 * `failures` counts in windows of a minute and is the gate's own, so that no fault elsewhere blocks this secret. A
 * blocked address gets the same answer for the right secret, or it could go on guessing. `onGuess` is told of each
 * guess that is not blocked.
 */
export function createSecretGate(
  secrets: readonly string[],
  failures: RateCounter,
  onGuess?: (address: string) => Promise<void>,
): SecretGate {
  const isSecret = createSecretCheck(secrets)

  return async (given, address) => {
    if (given === undefined) throw invalidCredential()
    if (!isSecret(given)) return reject(address)
    const { count, secondsLeft } = await failures.read(address)
    if (count >= FAILURES_PER_MINUTE) throw tooManyFailures(FAILURES_PER_MINUTE, secondsLeft)
  }

  /** One statement increments and reads, so that parallel guesses are all counted. */
  async function reject(address: string): Promise<never> {
    const { count, secondsLeft } = await failures.increment(address)
    if (count > FAILURES_PER_MINUTE) throw tooManyFailures(FAILURES_PER_MINUTE, secondsLeft)
    await onGuess?.(address)
    throw invalidCredential()
  }
}

/**
 * Compares with each secret in constant time: the duration reveals neither how much of a guess was right nor a
 * secret's length.
 */
export function createSecretCheck(secrets: readonly string[]): (given: string | undefined) => boolean {
  const expected = secrets.map(sha256)
  return (given) => {
    const hash = sha256(given ?? '')
    const matches = expected.filter((one) => timingSafeEqual(hash, one))
    return given !== undefined && matches.length > 0
  }
}

/** The same answer for missing, unknown, expired and revoked credentials. */
export function invalidCredential(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'Send a valid credential as "Authorization: Bearer ...". This one is missing, unknown, expired or revoked.',
  )
}

/** `max`: what one address may send wrong in a minute. */
export function tooManyFailures(max: number, secondsLeft: number): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    `Too many wrong credentials from this address: at most ${max} a minute. Try again later.`,
    { retryAfterSeconds: secondsLeft },
  )
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
