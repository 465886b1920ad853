import { secondsAfter } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { createSweepRounds } from '../../kernel/sweep-rounds.ts'
import {
  afterCleanup,
  type CleanupFile,
  type CleanupResult,
  isLive,
  MAX_KEYED_TOMBSTONES_PER_USER,
  MAX_TOMBSTONES_PER_USER,
  retryCleanupAt,
} from './cleanup.ts'
import { sweepMoves } from './file-moves.ts'
import { isStored } from './file-record.ts'
import { createOverdueDecisions } from './held-files.ts'
import { stagingKey } from './keys.ts'
import { KEY_SECONDS } from './quota.ts'
import { createStagingCleanup } from './staging-cleanup.ts'
import type { UploadDeps, UploadSettings } from './upload-deps.ts'

/** Rows per batch, and keys per DeleteObjects request. */
const BATCH = 1000
/** Concurrent batches per process: one waits for the store while another writes to the database. */
const CONCURRENT_BATCHES = 2
/** Lease of a batch. Must be longer than the store's timeout for the batch. */
const LEASE_MS = 60_000
const STORE_TIMEOUT_MS = 45_000
/** Share of the timeout for aborting uploads, so that time is left to remove objects while the store is slow. */
const ABORT_SHARE = 2 / 3
/** Concurrent aborts of uploads. Each takes two calls. */
const CONCURRENT_ABORTS = 16
/** A row whose cleanup has failed for this long is reported at each attempt. */
const REPORT_AFTER_MS = 60 * 60_000
/** Interval between looking for users with too many tombstones, which reads the index of all tombstones. */
const TOMBSTONES_INTERVAL_MS = 60 * 60_000

/** Counts of one round. `excess`: staged objects larger than declared, or whose upload no longer waits for bytes. */
const NOTHING = {
  expired: 0,
  /** Ready files and files in the trash that have expired. */
  deleted: 0,
  /** Held files that got no verdict in time. */
  decided: 0,
  /** Moves between private and public that were continued or cleaned up. */
  moved: 0,
  cleaned: 0,
  dropped: 0,
  excess: 0,
  failed: 0,
}
export type Swept = typeof NOTHING

type Ttl = Pick<UploadSettings, 'pendingTtlSeconds' | 'multipartTtlSeconds'>

type SweeperDeps = UploadDeps & {
  /** Called after each round that did something. */
  onSwept?: (swept: Swept, ms: number) => void
  /** Maximum time that the store gets for a batch. Must be shorter than the lease. */
  storeTimeoutMs?: number
}

export type Sweeper = ReturnType<typeof createSweeper>

/**
 * Expires overdue uploads, decides about overdue held files, and removes from the store what no row needs. Runs in every
 * replica: each leases a batch of rows, and skips rows that another replica or other work has leased.
 */
