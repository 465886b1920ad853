import { secondsAfter } from '../clock.ts'
import type { UploadDeps } from './deps.ts'
import { removeNow } from './discard.ts'
import { exclusively } from './exclusive.ts'
import { stagingKey } from './keys.ts'
import { type Hold, LeaseLost } from './lease.ts'
import { LATE_SECONDS } from './lifecycle.ts'
import type { FileRecord } from './ports.ts'
import { requireKind, wrongState } from './refusals.ts'

const success = { success: true as const }

export function abortMultipart(deps: UploadDeps, userId: string, fileId: string) {
  return exclusively(deps, {
    fileId,
    userId,
    state: 'UPLOADING',
    check: (file) => requireKind(file, 'multipart'),
    settled: (file) => {
      if (file.state === 'ABORTED') return success
      throw wrongState(file, 'abort')
    },
    work: async (file, hold) => {
      await endMultipart(deps, file, hold)
      return success
    },
  })
}

/**
 * The store first: only when it has no part left is the quota free again. A crash in between leaves an
 * upload that can be aborted again, or expires.
 */
export async function endMultipart(
  deps: UploadDeps,
  file: FileRecord,
  hold: Hold,
  deletedAt?: Date,
): Promise<void> {
  const { store } = deps
  await hold.secure()
  if (file.uploadId) await store.abortUpload(file.key, file.uploadId, hold.signal)
  else await store.abortUploadsOf(file.key, hold.signal)
  // A completion that crashed before READY left the object; an aborted upload has none.
  const left = await store.remove([file.key], hold.signal)
  if (left.length > 0) throw new Error('the store did not remove the object')
  const ended = await deps.repo.markEnded(file.id, hold.id, {
    state: 'ABORTED',
    cleanupAfter: secondsAfter(deps.clock.now(), LATE_SECONDS),
    release: true,
    deletedAt,
  })
  if (!ended) throw new LeaseLost()
}

/** The state first, since its URL may still bring bytes: the sweeper gives the reservation back later. */
export async function endSimple(
  deps: UploadDeps,
  file: FileRecord,
  hold: Hold,
  deletedAt: Date,
): Promise<void> {
  const ending = { state: 'ABORTED' as const, cleanupAfter: deps.clock.now(), release: false, deletedAt }
  if (!(await deps.repo.markEnded(file.id, hold.id, ending))) throw new LeaseLost()
  await removeNow(deps, file, [stagingKey(file.key), file.key])
}
