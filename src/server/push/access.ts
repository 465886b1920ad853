import { AppError } from '../errors.ts'
import { createSecretCheck } from './admin-secret.ts'
import type { ApiTokens } from './api-tokens.ts'
import type { PushCredential, RateCounter } from './ports.ts'

/** Wrong credentials an address may give in a minute before it is not listened to. */
export const FAILURES_PER_MINUTE = 20

/** Sends of a push token in the window that runs. */
export type SendBudget = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean }

export type AccessDeps = {
  apiTokens: ApiTokens
  adminSecret: string
  /** Both in windows of a minute. */
  failures: RateCounter
  sends: RateCounter
  sendsPerMinute: number
}

/** Who may call the push endpoints, and how often. */
export function createAccess(deps: AccessDeps) {
  const { apiTokens, failures, sends, sendsPerMinute } = deps
  const isAdminSecret = createSecretCheck(deps.adminSecret)

  /**
   * The administrator's secret. A blocked address is not told whether it was right, or it could go on guessing.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS
   */
  async function admin(given: string | undefined, address: string): Promise<void> {
    if (!isAdminSecret(given)) return refuse(address)
    const { count, secondsLeft } = await failures.read(address)
    if (count >= FAILURES_PER_MINUTE) throw tooMany(secondsLeft)
  }

  /** @throws AppError UNAUTHORIZED: missing, unknown, expired and revoked look alike */
  async function sender(given: string | undefined): Promise<PushCredential> {
    const credential = await apiTokens.authenticate(given)
    if (!credential) throw unauthorized()
    return credential
  }

  /**
   * For looking at messages: the token's id, or undefined for the administrator.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS
   */
  async function reader(given: string | undefined, address: string): Promise<string | undefined> {
    const credential = await apiTokens.authenticate(given)
    if (credential) return credential.id
    await admin(given, address)
    return undefined
  }

  /** Counts one more send. */
  async function countSend(pushTokenId: string): Promise<SendBudget> {
    const { count, secondsLeft } = await sends.add(pushTokenId)
    return {
      limit: sendsPerMinute,
      remaining: Math.max(0, sendsPerMinute - count),
      resetSeconds: Math.max(1, Math.ceil(secondsLeft)),
      exceeded: count > sendsPerMinute,
    }
  }

  /** Counting and comparing are one statement, so that guesses in parallel are all counted. */
  async function refuse(address: string): Promise<never> {
    const { count, secondsLeft } = await failures.add(address)
    throw count > FAILURES_PER_MINUTE ? tooMany(secondsLeft) : unauthorized()
  }

  return { admin, sender, reader, countSend }
}

function unauthorized(): AppError {
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
