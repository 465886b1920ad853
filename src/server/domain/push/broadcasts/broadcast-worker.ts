import { newId } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/log.ts'
import { within } from '../../../kernel/time-limit.ts'
import type { Recipient } from '../delivery/gateway.ts'
import { Outages } from '../delivery/outages.ts'
import type { PushApps } from '../delivery/push-apps.ts'
import { retry } from '../delivery/retry.ts'
import { type Upstream, upstreamsOf } from '../delivery/upstream.ts'
import type { NewMessage } from '../messages/message.ts'
import { type PreparedMessage, prepareMessage } from '../messages/prepared-message.ts'
import { type ChunkResult, failChunk, sendChunk } from './chunk.ts'
import type { Chunk, ChunkRepo } from './chunk-repo.ts'

export type BroadcastWorkerDeps = {
  chunks: ChunkRepo
  apps: PushApps
  log: Logger
  /** Interval between checks for chunks of other replicas and for retries that are due. */
  pollMs?: number
  leaseMs?: number
  /** Maximum time for recording while the database is unavailable. After that, any replica can repeat the chunk. */
  recordTimeoutMs?: number
}

/** Chunks of one upstream in progress, so that one is sent while others are read or recorded. */
const CONCURRENCY = 4
/** After this many sends without recorded results, a chunk counts as failed instead of being sent again. */
const MAX_UNRECORDED = 3
const AFTER_ERROR_MS = 1_000
/** Maximum time until a worker learns that another replica has canceled a message. */
const CANCELLATION_MS = 1_000
/** Messages whose encoded form is kept. Only after an outage are there more in progress. */
const MAX_PREPARED = 8
/** FCM and web push get the seconds until a message expires, counted from when it was encoded. */
const PREPARED_MS = 1_000

/**
 * Claims due chunks of broadcasts and sends them, in every replica. The worker extends the lease of a chunk until it
 * is recorded; if the process dies, the lease expires and another worker claims the chunk. Each upstream has its own
 * slots, so one that hangs does not block the others.
 */
