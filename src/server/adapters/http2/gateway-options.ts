import type { Gateway, Outcome, Platform } from '../../domain/push/delivery/gateway.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'

/** Options of every push gateway. */
export type GatewayOptions = {
  log: Logger
  clock: Clock
  onResult?: OnResult
  maxInFlight?: number
  timeoutMs?: number
}

/** Default time that `close` waits for pushes in flight. */
export const DRAIN_MS = 20_000

/** A push that the gateway rejects because of the credential is sent once more with a new one. */
export const MAX_ATTEMPTS = 2

/** Called once per attempt, for metrics. `reason` is '' for accepted pushes. Must not throw. */
export type OnResult = (platform: Platform, kind: Outcome['kind'], reason: string, durationMs: number) => void

/** Reports an outcome and returns it. `startedAt`: performance.now(), so that the duration includes queueing. */
export type Report = (outcome: Outcome, startedAt: number) => Outcome

export function reportTo(platform: Platform, onResult: OnResult | undefined): Report {
  return (outcome, startedAt) => {
    const reason = outcome.kind === 'accepted' ? '' : outcome.reason
    onResult?.(platform, outcome.kind, reason, performance.now() - startedAt)
    return outcome
  }
}

/** Stands in for a gateway without credentials: the app starts, and pushes to it fail with this reason. */
export function createUnconfiguredGateway(platform: Platform, onResult?: OnResult): Gateway {
  const report = reportTo(platform, onResult)
  return {
    platform,
    prepare: () => ({ platform, bytesOver: 0 }),
    send: async () => report({ kind: 'rejected', reason: 'GATEWAY_NOT_CONFIGURED' }, performance.now()),
    close: async () => {},
  }
}
