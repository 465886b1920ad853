import type { ApiTokens } from './api-tokens.ts'
import type { PushCredential, RateCounter } from './ports.ts'
import { createSecretGate, unauthorized } from './secret-gate.ts'

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
  const { apiTokens, sends, sendsPerMinute } = deps
  const admin = createSecretGate(deps.adminSecret, deps.failures)

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

  return { admin, sender, reader, countSend }
}
