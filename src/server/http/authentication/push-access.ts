import type { Audit } from '../../audit.ts'
import type { PushCredential } from '../../push/ports.ts'
import type { PushTokens } from '../../push/push-tokens.ts'
import type { RateCounter } from '../../rate-counter.ts'
import { createSecretGate, invalidCredential } from './secret-gate.ts'

/** What is left of a push token's sends in the current window. */
export type SendBudget = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean }

export type PushAccessDeps = {
  tokens: PushTokens
  adminSecrets: readonly string[]
  /** Wrong admin secrets by address, and sends by push token; both in windows of a minute. */
  failures: RateCounter
  sends: RateCounter
  sendsPerMinute: number
  audit: Audit
}

/** Who may call the push endpoints, and how often. */
export function createPushAccess(deps: PushAccessDeps) {
  const { tokens, sends, sendsPerMinute } = deps
  const admin = createSecretGate(deps.adminSecrets, deps.failures, (address) =>
    deps.audit.recordRefusal({ action: 'admin.refused', actor: null, address }),
  )

  /** @throws AppError UNAUTHORIZED, the same for missing, unknown, expired and revoked tokens */
  async function sender(given: string | undefined): Promise<PushCredential> {
    const credential = await tokens.authenticate(given)
    if (!credential) throw invalidCredential()
    return credential
  }

  /**
   * Who may read messages: a push token, which is returned, or the administrator (undefined).
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS
   */
  async function reader(given: string | undefined, address: string): Promise<PushCredential | undefined> {
    const credential = await tokens.authenticate(given)
    if (credential) return credential
    await admin(given, address)
    return undefined
  }

  /** Counts one more send of this push token. */
  async function countSend(pushTokenId: string): Promise<SendBudget> {
    const { count, secondsLeft } = await sends.increment(pushTokenId)
    return {
      limit: sendsPerMinute,
      remaining: Math.max(0, sendsPerMinute - count),
      resetSeconds: Math.max(1, Math.ceil(secondsLeft)),
      exceeded: count > sendsPerMinute,
    }
  }

  return { admin, sender, reader, countSend }
}
