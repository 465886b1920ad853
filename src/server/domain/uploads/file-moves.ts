import { secondsAfter } from '../../kernel/clock.ts'
import { isAppError } from '../../kernel/errors.ts'
import { invalidFields } from '../../kernel/validation.ts'
import { LATE_PUT_SECONDS, URL_MARGIN_SECONDS } from './cleanup.ts'
import { copyObject } from './copy-object.ts'
import { badRequest, notAccepted, requireFile } from './errors.ts'
import type { DueMove, FileMove } from './file-move-repo.ts'
import type { FileRecord } from './file-record.ts'
import { DOWNLOAD_URL_SECONDS, fileUrl, visibilityOf } from './file-url.ts'
import { finalKey } from './keys.ts'
import { type Lease, LeaseLost, withLease } from './lease.ts'
import { fixedVisibility } from './policies.ts'
import type { SetVisibilityInput, Visibility } from './schema.ts'
import type { UploadDeps } from './upload-deps.ts'

// A file's visibility is the prefix of its key, so a change copies the object to a new key, switches the row, and removes
// the old object. A row of `file_moves` names the object that the file's own row does not: first the copy, then the old
// object. Whatever step a crash interrupts, the sweeper finds that object.

/** Time after which a move that a crash has interrupted continues. */
const CONTINUE_SECONDS = 60
const REMOVE_TIMEOUT_MS = 20_000
/** Maximum number of moves that a round of the sweeper continues. */
const BATCH = 200
const CONCURRENT_MOVES = 4

/**
 * Makes a READY file private or public or, without `visibility`, continues its unfinished move, if it has one. Returns
 * the file.
 * @throws AppError NOT_FOUND, even while the file is HELD; BAD_REQUEST if it is not READY
 */
export async function moveFile(
  deps: UploadDeps,
  { fileId, userId, signal }: { fileId: string; userId: string; signal?: AbortSignal },
  visibility?: Visibility,
): Promise<FileRecord> {
  const moved = await withLease(deps, {
    fileId,
    userId,
    kind: 'ready',
    signal,
    settled(file): never {
      if (file.state === 'HELD') throw notAccepted()
      throw badRequest(`The file is ${file.state}, not READY. Its visibility cannot be changed.`)
    },
    async work(file, lease) {
      const wanted = visibility ?? (await deps.repo.findMove(file.id))?.visibility
      return wanted ? moveTo(deps, file, lease, wanted) : file
    },
  })
  // Anyone who knows its URL could still read the old object of a private file.
  if (moved.visibility === 'private') await removeLeftovers(deps, moved.id)
  return moved
}

/**
 * Moves a READY file between the prefixes of private and public files. Idempotent; of two calls, the later one decides.
 * @throws AppError NOT_FOUND; BAD_REQUEST without S3_PUBLIC_URL, or if the file's policy fixes its visibility or it is not
 * READY; INTERNAL_SERVER_ERROR while a large file is still being copied, which the sweeper continues
 */
export async function setVisibility(
  deps: UploadDeps,
  userId: string,
  { fileId, visibility }: SetVisibilityInput,
) {
  const file = await requireFile(deps, userId, fileId)
  if (deps.urls.publicUrl === undefined)
    throw invalidFields({
      visibility: ['cannot be changed: this server has no public files (S3_PUBLIC_URL)'],
    })
  const fixed = fixedVisibility(deps.settings.policies, file, deps.urls.publicUrl)
  if (fixed !== undefined)
    throw invalidFields({ visibility: [`cannot be changed: files of policy "${file.policy}" are ${fixed}`] })
  // A move to the trash that failed halfway no longer decides.
  await deps.repo.setTrashVisibility(fileId, userId, null)
  const moved = await moveFile(deps, { fileId, userId }, visibility)
  return { success: true as const, visibility, url: fileUrl(deps.urls, moved) }
}

/**
 * Continues the move of a file to its public key now, unless copying it takes long. If that fails, the sweeper
 * continues the move.
 */
