import { setTimeout as sleep } from 'node:timers/promises'
import { secondsAfter } from '../../kernel/clock.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import { afterCleanup, LATE_PUT_SECONDS } from './cleanup.ts'
import { badRequest, kindOf, requireFile } from './errors.ts'
import { type FileRecord, isStored } from './file-record.ts'
import { finishedUpload, visibilityOf } from './file-url.ts'
import { stagingKey } from './keys.ts'
import { type Lease, LeaseLost, withLease } from './lease.ts'
import { heldUntil, readyUntil, replacementOf } from './policies.ts'
import type { FinishedUpload } from './schema.ts'
import type { Sweeper } from './sweeper.ts'
import { moveToTrash } from './trash.ts'
import type { UploadDeps } from './upload-deps.ts'
import type { Ending, Ready } from './upload-repo.ts'

/** Maximum time for which removing objects delays a response. After that, the sweeper removes them. */
const REMOVE_TIMEOUT_MS = 5_000
/** Maximum number of files whose objects one call removes. The sweeper removes the rest. */
const MAX_REMOVED_AT_ONCE = 10
/** Time that deleting all files waits for confirmations and completions in progress. */
const WAIT_FOR_UPLOADS_MS = 5_000

/**
 * Hides the file, removes its object, then releases the quota. The sweeper releases that of a simple upload once its URL
 * has expired. If the store fails in between, the caller gets an error and the file stays hidden; the sweeper or the next
 * call continues. `trash`: moves a READY file to the trash instead.
 */
export async function deleteFile(
  deps: UploadDeps,
  userId: string,
  fileId: string,
  { trash = false }: { trash?: boolean | undefined } = {},
): Promise<void> {
  const { repo, clock } = deps
  const file = await requireFile(deps, userId, fileId, true)
  if (!file.deletedAt && (file.state === 'PENDING' || file.state === 'UPLOADING')) {
    const ended = await withLease(deps, {
      fileId,
      userId,
      kind: kindOf(file),
      settled: () => false,
      work: async (leased, lease) => {
        const at = clock.now()
        if (leased.totalParts === null) {
          // The URL is still valid and can receive bytes, so the sweeper releases the quota later.
          const ending = { state: 'ABORTED' as const, at, cleanupAfter: at, release: false, deletedAt: at }
          await markEnded(deps, leased, lease, ending)
          await removeNow(deps, leased)
        } else await endMultipart(deps, leased, lease, at)
        return true
      },
    }).catch((error: unknown) => {
      // A concurrent call has deleted the file.
      if (isAppError(error) && error.code === 'NOT_FOUND') return true
      throw error
    })
    if (ended) return
  }
  if (trash && (await moveToTrash(deps, userId, fileId))) return

  const now = clock.now()
  const deleted = await repo.markDeleted(fileId, userId, now)
  if (!deleted || !isStored(deleted) || deleted.reserved === 0) return
  if (!(await removeDeleted(deps, deleted, now)))
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'The file is deleted, but the object store did not respond. The space that the file used is released within minutes.',
    )
}

/** Removes the object of a deleted or rejected file and releases its quota. False if the sweeper has to do it. */
async function removeDeleted(deps: UploadDeps, deleted: FileRecord, now: Date): Promise<boolean> {
  if (!(await removeNow(deps, deleted))) return false
  const { release, next } = afterCleanup(deleted, false, now)
  if (release) await deps.repo.releaseQuota(deleted.id, next)
  return true
}

/** Returns why an upload with a public key cannot finish: its policy has begun to hold files. Undefined: it can. */
export function holdConflict({ settings, urls, clock }: UploadDeps, file: FileRecord): string | undefined {
  return heldUntil(settings.policies, file, clock.now()) && visibilityOf(urls, file) === 'public'
    ? 'The upload policy now requires a check of each file before anyone can read it, but this upload began as a public one. Start a new one.'
    : undefined
}

/**
 * Marks the file HELD if its policy requires it, else READY, and returns the response.
 * @throws LeaseLost
 */
