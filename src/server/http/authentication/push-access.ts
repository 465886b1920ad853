import type { Audit } from '../../audit.ts'
import type { PushCredential } from '../../push/ports.ts'
import { isPushToken, type PushTokens } from '../../push/push-tokens.ts'
import type { RateCounter } from '../../rate-counter.ts'
import { createSecretGate, invalidCredential } from './secret-gate.ts'
import { createSendRate, type SendRateDeps } from './send-rate.ts'

export type PushAccessDeps = SendRateDeps & {
  tokens: PushTokens
  adminSecrets: readonly string[]
  /** Wrong admin secrets by address, where only it is accepted and where push tokens are, too; by the minute. */
  failures: { admin: RateCounter; reader: RateCounter }
  audit: Audit
}

/** Who may call the push endpoints, and how often. */
export function createPushAccess(deps: PushAccessDeps) {
  const { tokens } = deps
  const auditGuess = (address: string) =>
    deps.audit.recordRefusal({ action: 'admin.refused', actor: null, address })
  const admin = createSecretGate(deps.adminSecrets, deps.failures.admin, auditGuess)
  const adminAsReader = createSecretGate(deps.adminSecrets, deps.failures.reader, auditGuess)

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
    // A push token that has ended is no guess at the admin secret.
    if (isPushToken(given)) throw invalidCredential()
    await adminAsReader(given, address)
    return undefined
  }

  return { admin, sender, reader, countSend: createSendRate(deps) }
}
