import type { Audit } from '../../audit.ts'
import type { AppError } from '../../errors.ts'
import type { PushCredential } from '../../push/ports.ts'
import { isPushToken, type PushTokens } from '../../push/push-tokens.ts'
import type { RateCounter } from '../../rate-counter.ts'
import { createSecretGate, invalidCredential, tooManyFailures } from './secret-gate.ts'
import { createSendRate, type SendRateDeps } from './send-rate.ts'

/**
 * Wrong push tokens that one address may send in a minute: more than a fleet of scripts whose token has expired. Nobody
 * guesses 256 bits; this tells a script in a loop to stop.
 */
export const WRONG_TOKENS_PER_MINUTE = 300

export type PushAccessDeps = SendRateDeps & {
  tokens: PushTokens
  adminSecrets: readonly string[]
  /** Wrong admin secrets by address, where only it is accepted and where push tokens are, too; by the minute. */
  failures: { admin: RateCounter; reader: RateCounter /** Wrong push tokens. */; token: RateCounter }
  audit: Audit
}

/** Who may call the push endpoints, and how often. */
export function createPushAccess(deps: PushAccessDeps) {
  const { tokens } = deps
  const auditGuess = (address: string) =>
    deps.audit.recordRefusal({ action: 'admin.refused', actor: null, address })
  const admin = createSecretGate(deps.adminSecrets, deps.failures.admin, auditGuess)
  const adminAsReader = createSecretGate(deps.adminSecrets, deps.failures.reader, auditGuess)

  /**
   * A right token is let in whatever others of its address send.
   * @throws AppError UNAUTHORIZED, the same for missing, unknown, expired and revoked tokens; TOO_MANY_REQUESTS
   */
  async function sender(given: string | undefined, address: string): Promise<PushCredential> {
    const credential = await tokens.authenticate(given)
    if (credential) return credential
    throw given === undefined ? invalidCredential() : await wrongToken(address)
  }

  async function wrongToken(address: string): Promise<AppError> {
    const { count, secondsLeft } = await deps.failures.token.increment(address)
    return count > WRONG_TOKENS_PER_MINUTE
      ? tooManyFailures(WRONG_TOKENS_PER_MINUTE, secondsLeft)
      : invalidCredential()
  }

  /**
   * Who may read messages: a push token, which is returned, or the administrator (undefined).
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS
   */
  async function reader(given: string | undefined, address: string): Promise<PushCredential | undefined> {
    const credential = await tokens.authenticate(given)
    if (credential) return credential
    // A push token that has ended is no guess at the admin secret.
    if (isPushToken(given)) throw await wrongToken(address)
    await adminAsReader(given, address)
    return undefined
  }

  return { admin, sender, reader, countSend: createSendRate(deps) }
}
