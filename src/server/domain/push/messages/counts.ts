import type { Answers } from '../delivery/circuit-breaker.ts'
import type { FinalOutcome, Platform, Recipient } from '../delivery/gateway.ts'
import { PLATFORMS, type Upstream, upstreamOf } from '../delivery/upstream.ts'

export type Failure = { deviceId: string; platform: Platform; reason: string }

/** Results for some devices of a message. When they are recorded, the circuit breaker decides about the suspects. */
export type Counts = {
  /** Devices counted as audience for the first time. */
  audience: Record<Platform, number>
  sent: number
  failed: number
  /** The failed devices. */
  failures: Failure[]
  gone: Removal[]
  suspects: Removal[]
  /** Final responses that the circuit breakers count. */
  answers: Map<Upstream, Answers>
}

export type Removal = { recipient: Recipient; reason: string; since?: Date }

/** Failures shown with a message's counts; the list of its failures has more. */
export const MAX_FAILURES = 20

export const emptyAudience = (): Record<Platform, number> => ({ ios: 0, android: 0, web: 0 })

export const noAnswers = (): Answers => ({ answers: 0, accepted: 0, suspects: 0 })

/** Returns what the circuit breakers of the upstreams with suspects count, which can be nothing. */
export const suspectedAnswers = ({ suspects, answers }: Counts): Map<Upstream, Answers> =>
  new Map(
    suspects.map(({ recipient }) => {
      const upstream = upstreamOf(recipient)
      return [upstream, answers.get(upstream) ?? noAnswers()]
    }),
  )

export function emptyCounts(): Counts {
  const audience = emptyAudience()
  return { audience, sent: 0, failed: 0, failures: [], gone: [], suspects: [], answers: new Map() }
}

export function sumCounts(all: readonly Counts[]): Counts {
  const sum = emptyCounts()
  for (const { audience, sent, failed, failures, gone, suspects, answers } of all) {
    for (const platform of PLATFORMS) sum.audience[platform] += audience[platform]
    sum.sent += sent
    sum.failed += failed
    sum.failures.push(...failures)
    sum.gone.push(...gone)
    sum.suspects.push(...suspects)
    for (const [upstream, added] of answers)
      sum.answers.set(upstream, sumAnswers(sum.answers.get(upstream) ?? noAnswers(), added))
  }
  return sum
}

export const sumAnswers = (a: Answers, b: Answers): Answers => ({
  answers: a.answers + b.answers,
  accepted: a.accepted + b.accepted,
  suspects: a.suspects + b.suspects,
})

export function countFailure(counts: Counts, failure: Failure): void {
  counts.failed++
  counts.failures.push(failure)
}

/** Adds the final outcome of one device. */
export function countOutcome(counts: Counts, recipient: Recipient, outcome: FinalOutcome): void {
  const { deviceId, platform } = recipient
  const upstream = upstreamOf(recipient)
  if (!counts.answers.has(upstream)) counts.answers.set(upstream, noAnswers())
  const answers = counts.answers.get(upstream)!
  answers.answers++
  if (outcome.kind === 'accepted') {
    answers.accepted++
    counts.sent++
  } else if (outcome.kind === 'suspect') {
    answers.suspects++
    counts.suspects.push({ recipient, reason: outcome.reason })
  } else if (outcome.kind === 'gone') {
    counts.gone.push({ recipient, reason: outcome.reason, since: outcome.since })
  } else countFailure(counts, { deviceId, platform, reason: outcome.reason })
}

export function countAudience(counts: Counts, recipients: readonly { platform: Platform }[]): void {
  for (const { platform } of recipients) counts.audience[platform]++
}
