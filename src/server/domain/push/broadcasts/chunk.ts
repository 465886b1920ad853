import { backoffMs, jittered } from '../../../kernel/backoff.ts'
import type { Recipient, RetryOutcome } from '../delivery/gateway.ts'
import type { PushApps } from '../delivery/push-apps.ts'
import { partsOf, upstreamOf } from '../delivery/upstream.ts'
import { type Counts, countAudience, countFailure, countOutcome, emptyCounts } from '../messages/counts.ts'
import type { PreparedMessage } from '../messages/prepared-message.ts'
import type { Chunk, RetryGroup } from './chunk-repo.ts'

const BASE_MS = 1_000
const MAX_MS = 300_000

/** Results of a chunk, and the devices to send to later. */
export type ChunkResult = { counts: Counts; retries: RetryGroup[] }

type ChunkContext = {
  apps: PushApps
  prepared: PreparedMessage
  now: () => Date
  /** Called when a push gets a stream. Returns false once the message is canceled; the rest then become retries. */
  isWanted(): boolean
}

/**
 * Sends once to each of a chunk's devices. The gateways limit the requests in flight, so a chunk's memory does not
 * depend on how slow they are. Devices of other upstreams go into other chunks, so that a chunk waits for only one
 * upstream.
 */
export async function sendChunk(
  chunk: Chunk,
  recipients: Recipient[],
  { apps, prepared, now, isWanted }: ChunkContext,
): Promise<ChunkResult> {
  const { expiresAt, content } = chunk.message
  // After an outage or behind a long queue. Callers do not want a push sent later than ttlSeconds.
  if (content.ttlSeconds > 0 && now() >= expiresAt) return failChunk(chunk, recipients, 'EXPIRED')

  const counts = countsOf(chunk, recipients)
  const byUpstream = Map.groupBy(recipients, upstreamOf)
  const own = byUpstream.get(chunk.upstream) ?? []
  const outcomes = await Promise.all(
    own.map((r) => apps.gatewaysOf(r.app)[r.platform].send(prepared.for(r), r, isWanted)),
  )
  const unsettled: Unsettled[] = []
  for (const [i, recipient] of own.entries()) {
    const outcome = outcomes[i]!
    if (outcome.kind !== 'retry') countOutcome(counts, recipient, outcome)
    else unsettled.push({ recipient, outcome })
  }
  const retries = planRetries(chunk, unsettled, counts, now())
  byUpstream.delete(chunk.upstream)
  const others = [...byUpstream].map(([upstream, devices]) => {
    const deviceIds = devices.map(({ deviceId }) => deviceId)
    return { upstream, platform: partsOf(upstream).platform, deviceIds, attempt: chunk.attempt, delayMs: 0 }
  })
  return { counts, retries: [...others, ...retries] }
}

/** Counts all devices as failed for this reason and sends nothing. */
export function failChunk(chunk: Chunk, recipients: Recipient[], reason: string): ChunkResult {
  const counts = countsOf(chunk, recipients)
  for (const { deviceId, platform } of recipients) countFailure(counts, { deviceId, platform, reason })
  return { counts, retries: [] }
}

function countsOf({ retry }: Chunk, recipients: Recipient[]): Counts {
  const counts = emptyCounts()
  if (!retry) {
    countAudience(counts, recipients)
    return counts
  }
  // Devices of a retry already count as audience. Those that unregistered or opted out since then count as failed.
  const found = new Set(recipients.map(({ deviceId }) => deviceId))
  for (const deviceId of retry.deviceIds)
    if (!found.has(deviceId))
      countFailure(counts, { deviceId, platform: retry.platform, reason: 'WITHDRAWN' })
  return counts
}

type Unsettled = { recipient: Recipient; outcome: RetryOutcome }

/**
 * Groups devices by delay, in whole seconds, and by how much of it the gateway asked for. A gateway in trouble gives
 * every device the same response, so a chunk has one or two groups.
 */
function planRetries(chunk: Chunk, unsettled: Unsettled[], counts: Counts, now: Date): RetryGroup[] {
  const { upstream } = chunk
  const leftMs = chunk.message.expiresAt.getTime() - now.getTime()
  const attempt = chunk.attempt + 1
  const groups = new Map<string, RetryGroup>()
  for (const { recipient, outcome } of unsettled) {
    const { deviceId, platform } = recipient
    const waitMs = Math.max(outcome.afterMs ?? 0, backoffMs(chunk.attempt, BASE_MS, MAX_MS))
    if (waitMs > leftMs) {
      // Not counted as a response, because it concerns neither the device nor our configuration.
      countFailure(counts, { deviceId, platform, reason: outcome.reason })
      continue
    }
    const delayMs = Math.ceil(waitMs / 1000) * 1000
    const notBeforeMs = outcome.device ? undefined : Math.ceil((outcome.afterMs ?? 0) / 1000) * 1000
    const key = `${delayMs} ${notBeforeMs}`
    const group = groups.get(key)
    if (group) group.deviceIds.push(deviceId)
    else groups.set(key, { upstream, platform, deviceIds: [deviceId], attempt, delayMs, notBeforeMs })
  }
  // Spreads retries over as long again, but never earlier than the gateway asked.
  for (const group of groups.values()) group.delayMs = Math.round(jittered(group.delayMs * 2))
  return [...groups.values()]
}
