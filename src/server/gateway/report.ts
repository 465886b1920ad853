import type { Outcome } from '../push/outcome.ts'
import type { Platform } from '../push/ports.ts'

/** Called once per attempt, for counters and histograms; `reason` is '' for accepted pushes. Must not throw. */
export type OnResult = (platform: Platform, kind: Outcome['kind'], reason: string, durationMs: number) => void

/** Passes an outcome on after reporting it; `startedAt`: performance.now(), so the time includes queueing. */
export type Report = (outcome: Outcome, startedAt: number) => Outcome

export function reportTo(platform: Platform, onResult: OnResult | undefined): Report {
  if (!onResult) return (outcome) => outcome
  return (outcome, startedAt) => {
    const reason = outcome.kind === 'accepted' ? '' : outcome.reason
    onResult(platform, outcome.kind, reason, performance.now() - startedAt)
    return outcome
  }
}
