import { createHash, timingSafeEqual } from 'node:crypto'
import { credentialKind, isApiKey } from '../../domain/accounts/credential-kind.ts'
import { isServerKey } from '../../domain/accounts/server-keys.ts'
import { AppError } from '../../kernel/errors.ts'
import type { RateCounter } from '../../kernel/rate-counter.ts'
import { apiKeyNotAccepted, invalidCredential, userTokenNotAccepted } from './credentials.ts'

/** Number of wrong credentials per minute after which an address is blocked. */
export const WRONG_SECRETS_PER_MINUTE = 20

/** Lets callers who know the secret pass. @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS */
export type SecretGate = (given: string | undefined, address: string) => Promise<void>

/**
 * Guards an operator's secret and counts wrong guesses by address. During a rotation there are two secrets. A request
 * without a credential is not a guess. A blocked address is rejected even with the correct secret; otherwise it could
 * continue to guess.
 *
 * `failures` counts in windows of a minute. Each gate has its own, so that failures elsewhere do not block this
 * secret. `onGuess` is called for each guess that is not blocked.
 */
export function createSecretGate(
  secrets: readonly string[],
  failures: RateCounter,
  onGuess?: (address: string) => Promise<void>,
): SecretGate {
  const isSecret = createSecretCheck(secrets)

  return async (given, address) => {
    if (given === undefined) throw invalidCredential()
    rejectOtherKinds(given)
    if (!isSecret(given)) return reject(address)
    const { count, secondsLeft } = await failures.read(address)
    if (count >= WRONG_SECRETS_PER_MINUTE) throw tooManyFailures(WRONG_SECRETS_PER_MINUTE, secondsLeft)
  }

  // One statement increments and reads, so that parallel guesses are all counted.
  async function reject(address: string): Promise<never> {
    const { count, secondsLeft } = await failures.increment(address)
    if (count > WRONG_SECRETS_PER_MINUTE) throw tooManyFailures(WRONG_SECRETS_PER_MINUTE, secondsLeft)
    await onGuess?.(address)
    throw invalidCredential()
  }
}

/** Rejects credentials that are not guesses at a secret. @throws AppError FORBIDDEN */
export function rejectOtherKinds(given: string | undefined): void {
  if (given !== undefined && credentialKind(given) === 'userToken') throw userTokenNotAccepted()
  if (isApiKey(given)) throw apiKeyNotAccepted()
  if (isServerKey(given))
    throw new AppError('FORBIDDEN', 'Server keys cannot make this call. Use the credential that it requires.')
}

/**
 * Compares with each secret in constant time, so that the duration reveals neither a secret's length nor how much of a
 * guess was right.
 */
export function createSecretCheck(secrets: readonly string[]): (given: string | undefined) => boolean {
  const expected = secrets.map(sha256)
  return (given) => {
    const hash = sha256(given ?? '')
    const matches = expected.filter((one) => timingSafeEqual(hash, one))
    return given !== undefined && matches.length > 0
  }
}

/** `max` is the number of wrong credentials that an address can send per minute. */
export function tooManyFailures(max: number, secondsLeft: number): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    `This address sent too many wrong credentials: at most ${max} per minute are allowed. Try again later.`,
    { retryAfterSeconds: secondsLeft },
  )
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
