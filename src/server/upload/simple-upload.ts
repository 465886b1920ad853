import type { z } from 'zod'
import { secondsAfter } from '../clock.ts'
import { newId } from '../ids.ts'
import { URL_MARGIN_SECONDS } from './cleanup.ts'
import { inspectObject, objectMismatch } from './content-mismatch.ts'
import { removeNow } from './deletion.ts'
import { badRequest, requireKind, wrongState } from './errors.ts'
import { type FinishedUpload, finishedUpload } from './file-url.ts'
import { finalKey, stagingKey } from './keys.ts'
import { type Lease, LeaseLost, withLease } from './lease.ts'
import type { FileRecord, Presigned, UploadDeps } from './ports.ts'
import { reserveQuota } from './quota.ts'
import type { requestUploadUrlInput } from './schema.ts'

/** How long the presigned PUT of a simple upload is valid (docs/spec.md). */
const URL_SECONDS = 15 * 60
/** How often a confirmation starts over because the staged object was replaced in between. */
const MAX_ROUNDS = 5

/** Reserves quota and signs a PUT to the staging key. Repeated with the same idempotency key: signs another for the same file. */
export async function requestUploadUrl(
  deps: UploadDeps,
  userId: string,
  input: z.output<typeof requestUploadUrlInput>,
) {
  const id = newId()
  const now = deps.clock.now()
  const key = finalKey(userId, id, input.filename)
  // Signed before the row exists, so that a failure to sign reserves nothing. An unused URL does no harm.
  const presigned = await deps.store.presignPut(stagingKey(key), input.mimeType, input.size, {
    seconds: URL_SECONDS,
  })
  const earlier = await reserveQuota(deps, {
    ...input,
    idempotencyKey: input.idempotencyKey ?? null,
    id,
    userId,
    key,
    state: 'PENDING',
    totalParts: null,
    partSize: null,
    urlExpiresAt: presigned.expiresAt,
    expiresAt: secondsAfter(now, deps.settings.pendingTtlSeconds),
    createdAt: now,
  })
  return requested(
    earlier ?? { id, key, mimeType: input.mimeType },
    earlier ? await signAgain(deps, earlier) : presigned,
  )
}

function requested({ id, key, mimeType }: Pick<FileRecord, 'id' | 'key' | 'mimeType'>, presigned: Presigned) {
  return {
    uploadUrl: presigned.url,
    fileId: id,
    key,
    expiresAt: presigned.expiresAt.toISOString(),
    headers: { 'Content-Type': mimeType },
  }
}

/** A fresh URL while the file waits for bytes, else one that expires when its last one does, or did. */
async function signAgain(deps: UploadDeps, file: FileRecord): Promise<Presigned> {
  const sign = (from: Date) =>
    deps.store.presignPut(stagingKey(file.key), file.mimeType, file.size, { seconds: URL_SECONDS, from })
  const fresh = await sign(deps.clock.now())
  if (await deps.repo.extendUrl(file.id, fresh.expiresAt)) return fresh
  return sign(secondsAfter(file.urlExpiresAt ?? file.createdAt, -URL_SECONDS))
}

/**
 * Checks the staged object, copies it to its final key, checks the copy, and only then marks the file READY.
 * Every step can be repeated.
 */
export function confirmUpload(deps: UploadDeps, userId: string, fileId: string): Promise<FinishedUpload> {
  return withLease(deps, {
    fileId,
    userId,
    state: 'PENDING',
    check: (file) => requireKind(file, 'simple'),
    settled: (file) => {
      if (file.state === 'READY') return finishedUpload(deps.urls, file)
      throw wrongState(file, 'confirm')
    },
    work: (file, lease) => confirm(deps, file, lease),
  })
}

async function confirm(deps: UploadDeps, file: FileRecord, lease: Lease): Promise<FinishedUpload> {
  const { store, clock } = deps
  const staged = stagingKey(file.key)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const object = await inspectObject(deps, staged, lease.signal)
    if (!object)
      throw badRequest(
        'The object store has no bytes for this file yet. PUT them to the uploadUrl, then confirm again.',
      )
    const mismatch = await objectMismatch(deps, file, object)
    if (mismatch) return reject(deps, file, lease, mismatch)

    // Renewed while the copy runs: a copy must not arrive after the next holder has finished.
    await lease.renew()
    const source = { key: staged, etag: object.etag }
    const copy = await store.copy(source, { key: file.key, contentType: file.mimeType }, lease.signal)
    if (copy.outcome === 'changed') continue

    const final = await store.head(file.key, lease.signal)
    // If the store copies slower than we wait, one of the next confirmations finds the copy. Any other object
    // there was left by an earlier confirmation of other bytes.
    if (copy.outcome === 'unsure' && final?.etag !== object.etag) throw copy.cause
    if (!final) throw new Error('the store has no object where it said it copied one to')
    if (final.etag !== object.etag || final.size !== object.size) {
      // Some stores (Ceph) ignore CopySourceIfMatch, others give a copy another ETag (SSE-KMS). The uploader
      // cannot change the copy any more, so the copy itself is checked.
      const copied = await inspectObject(deps, file.key, lease.signal)
      if (copied?.etag !== final.etag) throw new Error('the final object changed under the lease')
      const copyMismatch = await objectMismatch(deps, file, copied)
      if (copyMismatch) return reject(deps, file, lease, copyMismatch)
    }

    const urlExpired = secondsAfter(file.urlExpiresAt ?? clock.now(), URL_MARGIN_SECONDS)
    const ready = { etag: final.etag, at: clock.now(), cleanupAfter: urlExpired }
    if (!(await deps.repo.markReady(file.id, lease.id, ready))) throw new LeaseLost()
    await removeNow(deps, file, [staged])
    return finishedUpload(deps.urls, file)
  }
  throw badRequest('The bytes keep changing. Upload them once, then confirm again.')
}

/** The state first, so that a repeated call gives the same answer even after a crash; then the bytes. */
async function reject(deps: UploadDeps, file: FileRecord, lease: Lease, reason: string): Promise<never> {
  const at = deps.clock.now()
  const ending = {
    state: 'REJECTED' as const,
    rejectReason: reason,
    at,
    cleanupAfter: at,
    release: false,
  }
  if (!(await deps.repo.markEnded(file.id, lease.id, ending))) throw new LeaseLost()
  await removeNow(deps, file, [stagingKey(file.key), file.key])
  throw badRequest(reason)
}