export function createBroadcastWorker(deps: BroadcastWorkerDeps) {
  const { chunks, apps, log, pollMs = 500, leaseMs = 10_000, recordTimeoutMs = 120_000 } = deps
  const leaseId = newId()
  const upstreams = upstreamsOf(apps.names)
  /** By chunk ID. */
  const running = new Map<string, { upstream: Upstream; work: Promise<void> }>()
  /** Upstreams whose last claim filled all their slots, so more chunks may be due. */
  const backlogged = new Set<Upstream>()
  const prepared = new Map<string, { message: PreparedMessage; at: number }>()
  const outages = new Outages(upstreams)
  /** Number of sends without recorded results, by chunk ID. */
  const unrecorded = new Map<string, number>()
  /** Messages canceled while this process works on them. */
  const cancelled = new Set<string>()
  let stopping = false
  let loop: Promise<void> | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let wakeUp = Promise.withResolvers<void>()

  /** Looks for chunks now instead of after `pollMs`. */
  const wake = () => wakeUp.resolve()

  /** Hands no more pushes of this message to the gateways. */
  const cancel = (messageId: string) => cancelled.add(messageId)

  function start(): void {
    heartbeat = setInterval(extendLeases, Math.min(leaseMs / 4, CANCELLATION_MS)).unref()
    loop = run()
  }

  async function extendLeases(): Promise<void> {
    if (running.size === 0) {
      cancelled.clear()
      return
    }
    try {
      for (const id of await chunks.extend(leaseId, [...running.keys()], leaseMs)) cancelled.add(id)
    } catch (error) {
      log.warn({ err: error }, 'could not extend the lease of push chunks')
    }
  }

  /** Waits up to `timeoutMs` for the chunks in progress, then releases the rest. */
  async function stop(timeoutMs: number): Promise<void> {
    stopping = true
    wake()
    await within(timeoutMs, finished())
    clearInterval(heartbeat)
    if (loop)
      await chunks
        .release(leaseId)
        .catch((error: unknown) => log.warn({ err: error }, 'could not release push chunks'))
  }

  async function finished(): Promise<void> {
    await loop
    await Promise.all([...running.values()].map(({ work }) => work))
  }

  async function run(): Promise<void> {
    while (!stopping) {
      // A new promise for each round, because one that never settles keeps all its waiters in memory.
      wakeUp = Promise.withResolvers<void>()
      const woken = wakeUp.promise
      const free = freeSlots()
      let claimed: Chunk[] = []
      try {
        const probes = outages.takeProbes(performance.now())
        if (probes.length > 0) await chunks.makeDue(probes, 1)
        if ([...free.values()].some((slots) => slots > 0))
          claimed = await chunks.claim(leaseId, { known: free, unknown: CONCURRENCY }, leaseMs, [
            ...running.keys(),
          ])
      } catch (error) {
        log.warn({ err: error }, 'could not look for push chunks')
        await within(AFTER_ERROR_MS, woken)
        continue
      }
      // `stop` was called during the claim and releases these too.
      if (stopping) break
      for (const chunk of claimed) startChunk(chunk)
      for (const [upstream, slots] of free) {
        if (slots === 0) continue
        const isFull = claimed.filter((chunk) => chunk.upstream === upstream).length === slots
        if (isFull) backlogged.add(upstream)
        else backlogged.delete(upstream)
      }
      await within(pollMs, woken)
    }
  }

  /** Returns the free slots of each upstream of a known app. */
  function freeSlots(): Map<Upstream, number> {
    const free = new Map<Upstream, number>(upstreams.map((upstream) => [upstream, CONCURRENCY]))
    for (const { upstream } of running.values()) {
      const slots = free.get(upstream)
      if (slots !== undefined) free.set(upstream, slots - 1)
    }
    return free
  }

  function startChunk(chunk: Chunk): void {
    const { upstream } = chunk
    const work = sendAndRecord(chunk)
      // The lease expires, then this or another replica claims the chunk again.
      .catch((error: unknown) => log.error({ err: error, messageId: chunk.message.id }, 'push chunk failed'))
      .finally(() => {
        running.delete(chunk.id)
        if (backlogged.has(upstream)) wake()
      })
    running.set(chunk.id, { upstream, work })
  }

  async function sendAndRecord(chunk: Chunk): Promise<void> {
    const startedAt = performance.now()
    const recipients = await retry(() => chunks.read(chunk), leaseMs, log)
    const { counts, retries } = await resultOf(chunk, recipients, startedAt)
    unrecorded.set(chunk.id, (unrecorded.get(chunk.id) ?? 0) + 1)
    const recorded = await retry(() => chunks.record(chunk, leaseId, counts, retries), recordTimeoutMs, log)
    unrecorded.delete(chunk.id)
    if (counts.answers.has(chunk.upstream)) onAnswered([chunk.upstream])
    else if (retries.some((group) => group.notBeforeMs !== undefined))
      outages.begin(chunk.upstream, performance.now())
    // Chunks for other upstreams are due now.
    if (retries.some((group) => group.upstream !== chunk.upstream)) wake()
    if (!recorded) log.warn({ messageId: chunk.message.id }, 'push chunk was taken over by another worker')
  }

  /** Ends the outages of these upstreams, so that their waiting chunks are sent now instead of after their backoff. */
  function onAnswered(upstreams: Iterable<Upstream>): void {
    const now = performance.now()
    const recovered = [...upstreams].filter((upstream) => outages.end(upstream, now))
    if (recovered.length === 0) return
    chunks
      .makeDue(recovered, null)
      .then(wake)
      .catch((error: unknown) => log.warn({ err: error }, 'could not reschedule waiting push chunks'))
  }

  async function resultOf(chunk: Chunk, recipients: Recipient[], startedAt: number): Promise<ChunkResult> {
    const { id: chunkId, message } = chunk
    // It is unknown which devices the dead process sent to.
    if (chunk.cancelled) return failChunk(chunk, recipients, 'CANCELLED')
    // Otherwise phones would get the same push repeatedly until it expires.
    if ((unrecorded.get(chunkId) ?? 0) >= MAX_UNRECORDED) {
      log.error({ messageId: message.id, chunkId }, 'gave up on a push chunk: could not record its results')
      return failChunk(chunk, recipients, 'NOT_RECORDED')
    }
    return sendChunk(chunk, recipients, {
      apps,
      prepared: preparedFor(message),
      // The database's time decides what has expired, because replicas' clocks differ.
      now: () => new Date(chunk.claimedAt.getTime() + performance.now() - startedAt),
      isWanted: () => !cancelled.has(message.id),
    })
  }

  function preparedFor(message: NewMessage): PreparedMessage {
    const now = performance.now()
    const cached = prepared.get(message.id)
    if (cached && now - cached.at < PREPARED_MS) return cached.message
    prepared.delete(message.id)
    const [oldest] = prepared.keys()
    if (oldest !== undefined && prepared.size >= MAX_PREPARED) prepared.delete(oldest)
    const created = prepareMessage(apps, message)
    prepared.set(message.id, { message: created, at: now })
    return created
  }

  return { start, stop, wake, cancel, onAnswered }
}
