import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, secondsAfter } from '../clock.ts'
import { newId } from '../ids.ts'
import { cleanStore } from './clean-store.ts'
import { afterCleanup } from './lifecycle.ts'
import type { ObjectStore, Report, Settled, UploadRepo } from './ports.ts'

/** Rows per statement, and keys per DeleteObjects of the store. */
const BATCH = 1000
/** Batches at a time in one process: one waits for the store while another writes. */
const LANES = 2
/** A batch's lease; the store's work on it is bounded below that. */
const LEASE_MS = 60_000
const STORE_BOUND_MS = 45_000
/** When to try again what the store did not do. */
const RETRY_SECONDS = 60

export type Swept = { expired: number; cleaned: number; dropped: number; failed: number }

export type SweeperDeps = {
  repo: Pick<UploadRepo, 'expire' | 'takeStale' | 'settle'>
  store: ObjectStore
  clock: Clock
  settings: { pendingTtlSeconds: number; multipartTtlSeconds: number }
  report: Report
  /** Told of every round that did something. */
  onSwept?: (swept: Swept & { ms: number }) => void
}

export type Sweeper = ReturnType<typeof createSweeper>

/**
 * Expires overdue uploads and removes from the store what no row stands for any more. Runs in every
 * replica: rows are taken in batches that the others skip, and never while somebody works on them.
 */
export function createSweeper(deps: SweeperDeps) {
  const { repo, clock } = deps
  const stopped = new AbortController()
  let running: Promise<void> | undefined

  /** Until nothing is due, or the store fails. With `userId`: that user's rows only, and nothing expires. */
  async function sweep(userId?: string): Promise<Swept> {
    const swept: Swept = { expired: 0, cleaned: 0, dropped: 0, failed: 0 }
    const now = clock.now()
    while (userId === undefined && !stopped.signal.aborted) {
      const expired = await repo.expire(now, BATCH)
      swept.expired += expired
      if (expired < BATCH) break
    }
    const lane = async () => {
      while (!stopped.signal.aborted && (await sweepBatch(now, swept, userId)));
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    return swept
  }

  /** Whether it is worth taking another batch. */
  async function sweepBatch(now: Date, swept: Swept, userId?: string): Promise<boolean> {
    const lease = { id: newId(), ms: LEASE_MS }
    const rows = await repo.takeStale(now, lease, BATCH, userId)
    if (rows.length === 0) return false
    const failed = await cleanStore(deps.store, rows, AbortSignal.timeout(STORE_BOUND_MS), deps.report)
    const settled: Settled[] = rows.map((row) =>
      failed.has(row.id)
        ? { id: row.id, release: false, next: secondsAfter(now, RETRY_SECONDS), drop: false }
        : { id: row.id, ...afterCleanup(row, row.ownerDeleted, now) },
    )
    await repo.settle(lease.id, settled)
    swept.failed += failed.size
    swept.cleaned += rows.length - failed.size
    swept.dropped += settled.filter((s) => s.drop).length
    // A row that fails for reasons of its own does not hold up the others; a store that is down does.
    return failed.size <= rows.length / 2
  }

  async function round(): Promise<void> {
    const begun = performance.now()
    try {
      const swept = await sweep()
      if (swept.expired + swept.cleaned + swept.failed > 0)
        deps.onSwept?.({ ...swept, ms: Math.round(performance.now() - begun) })
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
          // Jitter keeps replicas that were started together apart.
          const pause = everyMs * (0.8 + 0.4 * Math.random())
          await sleep(pause, undefined, { signal: stopped.signal, ref: false }).catch(() => {})
          if (!stopped.signal.aborted) await round()
        }
      })()
    },

    /** Ends after the batches at work. */
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
