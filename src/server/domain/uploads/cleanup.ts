import { secondsAfter } from '../../kernel/clock.ts'
import { type FileRecord, isStored, type LeaseTerm } from './file-record.ts'

/** Row that the sweeper has leased. */
export type CleanupFile = FileRecord & {
  ownerDeleted: boolean
  /** Start of the current series of failed attempts. */
  failingSince: Date | null
}

/** Result of cleaning up after a row. */
export type CleanupResult = {
  id: string
  /** True to release the row's reserved quota. */
  release: boolean
  /** When to clean up again. Null: never. */
  next: Date | null
  /** Null: the cleanup succeeded. */
  failingSince: Date | null
  /** True to delete the row, which is an expired tombstone. */
  drop: boolean
}

/** Port for the sweeper's work on rows. */
export type CleanupRepo = {
  /** Marks up to `limit` overdue uploads without a lease as EXPIRED, with cleanup due at `now`. Returns their number. */
  expire(now: Date, limit: number): Promise<number>
  /** Deletes up to `limit` READY files that have expired, with cleanup due at `now`. Returns their number. */
  deleteExpired(now: Date, limit: number): Promise<number>
  /** Leases up to `limit` rows (of one user) whose cleanup is due. */
  leaseForCleanup(now: Date, lease: LeaseTerm, limit: number, userId?: string): Promise<CleanupFile[]>
  /** Records the results and ends the leases. */
  recordCleanup(leaseId: string, results: CleanupResult[]): Promise<void>
  /**
   * Drops up to `limit` tombstones with no cleanup left, except the newest `keep` of each user. Those with an idempotency
   * key are dropped only if created before `keysSince` or beyond the newest `keepKeys`. Returns their number.
   */
  dropTombstones(
    now: Date,
    which: { keep: number; keepKeys: number; keysSince: Date },
    limit: number,
  ): Promise<number>
}

// States: PENDING (simple) or UPLOADING (multipart), then one of READY, ABORTED, EXPIRED or REJECTED, which are final. With
// a policy that holds files, HELD comes before READY or REJECTED.
// Deletion is not a state: `deletedAt` hides the row, which the sweeper drops later.

/** The store's clock can be behind this one, so a URL counts as expired only this long after its expiry. */
export const URL_MARGIN_SECONDS = 60

/** A PUT that began before its URL expired can end later. A second cleanup after this time finds its bytes. */
export const LATE_PUT_SECONDS = 60 * 60

const RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 60 * 60

/** Returns when to retry after the store failed: after as long as it has been failing, from a minute to an hour. */
export function retryCleanupAt(failingSince: Date, now: Date): Date {
  const failedSeconds = (now.getTime() - failingSince.getTime()) / 1000
  return secondsAfter(now, Math.min(MAX_RETRY_SECONDS, Math.max(RETRY_SECONDS, failedSeconds)))
}

/** Lifetime of the row of a deleted file or ended upload, so that a repeated call gets the same response. */
const TOMBSTONE_SECONDS = 30 * 24 * 60 * 60

/**
 * Maximum number of tombstones per user. Older ones are dropped once nothing more can arrive in the store. Otherwise, a
 * user who starts and ends uploads in a loop would fill the table.
 */
export const MAX_TOMBSTONES_PER_USER = 5_000
/** The same limit for tombstones with an idempotency key of the last day. */
export const MAX_KEYED_TOMBSTONES_PER_USER = 50_000

/** Returns true if the row needs the object at its final key. */
export function isLive(file: Pick<FileRecord, 'state' | 'deletedAt'>): boolean {
  return isStored(file) && file.deletedAt === null
}

/**
 * Returns what to do with a row after the sweeper has removed its objects and parts from the store:
 *
 * - A simple upload, even a deleted READY file, keeps its quota reserved until its URL has expired, because bytes can
 *   arrive again. Its staged key is cleaned up again then, and an hour later for a PUT that ended late.
 * - The quota of a multipart upload is released at once, because an aborted upload accepts no parts. It is cleaned up
 *   again an hour later, because some stores let parts in flight survive the abort.
 * - The quota of any other deleted READY file is released at once, because its bytes are gone.
 * - A tombstone is dropped when it expires, or at once if its owner is deleted too.
 */
export function afterCleanup(
  file: Pick<FileRecord, 'state' | 'deletedAt' | 'endedAt' | 'totalParts' | 'urlExpiresAt' | 'reserved'>,
  ownerDeleted: boolean,
  now: Date,
): Omit<CleanupResult, 'id' | 'failingSince'> {
  const steps: Date[] = []
  let release = !isLive(file)
  if (file.totalParts !== null) {
    // Account deletion can bring the second cleanup forward.
    const abortedAt = file.reserved > 0 ? now : file.endedAt
    if (!isStored(file) && abortedAt) steps.push(secondsAfter(abortedAt, LATE_PUT_SECONDS))
  } else if (file.urlExpiresAt) {
    const urlExpired = secondsAfter(file.urlExpiresAt, URL_MARGIN_SECONDS)
    if (urlExpired > now) release = false
    steps.push(urlExpired, secondsAfter(urlExpired, LATE_PUT_SECONDS))
  }
  const goneAt = file.deletedAt ?? file.endedAt
  if (goneAt && !ownerDeleted) steps.push(secondsAfter(goneAt, TOMBSTONE_SECONDS))
  const next = steps.find((step) => step > now) ?? null
  return { release, next, drop: next === null && goneAt !== null }
}
