import type { Platform } from '../../domain/push/delivery/gateway.ts'
import type { OnResult } from '../http2/gateway-options.ts'

/** Reasons that mean an unavailable gateway: the transport's, APNs's and FCM's. */
const OUTAGE_REASONS = new Set([
  'UNREACHABLE',
  'CONNECTION_LOST',
  'TIMEOUT',
  'NO_ACCESS_TOKEN',
  'InternalServerError',
  'ServiceUnavailable',
  'INTERNAL',
  'UNAVAILABLE',
])
/** Consecutive results with such a reason after which a gateway counts as unavailable, until another result. */
const MIN_FAILURES = 3
/** Time without a push after which a gateway no longer counts as unavailable. */
const FORGET_MS = 60_000

/** Detects unavailable gateways by the results of pushes, because a request without a push would prove nothing. */
export function createGatewayHealth() {
  const failures = new Map<string, { count: number; reason: string; at: number }>()
  const keyOf = (app: string, platform: Platform) => `${app}/${platform}`
  return {
    onResult(app: string, ...[platform, kind, reason]: Parameters<OnResult>): void {
      const key = keyOf(app, platform)
      const count = (failures.get(key)?.count ?? 0) + 1
      if (kind !== 'retry' || !OUTAGE_REASONS.has(reason)) failures.delete(key)
      else failures.set(key, { count, reason, at: performance.now() })
    },

    /** @throws Error if the gateway is unavailable */
    async check(app: string, platform: Platform): Promise<void> {
      const known = failures.get(keyOf(app, platform))
      if (known && known.count >= MIN_FAILURES && performance.now() - known.at < FORGET_MS)
        throw new Error(`the last ${known.count} pushes got no response: ${known.reason}`)
    },
  }
}
