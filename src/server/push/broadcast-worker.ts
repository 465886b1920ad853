import { newId } from '../ids.ts'
import type { Logger } from '../log.ts'
import { type ChunkResult, failChunk, sendChunk } from './chunk.ts'
import type { Gateways } from './message.ts'
import { Outages } from './outages.ts'
import type { Chunk, ChunkRepo, NewMessage, Recipient, Upstream } from './ports.ts'
import { type PreparedMessage, prepareMessage } from './prepared-message.ts'
import { retry } from './retry.ts'
import { UPSTREAMS } from './upstream.ts'

export type BroadcastWorkerDeps = {
  chunks: ChunkRepo
  gateways: Gateways
  log: Logger
  /** Chunks of one upstream in work at a time, so that one sends while another is read or recorded. */
  concurrency?: number
  /** How often an idle worker looks for chunks that other replicas created and for retries that are due. */
  pollMs?: number
  leaseMs?: number
  /** How long to retry recording while the database is down; after that any replica may repeat the chunk. */
  recordPatienceMs?: number
}

/** After this many sends whose results could not be recorded, a chunk counts as failed instead of being sent again. */
const MAX_UNRECORDED = 3
const AFTER_ERROR_MS = 1_000
/** How soon a worker hears that another replica has cancelled what it is sending. */
const CANCELLATION_MS = 1_000
/** Messages whose encoded form is kept; more are in work at a time only after an outage. */
const MAX_PREPARED = 8

export type BroadcastWorker = ReturnType<typeof createBroadcastWorker>

/**
 * Claims chunks of broadcasts that are due and sends them; any number of replicas do so side by side. A lease holds
 * a chunk and is extended while its process lives; if the process dies, the lease runs out and another worker claims
 * the chunk. Each upstream has places of its own, so that one that hangs takes none of another's.
 */
