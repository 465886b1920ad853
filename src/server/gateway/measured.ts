import type { Outcome } from '../push/outcome.ts'
import type { Gateway, Platform } from '../push/ports.ts'

/** Called once per attempt, for counters and histograms; `reason` is '' for accepted pushes. Must not throw. */
export type OnResult = (platform: Platform, kind: Outcome['kind'], reason: string, durationMs: number) => void

/** The gateway with every attempt reported; the time includes waiting for a place in flight. */
export function measured(gateway: Gateway, onResult: OnResult | undefined): Gateway {
  if (!onResult) return gateway
  return {
    ...gateway,
    async send(prepared, target) {
      const startedAt = performance.now()
      const outcome = await gateway.send(prepared, target)
      const reason = outcome.kind === 'accepted' ? '' : outcome.reason
      onResult(gateway.platform, outcome.kind, reason, performance.now() - startedAt)
      return outcome
    },
  }
}
