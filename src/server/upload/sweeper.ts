import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, secondsAfter } from '../clock.ts'
import { newId } from '../ids.ts'
import {
  afterCleanup,
  isLive,
  MAX_KEYED_TOMBSTONES_PER_USER,
  MAX_TOMBSTONES_PER_USER,
  retryCleanupAt,
} from './cleanup.ts'
import { stagingKey } from './keys.ts'
import type { CleanupFile, CleanupResult, ObjectStore, Report, UploadRepo } from './ports.ts'
import { KEY_SECONDS } from './quota.ts'
import { createStagingCleanup } from './staging-cleanup.ts'

/** Rows per statement, and keys per DeleteObjects of the store. */
const BATCH = 1000
/** Batches at a time in one process: one waits for the store while another writes to the database. */
const CONCURRENT_BATCHES = 2
/** A batch's lease; must be longer than the store may take for the batch. */
const LEASE_MS = 60_000
const STORE_TIMEOUT_MS = 45_000
/** Uploads aborted at once; each takes two calls. */
const CONCURRENT_ABORTS = 16
/** A row whose cleanup has failed for so long is reported at every attempt. */
const REPORT_AFTER_MS = 60 * 60_000
/** How often one process looks for users with too many tombstones, which reads the index of all tombstones. */
const TOMBSTONES_EVERY_MS = 60 * 60_000

/** `excess`: staged objects that were larger than declared or that nothing waited for. */
export type Swept = { expired: number; cleaned: number; dropped: number; excess: number; failed: number }

export type SweeperDeps = {
  repo: Pick<UploadRepo, 'expire' | 'leaseForCleanup' | 'recordCleanup' | 'dropTombstones' | 'findAll'>
  store: ObjectStore
  clock: Clock
  settings: { pendingTtlSeconds: number; multipartTtlSeconds: number }
  report: Report
  /** Called after every round that did something. */
  onSwept?: (swept: Swept & { ms: number }) => void
}

export type Sweeper = ReturnType<typeof createSweeper>

/**
 * Expires overdue uploads and removes from the store what no row needs any more. Runs in every replica: a
 * batch of rows is leased, the other replicas skip it, and rows that are leased for other work are left alone.
 */
