import { backoffMs, jittered } from '../backoff.ts'
import type { Gateways, PreparedForAll } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { Chunk, Recipient, RetryGroup, Tally } from './ports.ts'
import { countAudience, countFailure, countOutcome, emptyTally } from './tally.ts'

const BASE_MS = 1_000
const MAX_MS = 300_000

/** What a chunk came to: counts, and who is to be tried again when. */
export type ChunkResult = { tally: Tally; retries: RetryGroup[] }

/**
 * Sends to a chunk's devices, each once. `sendOne` waits for a free place in flight, so a chunk costs the
 * memory of its devices however slow a gateway is.
 */
export async function sendChunk(
  chunk: Chunk,
  recipients: Recipient[],
  gateways: Gateways,
  prepared: PreparedForAll,
  now: () => Date,
): Promise<ChunkResult> {
  const { expiresAt, content } = chunk.message
  // It waited too long (an outage, a long queue before it): the caller said that nobody wants it now.
  if (content.ttlSeconds > 0 && now() >= expiresAt) return failChunk(chunk, recipients, 'EXPIRED')

  const tally = tallyOf(chunk, recipients)
  const outcomes = await Promise.all(
    recipients.map((r) => gateways[r.platform].send(prepared[r.platform], r)),
  )
  const late: Late[] = []
  for (const [i, recipient] of recipients.entries()) {
    const outcome = outcomes[i]!
    if (outcome.kind !== 'retry') countOutcome(tally, recipient, outcome)
    else late.push({ recipient, outcome })
  }
  return { tally, retries: planRetries(chunk, late, tally, now()) }
}

/** Its devices are not sent to: failed, for this reason. */
export function failChunk(chunk: Chunk, recipients: Recipient[], reason: string): ChunkResult {
  const tally = tallyOf(chunk, recipients)
  for (const { deviceId, platform } of recipients) countFailure(tally, { deviceId, platform, reason })
  return { tally, retries: [] }
}

function tallyOf(chunk: Chunk, recipients: Recipient[]): Tally {
  const tally = emptyTally()
  if (chunk.retry) countAbsent(tally, chunk.retry, recipients)
  else countAudience(tally, recipients)
  return tally
}

type Late = { recipient: Recipient; outcome: Extract<Outcome, { kind: 'retry' }> }

/** Retried devices that have unregistered, opted out or been removed since: not silently dropped. */
function countAbsent(tally: Tally, retry: NonNullable<Chunk['retry']>, present: Recipient[]): void {
  const there = new Set(present.map((r) => r.deviceId))
  for (const deviceId of retry.deviceIds)
    if (!there.has(deviceId)) countFailure(tally, { deviceId, platform: retry.platform, reason: 'WITHDRAWN' })
}

/**
 * Groups devices by gateway and by the wait that is due, in whole seconds: one or two groups for a chunk,
 * since a gateway in trouble says the same to everybody.
 */
function planRetries(chunk: Chunk, late: Late[], tally: Tally, now: Date): RetryGroup[] {
  const leftMs = chunk.message.expiresAt.getTime() - now.getTime()
  const groups = new Map<string, RetryGroup>()
  for (const { recipient, outcome } of late) {
    const { deviceId, platform } = recipient
    const waitMs = Math.max(outcome.afterMs ?? 0, backoffMs(chunk.attempt, BASE_MS, MAX_MS))
    if (waitMs > leftMs) {
      // The gateway did not answer for the device itself, so this says nothing about our configuration.
      countFailure(tally, { deviceId, platform, reason: outcome.reason })
      continue
    }
    const seconds = Math.ceil(waitMs / 1000)
    const key = `${platform} ${seconds}`
    const group = groups.get(key)
    if (group) group.deviceIds.push(deviceId)
    else
      groups.set(key, {
        platform,
        deviceIds: [deviceId],
        attempt: chunk.attempt + 1,
        delayMs: seconds * 1000,
      })
  }
  // Spread over as long again, never earlier than asked for.
  for (const group of groups.values()) group.delayMs = Math.round(jittered(group.delayMs * 2))
  return [...groups.values()]
}
