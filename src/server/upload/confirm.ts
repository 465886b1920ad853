import { secondsAfter } from '../clock.ts'
import type { UploadDeps } from './deps.ts'
import { removeNow } from './discard.ts'
import { exclusively } from './exclusive.ts'
import { type Finished, finished } from './finished.ts'
import { stagingKey } from './keys.ts'
import { type Hold, LeaseLost } from './lease.ts'
import { URL_MARGIN_SECONDS } from './lifecycle.ts'
import type { FileRecord } from './ports.ts'
import { badRequest, requireKind, wrongState } from './refusals.ts'
import { objectFault } from './verify.ts'

/** How often bytes that are replaced while we look are looked at again. */
const ROUNDS = 5

/**
 * Looks at the staged object, copies it to its final key, looks at the copy, and only then calls it READY.
 * Every step can be repeated; READY is the one step that counts.
 */
export function confirmUpload(deps: UploadDeps, userId: string, fileId: string): Promise<Finished> {
  return exclusively(deps, {
    fileId,
    userId,
    state: 'PENDING',
    check: (file) => requireKind(file, 'simple'),
    settled: (file) => {
      if (file.state === 'READY') return finished(deps, file)
      throw wrongState(file, 'confirm')
    },
    work: (file, hold) => confirm(deps, file, hold),
  })
}

async function confirm(deps: UploadDeps, file: FileRecord, hold: Hold): Promise<Finished> {
  const { store, clock } = deps
  const staged = stagingKey(file.key)
  for (let round = 0; round < ROUNDS; round++) {
    const object = await store.head(staged, hold.signal)
    if (!object)
      throw badRequest(
        'The object store has no bytes for this file yet. PUT them to the uploadUrl, then confirm again.',
      )
    const checked = await objectFault(store, file, staged, object, hold.signal)
    if (checked === 'changed') continue
    if (checked.fault) return reject(deps, file, hold, checked.fault)

    // Renewed while the copy runs: it must not arrive after a successor has finished.
    await hold.secure()
    const copy = await store.copy(staged, object.etag, file.key, file.mimeType, hold.signal)
    if (copy.outcome === 'changed') continue

    const final = await store.head(file.key, hold.signal)
    // A store that copies slower than we wait is done by one of the next confirmations. Another object there is what
    // an earlier confirmation, of other bytes, has left.
    if (copy.outcome === 'unsure' && final?.etag !== object.etag) throw copy.cause
    if (!final) throw new Error('the store has no object where it said it copied one to')
    if (final.etag !== object.etag || final.size !== object.size) {
      // Some stores (Ceph) ignore CopySourceIfMatch, others give a copy another ETag (SSE-KMS). The copy is
      // out of the uploader's reach, so what counts is the copy itself.
      const frozen = await objectFault(store, file, file.key, final, hold.signal)
      if (frozen === 'changed') throw new Error('the final object changed under the lease')
      if (frozen.fault) return reject(deps, file, hold, frozen.fault)
    }

    const urlDead = secondsAfter(file.urlExpiresAt ?? clock.now(), URL_MARGIN_SECONDS)
    if (!(await deps.repo.markReady(file.id, hold.id, final.etag, clock.now(), urlDead)))
      throw new LeaseLost()
    await removeNow(deps, file, [staged])
    return finished(deps, file)
  }
  throw badRequest('The bytes keep changing. Upload them once, then confirm again.')
}

/** First the state, so that a repeated call answers the same whatever happens to us; then the bytes. */
async function reject(deps: UploadDeps, file: FileRecord, hold: Hold, reason: string): Promise<never> {
  const ending = {
    state: 'REJECTED' as const,
    rejectReason: reason,
    cleanupAfter: deps.clock.now(),
    release: false,
  }
  if (!(await deps.repo.markEnded(file.id, hold.id, ending))) throw new LeaseLost()
  await removeNow(deps, file, [stagingKey(file.key), file.key])
  throw badRequest(reason)
}