export function createBroadcastWorker(deps: BroadcastWorkerDeps) {
  const { chunks, gateways, log, concurrency = 4, pollMs = 500, leaseMs = 10_000 } = deps
  const { recordPatienceMs = 120_000 } = deps
  const leaseId = newId()
  /** By chunk id. */
  const running = new Map<string, { upstream: Upstream; work: Promise<void> }>()
  /** Upstreams whose last claim filled all their places: there may be more for them. */
  const backlogged = new Set<Upstream>()
  const prepared = new Map<string, PreparedMessage>()
  const outages = new Outages(UPSTREAMS)
  /** How often this process sent a chunk and could not record it, by chunk id. */
  const unrecorded = new Map<string, number>()
  /** Messages cancelled while this process works on them. */
  const cancelled = new Set<string>()
  let stopping = false
  let loop: Promise<void> | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let wakeUp = Promise.withResolvers<void>()

  /** Looks for work at once: this process has just accepted a broadcast. */
  function wake(): void {
    wakeUp.resolve()
  }

  /** Hands no more of this message to the gateways. */
  function cancel(messageId: string): void {
    cancelled.add(messageId)
  }

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

  /** Finishes and records the chunks in work, then releases the rest. */
  async function stop(timeoutMs: number): Promise<void> {
    stopping = true
    wake()
    await Promise.race([finished(), sleepUnref(timeoutMs)])
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
      // A new promise for each round: one that never settles would collect everything that ever waited for it.
      wakeUp = Promise.withResolvers<void>()
      const woken = wakeUp.promise
      const free = freePlaces()
      let claimed: Chunk[] = []
      try {
        const tried = outages.toTry(performance.now())
        if (tried.length > 0) await chunks.makeDue(tried, 1)
        if (free.size > 0) claimed = await chunks.claim(leaseId, free, leaseMs, [...running.keys()])
      } catch (error) {
        log.warn({ err: error }, 'could not look for push chunks')
        await Promise.race([woken, sleepUnref(AFTER_ERROR_MS)])
        continue
      }
      // `stop` was called during the claim and releases these too.
      if (stopping) break
      for (const chunk of claimed) begin(chunk)
      for (const [upstream, places] of free) {
        const isFull = claimed.filter((chunk) => chunk.upstream === upstream).length === places
        if (isFull) backlogged.add(upstream)
        else backlogged.delete(upstream)
      }
      await Promise.race([woken, sleepUnref(pollMs)])
    }
  }

  function freePlaces(): Map<Upstream, number> {
    const free = new Map<Upstream, number>(UPSTREAMS.map((upstream) => [upstream, concurrency]))
    for (const { upstream } of running.values()) free.set(upstream, free.get(upstream)! - 1)
    for (const [upstream, places] of free) if (places === 0) free.delete(upstream)
    return free
  }

  function begin(chunk: Chunk): void {
    const { upstream } = chunk
    const work = process(chunk)
      // The lease runs out, and this or another replica claims the chunk again.
      .catch((error: unknown) => log.error({ err: error, messageId: chunk.message.id }, 'push chunk failed'))
      .finally(() => {
        running.delete(chunk.id)
        if (backlogged.has(upstream)) wake()
      })
    running.set(chunk.id, { upstream, work })
  }

  async function process(chunk: Chunk): Promise<void> {
    // What is due and what has expired the database's clock says, not this replica's.
    const beganAt = performance.now()
    const recipients = await retry(() => chunks.read(chunk), leaseMs, log)
    const { counts, retries } = await resultOf(chunk, recipients, beganAt)
    unrecorded.set(chunk.id, (unrecorded.get(chunk.id) ?? 0) + 1)
    const recorded = await retry(() => chunks.record(chunk, leaseId, counts, retries), recordPatienceMs, log)
    unrecorded.delete(chunk.id)
    if (counts.answers.has(chunk.upstream)) onAnswered([chunk.upstream])
    else if (retries.some((group) => group.notBeforeMs !== undefined))
      outages.begin(chunk.upstream, performance.now())
    // What was handed over to another upstream is due at once.
    if (retries.some((group) => group.upstream !== chunk.upstream)) wake()
    if (!recorded) log.warn({ messageId: chunk.message.id }, 'push chunk was taken over by another worker')
  }

  /** These upstreams have answered. If they were unavailable, what waits for them goes now instead of sleeping out its backoff. */
  function onAnswered(upstreams: Iterable<Upstream>): void {
    const now = performance.now()
    const back = [...upstreams].filter((upstream) => outages.end(upstream, now))
    if (back.length === 0) return
    chunks
      .makeDue(back, null)
      .then(wake)
      .catch((error: unknown) => log.warn({ err: error }, 'could not wake waiting push chunks'))
  }

  async function resultOf(chunk: Chunk, recipients: Recipient[], beganAt: number): Promise<ChunkResult> {
    // Whom the process that died has reached is not known.
    if (chunk.cancelled) return failChunk(chunk, recipients, 'CANCELLED')
    if (isUnrecordable(chunk)) return failChunk(chunk, recipients, 'NOT_RECORDED')
    return sendChunk(chunk, recipients, {
      gateways,
      prepared: preparedFor(chunk.message),
      now: () => new Date(chunk.claimedAt.getTime() + performance.now() - beganAt),
      isWanted: () => !cancelled.has(chunk.message.id),
    })
  }

  /** Phones must not get the same push again and again until it expires because its results cannot be recorded. */
  function isUnrecordable(chunk: Chunk): boolean {
    if ((unrecorded.get(chunk.id) ?? 0) < MAX_UNRECORDED) return false
    log.error({ messageId: chunk.message.id, chunkId: chunk.id }, 'push chunk is given up: not recorded')
    return true
  }

  function preparedFor(message: NewMessage): PreparedMessage {
    const known = prepared.get(message.id)
    if (known) return known
    const made = prepareMessage(gateways, message)
    for (const id of prepared.keys()) {
      if (prepared.size < MAX_PREPARED) break
      prepared.delete(id)
    }
    prepared.set(message.id, made)
    return made
  }

  return { start, stop, wake, cancel, onAnswered }
}

/** Does not keep the process alive. */
function sleepUnref(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
