import { secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { UploadDeps } from './deps.ts'
import { removeNow } from './discard.ts'
import { exclusively } from './exclusive.ts'
import { type Finished, finished } from './finished.ts'
import { type Hold, LeaseLost } from './lease.ts'
import { LATE_SECONDS } from './lifecycle.ts'
import { partsFault } from './part-check.ts'
import type { FileRecord } from './ports.ts'
import { badRequest, requireKind, wrongState } from './refusals.ts'
import { objectFault } from './verify.ts'

/** How often parts that are replaced while we complete are listed again. */
const ROUNDS = 3

const GONE =
  'The object store no longer has this upload, nor a finished file. Start a new upload with upload.initiateMultipart.'

/** Decides by what the store holds, completes, looks at the object, and only then calls it READY. */
export function completeMultipart(deps: UploadDeps, userId: string, fileId: string): Promise<Finished> {
  return exclusively(deps, {
    fileId,
    userId,
    state: 'UPLOADING',
    check: (file) => requireKind(file, 'multipart'),
    settled: (file) => {
      if (file.state === 'READY') return finished(deps, file)
      throw wrongState(file, 'complete')
    },
    work: (file, hold) => complete(deps, file, hold),
  })
}

async function complete(deps: UploadDeps, file: FileRecord, hold: Hold): Promise<Finished> {
  const { store } = deps
  if (!file.uploadId) throw badRequest('The upload has not begun yet. Upload its parts first.')
  const completion = await completeInStore(deps, file, file.uploadId, hold)

  const object = await store.head(file.key, hold.signal)
  if (!object) {
    if (completion.outcome === 'gone') return reject(deps, file, hold, GONE)
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'The object store has not finished putting the parts together. Call upload.completeMultipart again in a moment.',
      { cause: completion.cause ?? new Error('completed, but no object') },
    )
  }
  const checked = await objectFault(store, file, file.key, object, hold.signal)
  if (checked === 'changed') throw new Error('the completed object changed under the lease')
  if (checked.fault) return reject(deps, file, hold, checked.fault)
  if (!(await deps.repo.markReady(file.id, hold.id, object.etag, deps.clock.now(), null)))
    throw new LeaseLost()
  return finished(deps, file)
}

/**
 * `gone`: the store does not know the upload. After a crash, or an answer that got lost, that is what a
 * completed one looks like too: only the object itself tells.
 */
async function completeInStore(
  deps: UploadDeps,
  file: FileRecord,
  uploadId: string,
  hold: Hold,
): Promise<{ outcome: 'done' | 'gone' | 'unsure'; cause?: unknown }> {
  for (let round = 0; round < ROUNDS; round++) {
    let stored: Awaited<ReturnType<typeof deps.store.listParts>>
    try {
      stored = await deps.store.listParts(file.key, uploadId, hold.signal)
    } catch (cause) {
      if (hold.signal.aborted) throw cause
      return { outcome: 'unsure', cause }
    }
    if (stored === null) return { outcome: 'gone' }
    const fault = partsFault(file, stored, await deps.repo.recordedParts(file.id))
    if (fault) throw badRequest(fault.message, fault.data)
    await hold.secure()
    const completion = await deps.store.completeUpload(file.key, uploadId, stored, hold.signal)
    if (completion.outcome !== 'changed') return completion as { outcome: 'done' | 'unsure'; cause?: unknown }
  }
  throw badRequest('Parts keep changing. Upload each part once, then call upload.completeMultipart again.')
}

/** The parts are an object now and the upload is dead: once the object is removed, nothing can land. */
async function reject(deps: UploadDeps, file: FileRecord, hold: Hold, reason: string): Promise<never> {
  const now = deps.clock.now()
  const ending = { state: 'REJECTED' as const, rejectReason: reason, cleanupAfter: now, release: false }
  if (!(await deps.repo.markEnded(file.id, hold.id, ending))) throw new LeaseLost()
  // Not removed: the reservation stays until the sweeper has done it.
  if (await removeNow(deps, file, [file.key]))
    await deps.repo.giveBack(file.id, secondsAfter(now, LATE_SECONDS))
  throw badRequest(reason)
}