export async function publishNow(deps: UploadDeps, file: FileRecord): Promise<void> {
  if (file.size > deps.settings.maxCopyBytes) return
  await moveFile(deps, { fileId: file.id, userId: file.userId }).catch((error: unknown) => {
    if (!isAppError(error) || error.code !== 'NOT_FOUND')
      deps.report('publication left to the sweeper', { fileId: file.id, error })
  })
}

async function moveTo(deps: UploadDeps, file: FileRecord, lease: Lease, visibility: Visibility) {
  const { repo, clock } = deps
  const unfinished = await repo.findMove(file.id)
  if (visibilityOf(deps.urls, file) === visibility) {
    if (unfinished && !(await repo.cancelMove(file.id, lease.id, clock.now()))) throw new LeaseLost()
    return file
  }
  if (!unfinished) await removeLeftovers(deps, file.id)
  const key = unfinished?.key ?? finalKey(file.userId, file.id, file.filename, visibility)
  const dueAt = secondsAfter(clock.now(), CONTINUE_SECONDS)
  if (!unfinished && !(await repo.beginMove(file.id, lease.id, { key, visibility, dueAt })))
    throw new LeaseLost()
  const etag = await copyObject(deps, file, { key, uploadId: unfinished?.uploadId ?? null }, lease)
  const now = clock.now()
  // Presigned URLs of the old object stay usable until they expire, unless the file becomes private.
  const removeAt =
    visibility === 'private' ? now : secondsAfter(now, DOWNLOAD_URL_SECONDS + URL_MARGIN_SECONDS)
  const switched = { from: file.key, to: key, visibility, etag, removeAt }
  if (!(await repo.finishMove(file.id, lease.id, switched))) throw new LeaseLost()
  return { ...file, key, visibility, etag }
}

/** Removes the objects that earlier moves of the file have left. @throws the store's error */
async function removeLeftovers(deps: UploadDeps, fileId: string): Promise<void> {
  const signal = AbortSignal.timeout(REMOVE_TIMEOUT_MS)
  for (const move of await deps.repo.findLeftovers(fileId)) await removeObject(deps, move, signal)
}

/** Removes an object, and again an hour later, because a copy whose response was lost can arrive late. */
async function removeObject({ repo, store, clock }: UploadDeps, move: FileMove, signal: AbortSignal) {
  const { key, uploadId } = move
  if (uploadId) await store.abortUpload(key, uploadId, signal)
  else await store.abortUploadsOf(key, signal)
  const left = await store.remove([key], signal)
  if (left.size > 0) throw left.get(key)
  const at = clock.now()
  await repo.recordMoveRemoval(key, at, move.removedAt ? null : secondsAfter(at, LATE_PUT_SECONDS))
}

/**
 * Continues interrupted moves, and removes old objects and copies of deleted files. Returns the number of moves that it
 * handled without an error.
 */
export async function sweepMoves(deps: UploadDeps, now: Date, stopped: AbortSignal): Promise<number> {
  const moves = await deps.repo.takeMoves(now, secondsAfter(now, CONTINUE_SECONDS), BATCH)
  const queue = moves.values()
  let done = 0
  const worker = async () => {
    for (const move of queue) {
      if (stopped.aborted) return
      try {
        await sweepMove(deps, move, stopped)
        done++
      } catch (error) {
        if (stopped.aborted) return
        deps.report('move not finished', { fileId: move.fileId, error })
        await deps.repo.recordMoveFailure(move.key, now)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_MOVES }, worker))
  return done
}

async function sweepMove(deps: UploadDeps, move: DueMove, stopped: AbortSignal): Promise<void> {
  if (move.visibility && move.userId)
    await moveFile(deps, { fileId: move.fileId, userId: move.userId, signal: stopped })
  else await removeObject(deps, move, AbortSignal.any([stopped, AbortSignal.timeout(REMOVE_TIMEOUT_MS)]))
}
