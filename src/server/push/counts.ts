import type { Outcome } from './outcome.ts'
import type { Counts, Failure, Platform, Recipient } from './ports.ts'
import { upstreamOf } from './upstream.ts'

/** How many failures a message shows with its counts; the list of its failures has more. */
export const MAX_FAILURES = 20

export const emptyAudience = (): Record<Platform, number> => ({ ios: 0, android: 0, web: 0 })

export function emptyCounts(): Counts {
  return {
    audience: emptyAudience(),
    sent: 0,
    failed: 0,
    failures: [],
    gone: [],
    suspects: [],
    answers: new Map(),
  }
}

export function countFailure(counts: Counts, failure: Failure): void {
  counts.failed++
  counts.failures.push(failure)
}

/** Adds the final outcome of one device. */
export function countOutcome(
  counts: Counts,
  recipient: Recipient,
  outcome: Exclude<Outcome, { kind: 'retry' }>,
): void {
  const { deviceId, platform } = recipient
  countAnswer(counts, recipient, outcome.kind)
  switch (outcome.kind) {
    case 'accepted':
      counts.sent++
      return
    case 'rejected':
      countFailure(counts, { deviceId, platform, reason: outcome.reason })
      return
    case 'gone':
      counts.gone.push({ recipient, reason: outcome.reason, since: outcome.since })
      return
    case 'suspect':
      counts.suspects.push({ recipient, reason: outcome.reason })
  }
}

function countAnswer({ answers }: Counts, recipient: Recipient, kind: Outcome['kind']): void {
  const upstream = upstreamOf(recipient)
  let of = answers.get(upstream)
  if (!of) {
    of = { answers: 0, accepted: 0, suspects: 0 }
    answers.set(upstream, of)
  }
  of.answers++
  if (kind === 'accepted') of.accepted++
  if (kind === 'suspect') of.suspects++
}

export function countAudience(counts: Counts, recipients: readonly { platform: Platform }[]): void {
  for (const { platform } of recipients) counts.audience[platform]++
}
