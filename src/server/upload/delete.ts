import { AppError, isAppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { endMultipart, endSimple } from './abort.ts'
import type { UploadDeps } from './deps.ts'
import { removeNow } from './discard.ts'
import { exclusively } from './exclusive.ts'
import { afterCleanup } from './lifecycle.ts'
import { notFound } from './refusals.ts'

const success = { success: true as const }

/**
 * Hides the file first, then removes its bytes, then gives the quota back. If the store fails in between,
 * the caller is told; the file stays hidden, and the sweeper or the next call finishes.
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
    const ended = await exclusively(deps, {
      fileId,
      userId,
      state: file.state,
      settled: () => false,
      work: async (held, hold) => {
        if (held.totalParts === null) await endSimple(deps, held, hold, clock.now())
        else await endMultipart(deps, held, hold, clock.now())
        return true
      },
    }).catch((error: unknown) => {
      // Another call of the same kind was faster and has deleted it.
      if (isAppError(error) && error.code === 'NOT_FOUND') return true
      throw error
    })
    if (ended) return success
  }

  const now = clock.now()
  const deleted = await repo.markDeleted(fileId, userId, now)
  if (deleted?.state !== 'READY' || deleted.reserved === 0) return success
  if (!(await removeNow(deps, deleted, [deleted.key])))
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'The file is deleted, but the object store did not answer: its bytes and your quota follow within minutes.',
    )
  await repo.giveBack(fileId, afterCleanup(deleted, false, now).next)
  return success
}
