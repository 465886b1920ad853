import { backoffMs } from '../../../kernel/backoff.ts'
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
 * Groups devices by the delay that the gateway asked for, in whole seconds. A gateway in trouble gives every device the
 * same response, so a chunk has one or two groups.
 */
function planRetries(chunk: Chunk, unsettled: Unsettled[], counts: Counts, now: Date): RetryGroup[] {
  const { upstream } = chunk
  const leftMs = chunk.message.expiresAt.getTime() - now.getTime()
  const attempt = chunk.attempt + 1
  const groups = new Map<string, RetryGroup>()
  for (const { recipient, outcome } of unsettled) {
    const { deviceId, platform } = recipient
    const askedMs = Math.ceil((outcome.afterMs ?? 0) / 1000) * 1000
    if (Math.max(askedMs, BASE_MS) >= leftMs) {
      // Not counted as a response, because it concerns neither the device nor our configuration.
      countFailure(counts, { deviceId, platform, reason: outcome.reason })
      continue
    }
    const notBeforeMs = outcome.device ? undefined : askedMs
    const key = `${askedMs} ${notBeforeMs}`
    const delayMs = delayOf(askedMs, chunk.attempt, leftMs)
    const group = groups.get(key)
    if (group) group.deviceIds.push(deviceId)
    else groups.set(key, { upstream, platform, deviceIds: [deviceId], attempt, delayMs, notBeforeMs })
  }
  return [...groups.values()]
}

/**
 * Returns the time until the next attempt: at least what the gateway asked for and the backoff, and spread over as long
 * again. If the message would expire before, it is spread over the second half of the time left.
 */
function delayOf(askedMs: number, attempt: number, leftMs: number): number {
  const latestMs = Math.max(BASE_MS, leftMs - BASE_MS)
  const wantedMs = Math.max(askedMs, backoffMs(attempt, BASE_MS, MAX_MS))
  const fromMs = wantedMs < latestMs ? wantedMs : Math.max(askedMs, latestMs / 2)
  const toMs = Math.min(fromMs * 2, Math.max(fromMs, latestMs))
  return Math.round(fromMs + Math.random() * (toMs - fromMs))
}
