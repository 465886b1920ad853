import { backoffMs, jittered } from '../backoff.ts'
import { countAudience, countFailure, countOutcome, emptyCounts } from './counts.ts'
import type { Gateways } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { Chunk, Counts, Recipient, RetryGroup } from './ports.ts'
import type { PreparedMessage } from './prepared-message.ts'
import { upstreamOf } from './upstream.ts'

const BASE_MS = 1_000
const MAX_MS = 300_000

/** What came of a chunk: counts, and the devices to try again. */
export type ChunkResult = { counts: Counts; retries: RetryGroup[] }

export type ChunkContext = {
  gateways: Gateways
  prepared: PreparedMessage
  now: () => Date
  /** False once the message is cancelled; asked when a push is about to go on a stream. What is left is a retry. */
  isWanted(): boolean
}

/**
 * Sends to each of a chunk's devices once. The gateways bound what is in flight, so a chunk costs the memory of its
 * devices however slow a gateway is. Devices of another upstream are handed over to a chunk of their own, so that
 * the chunk waits for one upstream only.
 */
export async function sendChunk(
  chunk: Chunk,
  recipients: Recipient[],
  { gateways, prepared, now, isWanted }: ChunkContext,
): Promise<ChunkResult> {
  const { expiresAt, content } = chunk.message
  // It waited longer than ttlSeconds (after an outage, or behind a long queue): the caller no longer wants it sent.
  if (content.ttlSeconds > 0 && now() >= expiresAt) return failChunk(chunk, recipients, 'EXPIRED')

  const counts = countsOf(chunk, recipients)
  const own = recipients.filter((r) => upstreamOf(r) === chunk.upstream)
  const outcomes = await Promise.all(own.map((r) => gateways[r.platform].send(prepared.for(r), r, isWanted)))
  const unsettled: Unsettled[] = []
  for (const [i, recipient] of own.entries()) {
    const outcome = outcomes[i]!
    if (outcome.kind !== 'retry') countOutcome(counts, recipient, outcome)
    else unsettled.push({ recipient, outcome })
  }
  const retries = planRetries(chunk, unsettled, counts, now())
  return { counts, retries: [...handOver(chunk, recipients), ...retries] }
}

function handOver({ upstream: own, attempt }: Chunk, recipients: Recipient[]): RetryGroup[] {
  const groups = new Map<string, RetryGroup>()
  for (const recipient of recipients) {
    const upstream = upstreamOf(recipient)
    if (upstream === own) continue
    const { platform, deviceId } = recipient
    const group = groups.get(upstream)
    if (group) group.deviceIds.push(deviceId)
    else groups.set(upstream, { upstream, platform, deviceIds: [deviceId], attempt, delayMs: 0 })
  }
  return [...groups.values()]
}

/** Sends nothing: all of its devices count as failed, for this reason. */
export function failChunk(chunk: Chunk, recipients: Recipient[], reason: string): ChunkResult {
  const counts = countsOf(chunk, recipients)
  for (const { deviceId, platform } of recipients) countFailure(counts, { deviceId, platform, reason })
  return { counts, retries: [] }
}

function countsOf(chunk: Chunk, recipients: Recipient[]): Counts {
  const counts = emptyCounts()
  if (chunk.retry) countWithdrawn(counts, chunk.retry, recipients)
  else countAudience(counts, recipients)
  return counts
}

type Unsettled = { recipient: Recipient; outcome: Extract<Outcome, { kind: 'retry' }> }

/** Devices of a retry that have unregistered, opted out or been removed since count as failed: they were audience. */
function countWithdrawn(counts: Counts, retry: NonNullable<Chunk['retry']>, present: Recipient[]): void {
  const presentIds = new Set(present.map((r) => r.deviceId))
  for (const deviceId of retry.deviceIds)
    if (!presentIds.has(deviceId))
      countFailure(counts, { deviceId, platform: retry.platform, reason: 'WITHDRAWN' })
}

/**
 * Groups devices by wait and by how much of it the gateway asked for, in whole seconds: one or two groups for a chunk, since a gateway in trouble says the same
 * to everybody.
 */
function planRetries(chunk: Chunk, unsettled: Unsettled[], counts: Counts, now: Date): RetryGroup[] {
  const leftMs = chunk.message.expiresAt.getTime() - now.getTime()
  const groups = new Map<string, RetryGroup>()
  for (const { recipient, outcome } of unsettled) {
    const { deviceId, platform } = recipient
    const waitMs = Math.max(outcome.afterMs ?? 0, backoffMs(chunk.attempt, BASE_MS, MAX_MS))
    if (waitMs > leftMs) {
      // Not counted as an answer: it says nothing about the device, nor about our configuration.
      countFailure(counts, { deviceId, platform, reason: outcome.reason })
      continue
    }
    const seconds = Math.ceil(waitMs / 1000)
    const askedMs = outcome.device ? undefined : Math.ceil((outcome.afterMs ?? 0) / 1000) * 1000
    const key = `${seconds} ${askedMs}`
    const group = groups.get(key)
    if (group) group.deviceIds.push(deviceId)
    else
      groups.set(key, {
        upstream: chunk.upstream,
        platform,
        deviceIds: [deviceId],
        attempt: chunk.attempt + 1,
        delayMs: seconds * 1000,
        notBeforeMs: askedMs,
      })
  }
  // Spread over as long again, but never earlier than the gateway asked.
  for (const group of groups.values()) group.delayMs = Math.round(jittered(group.delayMs * 2))
  return [...groups.values()]
}
