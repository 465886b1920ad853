import { setTimeout as sleep } from 'node:timers/promises'
import { secondsAfter } from '../clock.ts'
import { AppError, isAppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { afterCleanup, LATE_PUT_SECONDS } from './cleanup.ts'
import { notFound } from './errors.ts'
import { stagingKey } from './keys.ts'
import { type Lease, LeaseLost, withLease } from './lease.ts'
import type { FileRecord, UploadDeps } from './ports.ts'
import type { Sweeper } from './sweeper.ts'

/** Removing objects may delay an answer by this much; then the sweeper removes them. */
const REMOVE_TIMEOUT_MS = 5_000
/** Deleting all files waits this long for confirmations and completions in progress. */
const WAIT_FOR_UPLOADS_MS = 5_000

const success = { success: true as const }

/**
 * Hides the file, then removes its object, then releases the quota (a simple upload's not before its URL has expired:
 * the sweeper does that). If the store fails in between, the
 * caller gets an error; the file stays hidden, and the sweeper or the next call does the rest.
 */
export async function deleteFile(
  deps: UploadDeps,
  userId: string,
  fileId: string,
): Promise<{ success: true }> {
  const { repo, clock } = deps
  const file = isId(fileId) ? await repo.find(fileId, userId, true) : null
  if (!file) throw notFound()
  if (!file.deletedAt && (file.state === 'PENDING' || file.state === 'UPLOADING')) {
    const ended = await withLease(deps, {
      fileId,
      userId,
      state: file.state,
      settled: () => false,
      work: async (leased, lease) => {
        if (leased.totalParts === null) await endSimple(deps, leased, lease, clock.now())
        else await endMultipart(deps, leased, lease, clock.now())
        return true
      },
    }).catch((error: unknown) => {
      // A concurrent call has deleted it.
      if (isAppError(error) && error.code === 'NOT_FOUND') return true
      throw error
    })
    if (ended) return success
  }

  const now = clock.now()
  const deleted = await repo.markDeleted(fileId, userId, now)
  if (deleted?.state !== 'READY' || deleted.reserved === 0) return success
  const keys = deleted.totalParts === null ? [deleted.key, stagingKey(deleted.key)] : [deleted.key]
  if (!(await removeNow(deps, deleted, keys)))
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'The file is deleted, but the object store did not answer: its bytes and your quota follow within minutes.',
    )
  const { release, next } = afterCleanup(deleted, false, now)
  if (release) await repo.releaseQuota(fileId, next)
  return success
}

/**
 * Deletes all files of a user whose account is being deleted, as far as possible now. The sweeper removes the
 * rest later (a PUT may still use its URL, the store is down); rows go with their bytes. Can be repeated.
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

/** Removes objects that the row no longer needs; true if they are gone, false if the sweeper has to do it. */
export async function removeNow(deps: UploadDeps, file: FileRecord, keys: string[]): Promise<boolean> {
  try {
    const left = await deps.store.remove(keys, AbortSignal.timeout(REMOVE_TIMEOUT_MS))
    if (left.length === 0) return true
    deps.report('objects left to the sweeper', { fileId: file.id, count: left.length })
  } catch (error) {
    deps.report('objects left to the sweeper', { fileId: file.id, error })
  }
  return false
}

/**
 * The store first: the quota is released only when the store has no part left. After a crash in between the
 * upload can be aborted again, or expires.
 */
export async function endMultipart(
  deps: UploadDeps,
  file: FileRecord,
  lease: Lease,
  deletedAt?: Date,
): Promise<void> {
  const { store } = deps
  await lease.renew()
  if (file.uploadId) await store.abortUpload(file.key, file.uploadId, lease.signal)
  else await store.abortUploadsOf(file.key, lease.signal)
  // A completion that crashed before READY has left an object; an aborted upload must not have one.
  const left = await store.remove([file.key], lease.signal)
  if (left.length > 0) throw new Error('the store did not remove the object')
  const at = deps.clock.now()
  const ended = await deps.repo.markEnded(file.id, lease.id, {
    state: 'ABORTED',
    at,
    cleanupAfter: secondsAfter(at, LATE_PUT_SECONDS),
    release: true,
    deletedAt,
  })
  if (!ended) throw new LeaseLost()
}

/** The state first. The URL is still valid and may bring bytes, so the sweeper releases the quota later. */
async function endSimple(deps: UploadDeps, file: FileRecord, lease: Lease, deletedAt: Date): Promise<void> {
  const at = deps.clock.now()
  const ending = { state: 'ABORTED' as const, at, cleanupAfter: at, release: false, deletedAt }
  if (!(await deps.repo.markEnded(file.id, lease.id, ending))) throw new LeaseLost()
  await removeNow(deps, file, [stagingKey(file.key), file.key])
}