export function createSweeper(deps: SweeperDeps) {
  const { repo, clock, storeTimeoutMs = STORE_TIMEOUT_MS } = deps
  const stopped = new AbortController()
  const cleanStaging = createStagingCleanup(deps)
  const decideOverdue = createOverdueDecisions(deps)
  let tombstonesAt = 0

  /** Works until nothing is due or the store fails. With `userId`, only cleans up that user's rows. */
  async function sweep(userId?: string): Promise<Swept> {
    const swept = { ...NOTHING }
    const now = clock.now()
    if (userId === undefined) {
      swept.expired = await rounds.inBatches((limit) => repo.expire(now, limit))
      swept.deleted = await rounds.inBatches((limit) => repo.deleteExpired(now, limit))
      swept.deleted += await rounds.inBatches((limit) => repo.deleteExpiredTrash(now, limit))
      swept.decided = await decideOverdue(now, stopped.signal)
    }
    const worker = async () => {
      while (!stopped.signal.aborted && (await sweepBatch(now, swept, userId)));
    }
    await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, worker))
    if (userId !== undefined) return swept
    swept.moved = await sweepMoves(deps, now, stopped.signal)
    swept.dropped += await dropTombstones(now)
    if (!stopped.signal.aborted) swept.excess = await cleanStaging()
    return swept
  }

  /** Drops tombstones of users with too many. Returns their number. */
  async function dropTombstones(now: Date): Promise<number> {
    if (Math.abs(now.getTime() - tombstonesAt) < TOMBSTONES_INTERVAL_MS) return 0
    tombstonesAt = now.getTime()
    const which = {
      keep: MAX_TOMBSTONES_PER_USER,
      keepKeys: MAX_KEYED_TOMBSTONES_PER_USER,
      keysSince: secondsAfter(now, -KEY_SECONDS),
    }
    return rounds.inBatches((limit) => repo.dropTombstones(now, which, limit))
  }

  /** Returns true if the caller can take another batch. */
  async function sweepBatch(now: Date, swept: Swept, userId?: string): Promise<boolean> {
    const lease = { id: newId(), ms: LEASE_MS }
    const rows = await repo.leaseForCleanup(now, lease, BATCH, userId)
    if (rows.length === 0) return false
    const failed = await removeFromStore(deps, rows, { timeoutMs: storeTimeoutMs, stopped: stopped.signal })
    const isCut = stopped.signal.aborted
    const results: CleanupResult[] = rows.map((row) => {
      const { id } = row
      if (!failed.has(id)) return { id, ...afterCleanup(row, row.ownerDeleted, now), failingSince: null }
      const unfinished = { id, release: false, drop: false }
      // The store did not fail, so another replica can continue at once.
      if (isCut) return { ...unfinished, next: now, failingSince: row.failingSince }
      const failingSince = row.failingSince ?? now
      return { ...unfinished, next: retryCleanupAt(failingSince, now), failingSince }
    })
    await repo.recordCleanup(lease.id, results)
    if (!isCut) {
      const failing = rows.filter((row) => failed.has(row.id))
      reportFailing(failing, now)
      swept.failed += failed.size
    }
    swept.cleaned += rows.length - failed.size
    swept.dropped += results.filter((result) => result.drop).length
    // Single rows that fail do not hold up the others. An unavailable store ends the round.
    return failed.size <= rows.length / 2
  }

  /** Reports rows whose cleanup keeps failing: their owners' quota stays reserved until an operator helps. */
  function reportFailing(rows: CleanupFile[], now: Date): void {
    const longest = rows
      .filter((row) => row.failingSince && now.getTime() - row.failingSince.getTime() >= REPORT_AFTER_MS)
      .sort((a, b) => a.failingSince!.getTime() - b.failingSince!.getTime())
    const [first] = longest
    if (!first) return
    const reservedBytes = longest.reduce((sum, row) => sum + row.reserved, 0)
    const { id: fileId, failingSince } = first
    deps.report('cleanup keeps failing', { count: longest.length, reservedBytes, fileId, failingSince })
  }

  const everyMs = sweepEveryMs(deps.settings)
  const rounds = createSweepRounds({
    everyMs,
    firstMs: everyMs,
    async work() {
      const startedAt = performance.now()
      const swept = await sweep()
      const isNews = Object.values({ ...swept, dropped: 0 }).some((count) => count > 0)
      if (isNews) deps.onSwept?.(swept, Math.round(performance.now() - startedAt))
    },
    onError: (error) => deps.report('sweep failed', { error }),
  })

  return {
    sweep,
    start: rounds.start,
    /** Interrupts calls to the store and waits for the batches in progress. Other replicas do the rest. */
    close(): Promise<void> {
      stopped.abort()
      return rounds.close()
    },
  }
}

/** Returns half of the shorter time to live, between 1 and 30 s. */
export function sweepEveryMs(ttl: Ttl): number {
  return Math.min(30_000, Math.max(1_000, Math.min(ttl.pendingTtlSeconds, ttl.multipartTtlSeconds) * 500))
}

/**
 * Removes what the rows do not need: staged bytes, objects of ended or deleted files, unfinished multipart uploads.
 * Returns the IDs of rows for which the store failed, was too slow or was interrupted.
 */
async function removeFromStore(
  { store, report }: Pick<UploadDeps, 'store' | 'report'>,
  rows: CleanupFile[],
  { timeoutMs, stopped }: { timeoutMs: number; stopped: AbortSignal },
): Promise<Set<string>> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopped])
  const abortSignal = AbortSignal.any([AbortSignal.timeout(timeoutMs * ABORT_SHARE), stopped])
  const failed = new Set<string>()
  const fail = (ids: string[], error: unknown) => {
    for (const id of ids) failed.add(id)
    if (!stopped.aborted) report('store not cleaned', { count: ids.length, fileId: ids[0], error })
  }

  const uploads = rows.filter((row) => row.totalParts !== null && !isStored(row)).values()
  const worker = async () => {
    for (const row of uploads) {
      if (abortSignal.aborted) return fail([row, ...uploads].map(idOf), abortSignal.reason)
      try {
        if (row.uploadId) await store.abortUpload(row.key, row.uploadId, abortSignal)
        else await store.abortUploadsOf(row.key, abortSignal)
      } catch (error) {
        fail([row.id], error)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_ABORTS }, worker))

  const rowOf = new Map<string, string>()
  for (const row of rows) {
    // Its next attempt removes the object.
    if (failed.has(row.id)) continue
    if (row.totalParts === null) rowOf.set(stagingKey(row.key), row.id)
    if (!isLive(row)) rowOf.set(row.key, row.id)
  }
  try {
    const left = await store.remove([...rowOf.keys()], signal)
    if (left.size > 0)
      fail([...new Set([...left.keys()].map((key) => rowOf.get(key)!))], left.values().next().value)
  } catch (error) {
    fail([...new Set(rowOf.values())], error)
  }
  return failed
}

const idOf = ({ id }: CleanupFile) => id
