import { AppError } from '../errors.ts'
import { createSecretCheck } from './admin-secret.ts'
import type { RateCounter } from './ports.ts'

/** Wrong credentials an address may give in a minute before it is not listened to. */
export const FAILURES_PER_MINUTE = 20

/** Lets whoever knows the secret pass; @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS */
export type SecretGate = (given: string | undefined, address: string) => Promise<void>

/**
 * A secret of the operator's, with wrong guesses counted by address. A blocked address is not told whether it
 * was right, or it could go on guessing.
 */
export function createSecretGate(secret: string, failures: RateCounter): SecretGate {
  const isSecret = createSecretCheck(secret)

  return async (given, address) => {
    if (!isSecret(given)) return refuse(address)
    const { count, secondsLeft } = await failures.read(address)
    if (count >= FAILURES_PER_MINUTE) throw tooMany(secondsLeft)
  }

  /** Counting and comparing are one statement, so that guesses in parallel are all counted. */
  async function refuse(address: string): Promise<never> {
    const { count, secondsLeft } = await failures.add(address)
    throw count > FAILURES_PER_MINUTE ? tooMany(secondsLeft) : unauthorized()
  }
}

export function unauthorized(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'Send a valid credential as "Authorization: Bearer ...". This one is missing, unknown, expired or revoked.',
  )
}

function tooMany(secondsLeft: number): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    `Too many wrong credentials from this address: at most ${FAILURES_PER_MINUTE} a minute. Try again later.`,
    { retryAfterSeconds: secondsLeft },
  )
}
