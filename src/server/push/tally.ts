import type { Outcome } from './outcome.ts'
import type { Failure, Platform, Recipient, Tally } from './ports.ts'

/** How many failures a message lists. */
export const MAX_FAILURES = 20

export function emptyTally(): Tally {
  return {
    audience: { ios: 0, android: 0 },
    sent: 0,
    failed: 0,
    failures: [],
    gone: [],
    suspects: [],
    answers: { ios: 0, android: 0 },
  }
}

export function countFailure(tally: Tally, failure: Failure, times = 1): void {
  tally.failed += times
  if (tally.failures.length < MAX_FAILURES) tally.failures.push(failure)
}

/** Adds what settled one device. */
export function countOutcome(
  tally: Tally,
  recipient: Recipient,
  outcome: Exclude<Outcome, { kind: 'retry' }>,
): void {
  const { deviceId, platform } = recipient
  tally.answers[platform]++
  switch (outcome.kind) {
    case 'accepted':
      tally.sent++
      return
    case 'rejected':
      countFailure(tally, { deviceId, platform, reason: outcome.reason })
      return
    case 'gone':
      tally.gone.push({ recipient, reason: outcome.reason, since: outcome.since })
      return
    case 'suspect':
      tally.suspects.push({ recipient, reason: outcome.reason })
  }
}

export function countAudience(tally: Tally, recipients: readonly { platform: Platform }[]): void {
  for (const { platform } of recipients) tally.audience[platform]++
}