export function createSweeper(deps: SweeperDeps) {
  const { repo, clock } = deps
  const stopped = new AbortController()
  const cleanStaging = createStagingCleanup(deps)
  let running: Promise<void> | undefined
  let tombstonesAt = 0

  /** Works until nothing is due or the store fails. With `userId`: cleans up that user's rows only, no more. */
  async function sweep(userId?: string): Promise<Swept> {
    const swept: Swept = { expired: 0, cleaned: 0, dropped: 0, excess: 0, failed: 0 }
    const now = clock.now()
    while (userId === undefined && !stopped.signal.aborted) {
      const expired = await repo.expire(now, BATCH)
      swept.expired += expired
      if (expired < BATCH) break
    }
    const worker = async () => {
      while (!stopped.signal.aborted && (await sweepBatch(now, swept, userId)));
    }
    await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, worker))
    if (userId === undefined) swept.dropped += await dropTombstones(now)
    if (userId === undefined && !stopped.signal.aborted) swept.excess = await cleanStaging()
    return swept
  }

  /** Of users with very many. Returns how many. */
  async function dropTombstones(now: Date): Promise<number> {
    let dropped = 0
    if (Math.abs(now.getTime() - tombstonesAt) < TOMBSTONES_EVERY_MS) return dropped
    tombstonesAt = now.getTime()
    const which = {
      keep: MAX_TOMBSTONES_PER_USER,
      keepKeys: MAX_KEYED_TOMBSTONES_PER_USER,
      keysSince: secondsAfter(now, -KEY_SECONDS),
    }
    while (!stopped.signal.aborted) {
      const batch = await repo.dropTombstones(now, which, BATCH)
      dropped += batch
      if (batch < BATCH) break
    }
    return dropped
  }

  /** Whether to take another batch. */
  async function sweepBatch(now: Date, swept: Swept, userId?: string): Promise<boolean> {
    const lease = { id: newId(), ms: LEASE_MS }
    const rows = await repo.leaseForCleanup(now, lease, BATCH, userId)
    if (rows.length === 0) return false
    const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS)
    const failed = await removeFromStore(deps, rows, { timeout, stopped: stopped.signal })
    const isCut = stopped.signal.aborted
    const results: CleanupResult[] = rows.map((row) => {
      if (!failed.has(row.id))
        return { id: row.id, ...afterCleanup(row, row.ownerDeleted, now), failingSince: null }
      // The store did not fail: another replica goes on at once.
      if (isCut) return { id: row.id, release: false, next: now, failingSince: row.failingSince, drop: false }
      const failingSince = row.failingSince ?? now
      return {
        id: row.id,
        release: false,
        next: retryCleanupAt(failingSince, now),
        failingSince,
        drop: false,
      }
    })
    await repo.recordCleanup(lease.id, results)
    if (!isCut) {
      reportFailing(
        rows.filter((row) => failed.has(row.id)),
        now,
      )
      swept.failed += failed.size
    }
    swept.cleaned += rows.length - failed.size
    swept.dropped += results.filter((result) => result.drop).length
    // Single rows that fail do not hold up the others; a store that is down ends the round.
    return failed.size <= rows.length / 2
  }

  /** Says what cannot be ended: its owners' quota stays reserved until somebody looks. */
  function reportFailing(rows: CleanupFile[], now: Date): void {
    const longest = rows
      .filter((row) => row.failingSince && now.getTime() - row.failingSince.getTime() >= REPORT_AFTER_MS)
      .sort((a, b) => a.failingSince!.getTime() - b.failingSince!.getTime())
    if (longest.length === 0) return
    deps.report('cleanup keeps failing', {
      count: longest.length,
      reservedBytes: longest.reduce((sum, row) => sum + row.reserved, 0),
      fileId: longest[0]!.id,
      failingSince: longest[0]!.failingSince,
    })
  }

  async function round(): Promise<void> {
    const startedAt = performance.now()
    try {
      const swept = await sweep()
      if (swept.expired + swept.cleaned + swept.excess + swept.failed > 0)
        deps.onSwept?.({ ...swept, ms: Math.round(performance.now() - startedAt) })
    } catch (error) {
      deps.report('sweep failed', { error })
    }
  }

  return {
    sweep,

    start(): void {
      const everyMs = sweepEveryMs(deps.settings)
      running ??= (async () => {
        while (!stopped.signal.aborted) {
          // Jitter keeps replicas apart that were started together.
          const pauseMs = everyMs * (0.8 + 0.4 * Math.random())
          await sleep(pauseMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {})
          if (!stopped.signal.aborted) await round()
        }
      })()
    },

    /** Cuts short what waits for the store, and waits for the batches in progress; other replicas do the rest. */
    async close(): Promise<void> {
      stopped.abort()
      await running
    },
  }
}

/** Half of the shorter time to live, between 1 and 30 s. */
export function sweepEveryMs(ttl: { pendingTtlSeconds: number; multipartTtlSeconds: number }): number {
  return Math.min(30_000, Math.max(1_000, Math.min(ttl.pendingTtlSeconds, ttl.multipartTtlSeconds) * 500))
}

/**
 * Removes what the rows do not need: staged bytes, objects of ended or deleted files, unfinished multipart
 * uploads. Returns the ids of rows for which the store failed, or was not waited for.
 */
async function removeFromStore(
  { store, report }: Pick<SweeperDeps, 'store' | 'report'>,
  rows: CleanupFile[],
  { timeout, stopped }: { timeout: AbortSignal; stopped: AbortSignal },
): Promise<Set<string>> {
  const signal = AbortSignal.any([timeout, stopped])
  const failed = new Set<string>()
  const fail = (ids: string[], error: unknown) => {
    for (const id of ids) failed.add(id)
    if (!stopped.aborted) report('store not cleaned', { count: ids.length, fileId: ids[0], error })
  }

  const uploads = rows.filter((row) => row.totalParts !== null && row.state !== 'READY')
  const queue = uploads.values()
  const worker = async () => {
    for (const row of queue) {
      try {
        if (row.uploadId) await store.abortUpload(row.key, row.uploadId, signal)
        else await store.abortUploadsOf(row.key, signal)
      } catch (error) {
        fail([row.id], error)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_ABORTS }, worker))

  const rowOf = new Map<string, string>()
  for (const row of rows) {
    if (row.totalParts === null) rowOf.set(stagingKey(row.key), row.id)
    if (!isLive(row)) rowOf.set(row.key, row.id)
  }
  try {
    const left = await store.remove([...rowOf.keys()], signal)
    if (left.length > 0)
      fail(
        left.map((key) => rowOf.get(key)!),
        new Error('the store refused to remove objects'),
      )
  } catch (error) {
    fail([...new Set(rowOf.values())], error)
  }
  return failed
}
