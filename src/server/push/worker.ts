import { systemClock } from '../clock.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../log.ts'
import { failChunk, sendChunk } from './chunk.ts'
import { type Gateways, type PreparedForAll, prepareForAll } from './message.ts'
import { persist } from './persist.ts'
import type { Chunk, ChunkRepo, NewMessage } from './ports.ts'

export type WorkerDeps = {
  chunks: ChunkRepo
  gateways: Gateways
  log: Logger
  /** Chunks worked on at once, so that one sends while another is read or recorded. */
  concurrency?: number
  /** How often an idle worker looks for chunks of other replicas' making and for retries that are due. */
  pollMs?: number
  leaseMs?: number
  /** A database that is away comes back within this, or another replica repeats the chunk. */
  recordPatienceMs?: number
}

/** A chunk whose results this process could not record so often is not sent once more, but counted as failed. */
const MAX_UNRECORDED = 3
const AFTER_FAULT_MS = 1_000
/** Messages whose encoded form is kept; more run at once only after an outage. */
const MAX_PREPARED = 8

export type BroadcastWorker = ReturnType<typeof createBroadcastWorker>

/**
 * Takes chunks of broadcasts that are due and works on them, as any number of replicas do side by side.
 * A chunk is held by a lease that is extended while its process lives; when that dies, the lease runs out
 * and the next one to look takes the chunk.
 */
export function createBroadcastWorker(deps: WorkerDeps) {
  const { chunks, gateways, log, concurrency = 4, pollMs = 500, leaseMs = 10_000 } = deps
  const { recordPatienceMs = 120_000 } = deps
  const leaseId = newId()
  /** By chunk id. */
  const running = new Map<string, Promise<void>>()
  const prepared = new Map<string, PreparedForAll>()
  /** Chunk id to how often it was sent here in vain. */
  const unrecorded = new Map<string, number>()
  let stopping = false
  let loop: Promise<void> | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let alarm = Promise.withResolvers<void>()

  /** Looks for work at once: this process has just accepted a broadcast. */
  function wake(): void {
    alarm.resolve()
  }

  function start(): void {
    heartbeat = setInterval(() => {
      if (running.size > 0)
        chunks
          .extend(leaseId, [...running.keys()], leaseMs)
          .catch((error: unknown) => log.warn({ err: error }, 'could not extend the lease of push chunks'))
    }, leaseMs / 4).unref()
    loop = run()
  }

  /** Finishes and records what has begun, then gives back the rest. */
  async function stop(timeoutMs: number): Promise<void> {
    stopping = true
    wake()
    await Promise.race([finished(), sleepUnref(timeoutMs)])
    clearInterval(heartbeat)
    if (loop)
      await chunks
        .release(leaseId)
        .catch((error: unknown) => log.warn({ err: error }, 'could not give back push chunks'))
  }

  async function finished(): Promise<void> {
    await loop
    await Promise.all(running.values())
  }

  async function run(): Promise<void> {
    while (!stopping) {
      // A new one each time: a promise that is never settled would collect what waited for it.
      alarm = Promise.withResolvers<void>()
      const rung = alarm.promise
      const free = concurrency - running.size
      let taken: Chunk[] = []
      try {
        if (free > 0) taken = await chunks.claim(leaseId, free, leaseMs, [...running.keys()])
      } catch (error) {
        log.warn({ err: error }, 'could not look for push chunks')
        await Promise.race([rung, sleepUnref(AFTER_FAULT_MS)])
        continue
      }
      // Taken while the end was asked for: given back with the lease.
      if (stopping) break
      for (const chunk of taken) begin(chunk)
      // A full haul: look again as soon as a place is free. Else there was nothing more to take.
      if (taken.length === free) await Promise.race([rung, ...running.values()])
      else await Promise.race([rung, sleepUnref(pollMs)])
    }
  }

  function begin(chunk: Chunk): void {
    const work = process(chunk)
      // The lease runs out and the chunk is taken again, here or elsewhere.
      .catch((error: unknown) => log.error({ err: error, messageId: chunk.message.id }, 'push chunk failed'))
      .finally(() => running.delete(chunk.id))
    running.set(chunk.id, work)
  }

  async function process(chunk: Chunk): Promise<void> {
    const recipients = await persist(() => chunks.read(chunk), leaseMs, log)
    const { tally, retries } = isHopeless(chunk)
      ? failChunk(chunk, recipients, 'NOT_RECORDED')
      : await sendChunk(chunk, recipients, gateways, preparedFor(chunk.message), systemClock.now)
    unrecorded.set(chunk.id, (unrecorded.get(chunk.id) ?? 0) + 1)
    const recorded = await persist(() => chunks.record(chunk, leaseId, tally, retries), recordPatienceMs, log)
    unrecorded.delete(chunk.id)
    if (!recorded) log.warn({ messageId: chunk.message.id }, 'push chunk was taken over by another worker')
  }

  /** Phones must not get the same push until it expires because what came of it cannot be written down. */
  function isHopeless(chunk: Chunk): boolean {
    if ((unrecorded.get(chunk.id) ?? 0) < MAX_UNRECORDED) return false
    log.error({ messageId: chunk.message.id, chunkId: chunk.id }, 'push chunk is given up: not recorded')
    return true
  }

  function preparedFor(message: NewMessage): PreparedForAll {
    const known = prepared.get(message.id)
    if (known) return known
    const made = prepareForAll(gateways, message)
    for (const id of prepared.keys()) {
      if (prepared.size < MAX_PREPARED) break
      prepared.delete(id)
    }
    prepared.set(message.id, made)
    return made
  }

  return { start, stop, wake }
}

/** Does not keep the process alive. */
function sleepUnref(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