export async function finishUpload(
  deps: UploadDeps,
  file: FileRecord,
  lease: Lease,
  ready: Omit<Ready, 'replace' | 'expiresAt'>,
): Promise<FinishedUpload> {
  const { policies } = deps.settings
  const { etag, at } = ready
  const until = heldUntil(policies, file, at)
  if (until) {
    if (!(await deps.repo.markHeld(file.id, lease.id, { etag, until }))) throw new LeaseLost()
    return finishedUpload(deps.urls, file, true)
  }
  const replace = replacementOf(policies, file)
  const replaced = await deps.repo.markReady(file.id, lease.id, {
    ...ready,
    expiresAt: readyUntil(policies, file, at),
    replace,
  })
  if (!replaced) throw new LeaseLost()
  await removeObjectsOf(deps, replaced, at)
  return finishedUpload(deps.urls, file, false)
}

/**
 * Removes the objects of deleted or rejected files and releases their quota. The sweeper does it if that fails, and for
 * all files beyond the first ones: a policy whose limit was lowered can replace thousands at once.
 */
export async function removeObjectsOf(deps: UploadDeps, files: FileRecord[], now: Date): Promise<void> {
  await Promise.all(
    files
      .slice(0, MAX_REMOVED_AT_ONCE)
      .map((file) =>
        removeDeleted(deps, file, now).catch((error: unknown) =>
          deps.report('objects left to the sweeper', { fileId: file.id, error }),
        ),
      ),
  )
}

/**
 * Deletes all files of a user whose account is being deleted, as far as possible now. The sweeper removes the rest later,
 * for example while a PUT can still use its URL. Can be repeated.
 */
export async function deleteUserFiles(
  deps: Pick<UploadDeps, 'repo' | 'clock'>,
  sweeper: Pick<Sweeper, 'sweep'>,
  userId: string,
): Promise<void> {
  const deadline = performance.now() + WAIT_FOR_UPLOADS_MS
  while ((await deps.repo.markAllDeleted(userId, deps.clock.now())) > 0 && performance.now() < deadline)
    await sleep(200)
  await sweeper.sweep(userId)
}

/** Removes objects that the row no longer needs. False if the sweeper has to remove them. */
export async function removeNow(
  { store, report }: UploadDeps,
  file: FileRecord,
  keys = file.totalParts === null ? [stagingKey(file.key), file.key] : [file.key],
): Promise<boolean> {
  try {
    const left = await store.remove(keys, AbortSignal.timeout(REMOVE_TIMEOUT_MS))
    if (left.size === 0) return true
    const [error] = left.values()
    report('objects left to the sweeper', { fileId: file.id, count: left.size, error })
  } catch (error) {
    report('objects left to the sweeper', { fileId: file.id, error })
  }
  return false
}

/**
 * Aborts the upload in the store first, so that the quota is released only when the store has no part left. After a crash
 * in between, the upload can be aborted again or expires.
 */
export async function endMultipart(deps: UploadDeps, file: FileRecord, lease: Lease, deletedAt?: Date) {
  const { store } = deps
  await lease.renew()
  if (file.uploadId) await store.abortUpload(file.key, file.uploadId, lease.signal)
  else await store.abortUploadsOf(file.key, lease.signal)
  // A completion that crashed before READY has left an object, which an aborted upload must not have.
  const left = await store.remove([file.key], lease.signal)
  if (left.size > 0) throw left.get(file.key)
  const at = deps.clock.now()
  const cleanupAfter = secondsAfter(at, LATE_PUT_SECONDS)
  await markEnded(deps, file, lease, { state: 'ABORTED', at, cleanupAfter, release: true, deletedAt })
}

/**
 * Changes the state first, so that a repeated call gets the same response even after a crash, then removes the bytes.
 * @throws AppError BAD_REQUEST, always
 */
export async function rejectUpload(
  deps: UploadDeps,
  file: FileRecord,
  lease: Lease,
  reason: string,
): Promise<never> {
  const at = deps.clock.now()
  const ending = { state: 'REJECTED' as const, rejectReason: reason, at, cleanupAfter: at, release: false }
  await markEnded(deps, file, lease, ending)
  // A completed multipart upload is an object: once it is removed, nothing more can arrive. Otherwise the quota stays
  // reserved until the sweeper has cleaned up.
  if ((await removeNow(deps, file)) && file.totalParts !== null)
    await deps.repo.releaseQuota(file.id, secondsAfter(at, LATE_PUT_SECONDS))
  throw badRequest(reason)
}

async function markEnded({ repo }: UploadDeps, file: FileRecord, lease: Lease, ending: Ending) {
  if (!(await repo.markEnded(file.id, lease.id, ending))) throw new LeaseLost()
}
