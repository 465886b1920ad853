import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Reservation, UploadRepo } from './upload-repo.ts'

/** Time for which a replica uses its lease. Others count it three times as long, in case this replica is slow. */
export const LEASE_SECONDS = 60

/** Pause of this replica after the ceiling was reached, because each attempt sums over all users. */
const FULL_MS = 1000

/** A statement that timed out here can still be running. The database ends it within this time. */
const GIVEN_UP_MS = 30_000

export type StorageLeases = {
  /**
   * Replaces the replica's lease with one of at least `need` bytes. Null if the rest of the ceiling is smaller. `pending`:
   * what the replica is reserving now. Reads leases and sums under one lock.
   */
  take(replica: string, lease: { need: number; pending: number; ceiling: number }): Promise<number | null>
  /** Sets how much of the replica's lease is unused. The users' sums now include the rest. */
  keep(replica: string, bytes: number): Promise<void>
}

type StorageCeilingDeps = {
  leases: StorageLeases
  ceiling: number
  clock: Clock
  onRejected: () => void
}

/**
 * Keeps the bytes that all users have used and reserved below a ceiling, even with concurrent reservations. Each
 * replica leases a part of the ceiling in the database and hands it out in memory, so most uploads need no additional
 * statement. A lease counts as used until its replica takes the next, so the service can count as full 1% per replica
 * too early, but never too late. A larger file gets its own lease, which is returned when the file is reserved.
 */
export function limitStorage(
  repo: UploadRepo,
  { leases, ceiling, clock, onRejected }: StorageCeilingDeps,
): UploadRepo {
  const replica = newId()
  let left = 0
  let leasedUntil = new Date(0)
  /** Bytes handed out whose statement has not ended. */
  let pending = 0
  let fullUntil = 0
  /** Change of the lease in progress. Only one runs at a time. */
  let change: Promise<void> | undefined
  let keepNext = false

  function handOut(size: number): boolean {
    if (left < size || clock.now() > leasedUntil) return false
    left -= size
    pending += size
    return true
  }

  /** Hands out nothing meanwhile, so that the new lease replaces the whole old one. */
  async function takeLease(need: number): Promise<void> {
    const before = left
    const until = secondsAfter(clock.now(), LEASE_SECONDS)
    left = 0
    try {
      const bytes = await leases.take(replica, { need, pending, ceiling })
      if (bytes === null) {
        left = before
        fullUntil = clock.now().getTime() + FULL_MS
      } else {
        left = bytes
        leasedUntil = until
      }
    } catch (error) {
      // The replica may or may not have got the lease, so it must not use it.
      leasedUntil = new Date(0)
      throw error
    }
  }

  /** Ignores a failure: too many bytes then count as leased until the lease expires, which is harmless. */
  function keepRest(): void {
    keepNext = change !== undefined
    if (!keepNext) runChange(leases.keep(replica, left + pending)).catch(() => {})
  }

  function runChange(work: Promise<void>): Promise<void> {
    change = work.finally(() => {
      change = undefined
      if (keepNext) keepRest()
    })
    return change
  }

  async function claim(size: number): Promise<boolean> {
    for (;;) {
      if (handOut(size)) return true
      if (change) {
        await change.catch(() => {})
        continue
      }
      if (clock.now().getTime() < fullUntil) return false
      await runChange(takeLease(size))
    }
  }

  function storageFull(): AppError {
    onRejected()
    return new AppError(
      'QUOTA_EXCEEDED',
      'The service is full: all of its storage is used or reserved. Try again later, and tell the operator.',
      { data: { reason: 'service_full' } },
    )
  }

  /** Runs the statement that uses claimed bytes. Returns bytes that it did not use to the lease. */
  async function spend<T>(bytes: number, run: () => Promise<T>, hasUsed: (result: T) => boolean): Promise<T> {
    const until = leasedUntil
    let result: T
    try {
      result = await run()
    } catch (error) {
      setTimeout(() => {
        pending -= bytes
      }, GIVEN_UP_MS).unref()
      throw error
    }
    if (!hasUsed(result) && until === leasedUntil && !change) left += bytes
    pending -= bytes
    if (bytes > ceiling / 100) keepRest()
    return result
  }

  return {
    ...repo,
    async reserve(file, limits) {
      if (!(await claim(file.size))) {
        // Without a place for another upload, this reserves nothing but finds the file of an earlier call.
        const earlier =
          file.idempotencyKey === null ? null : await repo.reserve(file, { ...limits, unfinishedUploads: 0 })
        if (earlier?.outcome === 'known') return earlier
        throw storageFull()
      }
      const isReserved = ({ outcome }: Reservation) => outcome === 'reserved'
      return spend(file.size, () => repo.reserve(file, limits), isReserved)
    },

    async addThumbnail(id, userId, webp, defaultQuota) {
      if (!(await claim(webp.length))) throw storageFull()
      return spend(webp.length, () => repo.addThumbnail(id, userId, webp, defaultQuota), Boolean)
    },
  }
}
