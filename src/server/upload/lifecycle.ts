import { secondsAfter } from '../clock.ts'
import type { FileRecord, Settled } from './ports.ts'

// PENDING (simple) or UPLOADING (multipart) -> READY, or -> ABORTED, EXPIRED, REJECTED. Nothing leaves those
// four. Deletion is no state: `deletedAt` hides the row, and the sweeper drops it later.

/** The store's clock may lag behind ours: for this long after its expiry a URL is not counted as dead. */
export const URL_MARGIN_SECONDS = 60

/** A PUT that began in time may end late; one more look then finds its bytes. */
export const LATE_SECONDS = 60 * 60

/** A deleted row stays that long, so that a repeated deletion gets the same answer. */
export const TOMBSTONE_SECONDS = 30 * 24 * 60 * 60

/** Whether the row stands for an object at its final key. */
export function isLive(file: Pick<FileRecord, 'state' | 'deletedAt'>): boolean {
  return file.state === 'READY' && file.deletedAt === null
}

/**
 * What follows when the sweeper has removed everything of a row that the store had:
 *
 * - A simple upload's reservation is held until its URL is dead, for until then bytes may land again. The
 *   staged key is cleaned once more then, and an hour later for a PUT that began in time and ended late.
 * - A multipart upload's is given back at once: an aborted upload takes no parts. One more look an hour
 *   later, for parts that were in flight on a store that lets them outlive the abort.
 * - A deleted READY file's bytes are gone: given back at once.
 * - A deleted row goes when its tombstone time is over, or at once if its owner is gone too.
 */
export function afterCleanup(
  file: Pick<FileRecord, 'state' | 'deletedAt' | 'totalParts' | 'urlExpiresAt' | 'reserved'>,
  ownerDeleted: boolean,
  now: Date,
): Omit<Settled, 'id'> {
  const steps: Date[] = []
  let release = !isLive(file)
  if (file.totalParts !== null) {
    if (file.state !== 'READY' && file.reserved > 0) steps.push(secondsAfter(now, LATE_SECONDS))
  } else if (file.urlExpiresAt) {
    const urlDead = secondsAfter(file.urlExpiresAt, URL_MARGIN_SECONDS)
    if (file.state !== 'READY' && urlDead > now) release = false
    steps.push(urlDead, secondsAfter(urlDead, LATE_SECONDS))
  }
  if (file.deletedAt && !ownerDeleted) steps.push(secondsAfter(file.deletedAt, TOMBSTONE_SECONDS))
  const next = steps.find((step) => step > now) ?? null
  return { release, next, drop: next === null && file.deletedAt !== null }
}
