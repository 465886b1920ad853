import { type Clock, secondsAfter } from '../clock.ts'
import { newId } from '../ids.ts'
import { storageFull } from './errors.ts'
import type { Reservation, UploadRepo } from './ports.ts'

/** How long a replica hands out what it has leased. Others count it three times as long, should a replica be slow. */
export const LEASE_SECONDS = 60

/** After a refusal this replica does not ask again so soon: asking sums over all users. */
const FULL_MS = 1000

/** A statement that we gave up on may still be at work; the database ends it sooner than this. */
const GIVEN_UP_MS = 30_000

export type StorageLeases = {
  /**
   * Gives the replica a new lease of at least `need` bytes instead of its earlier one, or null if the rest of the
   * ceiling is smaller. `pending`: what it is reserving at this moment. Leases and sums are read under one lock.
   */
  take(replica: string, lease: { need: number; pending: number; ceiling: number }): Promise<number | null>
  /** Says how much of the replica's lease is not reserved yet: the rest is counted with the users by now. */
  keep(replica: string, bytes: number): Promise<void>
}

export type StorageCeilingDeps = {
  leases: StorageLeases
  ceiling: number
  clock: Clock
  onRefused: () => void
}

/**
 * Keeps what all users use and have reserved below a ceiling, whatever reserves at once. A replica leases a part of
 * the ceiling in the database and hands it out in memory, so that most uploads cost no statement more. A lease counts
 * as used as a whole until its replica takes the next, so the service may be full 1 % per replica too early, never too
 * late. A larger file has a lease of its own, which is given back when the file is reserved.
 */
export function limitStorage(
  repo: UploadRepo,
  { leases, ceiling, clock, onRefused }: StorageCeilingDeps,
): UploadRepo {
  const replica = newId()
  let left = 0
  let leasedUntil = new Date(0)
  /** Handed out, and the statement that reserves it has not ended. */
  let pending = 0
  let fullUntil = 0
  /** What changes our lease in the database; one thing at a time. */
  let taking: Promise<void> | undefined
  let keepNext = false

  function handOut(size: number): boolean {
    if (left < size || clock.now() > leasedUntil) return false
    left -= size
    pending += size
    return true
  }

  /** One at a time; meanwhile nothing is handed out, so the new lease replaces the old one as a whole. */
  async function takeLease(need: number): Promise<void> {
    const before = { left, leasedUntil }
    const until = secondsAfter(clock.now(), LEASE_SECONDS)
    left = 0
    try {
      const bytes = await leases.take(replica, { need, pending, ceiling })
      if (bytes === null) {
        left = before.left
        fullUntil = clock.now().getTime() + FULL_MS
      } else {
        left = bytes
        leasedUntil = until
      }
    } catch (error) {
      // It may have been given to us or not; what is not known is not handed out.
      leasedUntil = new Date(0)
      throw error
    }
  }

  /** Without it the lease counts too much until it expires, which harms nobody: a failure is not told. */
  function keepRest(): void {
    if (taking) {
      keepNext = true
      return
    }
    keepNext = false
    change(leases.keep(replica, left + pending)).catch(() => {})
  }

  function change(work: Promise<void>): Promise<void> {
    taking = work.finally(() => {
      taking = undefined
      if (keepNext) keepRest()
    })
    return taking
  }

  async function claim(size: number): Promise<boolean> {
    for (;;) {
      if (handOut(size)) return true
      if (taking) {
        await taking.catch(() => {})
        continue
      }
      if (clock.now().getTime() < fullUntil) return false
      await change(takeLease(size))
    }
  }

  return {
    ...repo,
    async reserve(file, limits) {
      if (!(await claim(file.size))) {
        // With no place for another upload this reserves nothing, but finds the file of an earlier call.
        const earlier =
          file.idempotencyKey === null ? null : await repo.reserve(file, { ...limits, unfinishedUploads: 0 })
        if (earlier?.outcome === 'known') return earlier
        onRefused()
        throw storageFull()
      }
      const isTaken = ({ outcome }: Reservation) => outcome === 'reserved'
      return spend(file.size, () => repo.reserve(file, limits), isTaken)
    },

    async addThumbnail(id, userId, webp, defaultQuota) {
      if (!(await claim(webp.length))) {
        onRefused()
        throw storageFull()
      }
      return spend(webp.length, () => repo.addThumbnail(id, userId, webp, defaultQuota), Boolean)
    },
  }

  /** Runs the statement that takes bytes which are claimed; what it did not take goes back to the lease. */
  async function spend<T>(
    bytes: number,
    take: () => Promise<T>,
    isTaken: (result: T) => boolean,
  ): Promise<T> {
    const until = leasedUntil
    let result: T
    try {
      result = await take()
    } catch (error) {
      setTimeout(() => {
        pending -= bytes
      }, GIVEN_UP_MS).unref()
      throw error
    }
    if (!isTaken(result) && until === leasedUntil && !taking) left += bytes
    pending -= bytes
    if (bytes > ceiling / 100) keepRest()
    return result
  }
}
