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
  const failures = new Map<Platform, { count: number; reason: string; at: number }>()
  const onResult: OnResult = (platform, kind, reason) => {
    const count = (failures.get(platform)?.count ?? 0) + 1
    if (kind !== 'retry' || !OUTAGE_REASONS.has(reason)) failures.delete(platform)
    else failures.set(platform, { count, reason, at: performance.now() })
  }
  return {
    onResult,

    /** @throws Error if the gateway is unavailable */
    async check(platform: Platform): Promise<void> {
      const known = failures.get(platform)
      if (known && known.count >= MIN_FAILURES && performance.now() - known.at < FORGET_MS)
        throw new Error(`the last ${known.count} pushes got no response: ${known.reason}`)
    },
  }
}
