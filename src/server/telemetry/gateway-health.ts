import type { OnResult } from '../gateway/report.ts'
import type { Platform } from '../push/ports.ts'

/** Answers that say that the gateway is unavailable: ours, APNs' and FCM's. */
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
/** A gateway is unavailable after this many such answers in a row ... */
const MIN_FAILURES = 3
/** ... until one is different, or nobody has asked it for this long. */
const FORGET_MS = 60_000

/** Learns from what pushes are answered whether a gateway is unavailable: asking it without a push would prove nothing. */
export function createGatewayHealth() {
  const failures = new Map<string, { count: number; reason: string; at: number }>()
  const onResult: OnResult = (platform, kind, reason) => {
    if (kind !== 'retry' || !OUTAGE_REASONS.has(reason)) failures.delete(platform)
    else
      failures.set(platform, {
        count: (failures.get(platform)?.count ?? 0) + 1,
        reason,
        at: performance.now(),
      })
  }
  return {
    onResult,

    /** Throws if the gateway is unavailable. */
    async check(platform: Platform): Promise<void> {
      const known = failures.get(platform)
      if (known && known.count >= MIN_FAILURES && performance.now() - known.at < FORGET_MS)
        throw new Error(`the last ${known.count} pushes got no answer: ${known.reason}`)
    },
  }
}
