import { secondsAfter } from '../clock.ts'
import type { CleanupResult, FileRecord } from './ports.ts'

// States: PENDING (simple) or UPLOADING (multipart), then READY, ABORTED, EXPIRED or REJECTED, which are final.
// Deletion is not a state: `deletedAt` hides the row, and the sweeper drops it later.

/** The store's clock may be behind ours: a URL counts as expired only this long after its time. */
export const URL_MARGIN_SECONDS = 60

/** A PUT that began before its URL expired may end later; a second cleanup after this time finds its bytes. */
export const LATE_PUT_SECONDS = 60 * 60

const RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 60 * 60

/** When to try again after the store has failed: after as long as it has failed so far, a minute to an hour. */
export function retryCleanupAt(failingSince: Date, now: Date): Date {
  const failedSeconds = (now.getTime() - failingSince.getTime()) / 1000
  return secondsAfter(now, Math.min(MAX_RETRY_SECONDS, Math.max(RETRY_SECONDS, failedSeconds)))
}

/** How long the row of a deleted file or an ended upload is kept, so that a repeated call gets the same answer. */
export const TOMBSTONE_SECONDS = 30 * 24 * 60 * 60

/**
 * Of a user's rows of deleted files and ended uploads the newest stay so long; what is older goes as soon as nothing more
 * can arrive in the store, or a user in a loop of beginnings and endings would fill the table.
 */
export const MAX_TOMBSTONES_PER_USER = 5_000
/** The same for rows with an idempotency key of the last day. */
export const MAX_KEYED_TOMBSTONES_PER_USER = 50_000

/** Whether the row needs the object at its final key. */
export function isLive(file: Pick<FileRecord, 'state' | 'deletedAt'>): boolean {
  return file.state === 'READY' && file.deletedAt === null
}

/**
 * What to do with a row after the sweeper has removed its objects and parts from the store:
 *
 * - A simple upload, also a READY file that was deleted, keeps its quota reserved until its URL has expired: until
 *   then bytes may arrive again. Its
 *   staged key is cleaned again at that time, and an hour later for a PUT that began in time and ended late.
 * - A multipart upload's quota is released at once: an aborted upload accepts no parts. It is cleaned again an
 *   hour later, since some stores let parts in flight survive the abort.
 * - The quota of any other READY file that was deleted is released at once: its bytes are gone.
 * - The row of a deleted file or an ended upload is dropped when its tombstone time is over, or at once if its
 *   owner is deleted too.
 */
export function afterCleanup(
  file: Pick<FileRecord, 'state' | 'deletedAt' | 'endedAt' | 'totalParts' | 'urlExpiresAt' | 'reserved'>,
  ownerDeleted: boolean,
  now: Date,
): Omit<CleanupResult, 'id' | 'failingSince'> {
  const steps: Date[] = []
  let release = !isLive(file)
  if (file.totalParts !== null) {
    if (file.state !== 'READY' && file.reserved > 0) steps.push(secondsAfter(now, LATE_PUT_SECONDS))
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
