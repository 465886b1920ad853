import { isPushToken, type PushCredential, type PushTokens } from '../../domain/push/tokens/push-tokens.ts'
import type { Audit } from '../../kernel/audit.ts'
import type { AppError } from '../../kernel/errors.ts'
import type { RateCounter } from '../../kernel/rate-counter.ts'
import { invalidCredential } from './credentials.ts'
import { createSecretGate, rejectOtherKinds, tooManyFailures } from './secret-gate.ts'
import { createSendRate, type SendRateDeps } from './send-rate.ts'

/**
 * Maximum number of wrong push tokens per address and minute. It is higher than what many scripts with an expired
 * token send. No one can guess 256 bits; the limit stops scripts that retry in a loop.
 */
export const WRONG_TOKENS_PER_MINUTE = 300

type PushAccessDeps = SendRateDeps & {
  tokens: PushTokens
  adminSecrets: readonly string[]
  /** Count wrong credentials by address, per minute. */
  failures: {
    /** Wrong admin secrets at endpoints that accept only the admin secret. */
    admin: RateCounter
    /** Wrong admin secrets at endpoints that also accept push tokens. */
    reader: RateCounter
    /** Wrong push tokens. */
    token: RateCounter
  }
  audit: Audit
}

export type PushAccess = ReturnType<typeof createPushAccess>

/** Decides who can call the push endpoints, and how often. */
export function createPushAccess(deps: PushAccessDeps) {
  const { tokens } = deps
  const auditGuess = (address: string) =>
    deps.audit.recordRejection({ action: 'admin.refused', actor: null, address })
  const admin = createSecretGate(deps.adminSecrets, deps.failures.admin, auditGuess)
  const adminAsReader = createSecretGate(deps.adminSecrets, deps.failures.reader, auditGuess)

  /**
   * Returns the push token of a request. A valid token is accepted even if its address has sent too many wrong ones.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS
   */
  async function sender(given: string | undefined, address: string): Promise<PushCredential> {
    rejectOtherKinds(given)
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
   * Returns the push token of a request that reads messages, or undefined for the admin secret.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS
   */
  async function reader(given: string | undefined, address: string): Promise<PushCredential | undefined> {
    const credential = await tokens.authenticate(given)
    if (credential) return credential
    // An expired or revoked push token is not a guess at the admin secret.
    if (isPushToken(given)) throw await wrongToken(address)
    await adminAsReader(given, address)
    return undefined
  }

  return { admin, sender, reader, countSend: createSendRate(deps) }
}
