import { secondsAfter } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { URL_MARGIN_SECONDS } from './cleanup.ts'
import { inspectObject, objectMismatch } from './content-mismatch.ts'
import { finishUpload, holdConflict, rejectUpload, removeNow } from './deletion.ts'
import { badRequest } from './errors.ts'
import type { FileRecord } from './file-record.ts'
import { finishedEarlier, storedAs } from './file-url.ts'
import { finalKey, stagingKey } from './keys.ts'
import { type Lease, withLease } from './lease.ts'
import type { Presigned } from './object-store.ts'
import { checkPolicy, initialVisibility, requireExistingPolicy, requirePolicy } from './policies.ts'
import { reserveQuota } from './quota.ts'
import type { FinishedUpload, RequestUploadUrlInput } from './schema.ts'
import type { UploadDeps } from './upload-deps.ts'
import { requireFits, type UserTokenLimits } from './user-token-limits.ts'

/** Lifetime of the presigned PUT of a simple upload (docs/spec.md). */
const URL_SECONDS = 15 * 60
/** Maximum number of attempts to confirm a staged object that is replaced meanwhile. */
const MAX_ROUNDS = 5

/**
 * Reserves quota and signs a PUT to the staging key. A call with the same idempotency key signs another PUT for the same
 * file.
 */
export async function requestUploadUrl(
  deps: UploadDeps,
  userId: string,
  input: RequestUploadUrlInput,
  token: UserTokenLimits | null = null,
) {
  requireFits(token, input.size)
  const policy = requirePolicy(deps.settings.policies, input.policy)
  if (policy) checkPolicy(policy, input, token)
  const id = newId()
  const now = deps.clock.now()
  const visibility = initialVisibility(policy, deps.urls.publicUrl)
  const key = finalKey(userId, id, input.filename, visibility)
  // Sign before the row exists, so that a failure reserves nothing. An unused URL is harmless.
  const presigned = await deps.store.presignPut(stagingKey(key), input.mimeType, input.size, {
    seconds: URL_SECONDS,
  })
  const earlier = await reserveQuota(deps, token, {
    ...input,
    idempotencyKey: input.idempotencyKey ?? null,
    policy: input.policy ?? null,
    visibility,
    data: input.data ?? null,
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
  const file = earlier ?? { id, key, mimeType: input.mimeType }
  const { url, expiresAt } = earlier ? await signAgain(deps, earlier) : presigned
  return {
    uploadUrl: url,
    fileId: file.id,
    key: file.key,
    expiresAt: expiresAt.toISOString(),
    headers: { 'Content-Type': file.mimeType },
  }
}

/** Returns a new URL while the file waits for bytes, else one that expires when its last URL does. */
async function signAgain(deps: UploadDeps, file: FileRecord): Promise<Presigned> {
  const sign = (from: Date) =>
    deps.store.presignPut(stagingKey(file.key), file.mimeType, file.size, { seconds: URL_SECONDS, from })
  const fresh = await sign(deps.clock.now())
  if (await deps.repo.extendUrl(file.id, fresh.expiresAt)) return fresh
  return sign(secondsAfter(file.urlExpiresAt ?? file.createdAt, -URL_SECONDS))
}

/**
 * Checks the staged object, copies it to its final key, checks the copy, and only then marks the file READY or HELD. Each step
 * can be repeated.
 */
export function confirmUpload(deps: UploadDeps, userId: string, fileId: string): Promise<FinishedUpload> {
  return withLease(deps, {
    fileId,
    userId,
    kind: 'simple',
    settled: (file) => finishedEarlier(deps, file),
    work: (file, lease) => confirm(deps, file, lease),
  })
}

async function confirm(deps: UploadDeps, file: FileRecord, lease: Lease): Promise<FinishedUpload> {
  const { store, clock } = deps
  requireExistingPolicy(deps.settings.policies, file)
  const conflict = holdConflict(deps, file)
  if (conflict) return rejectUpload(deps, file, lease, conflict)
  const staged = stagingKey(file.key)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const object = await inspectObject(deps, staged, lease.signal)
    if (!object)
      throw badRequest(
        'The object store has no bytes for this file yet. PUT them to the uploadUrl, then confirm again.',
      )
    const mismatch = await objectMismatch(deps, file, object)
    if (mismatch) return rejectUpload(deps, file, lease, mismatch)

    // Renew right before the copy, which must not arrive after the next holder has finished.
    await lease.renew()
    const source = { key: staged, etag: object.etag }
    const copy = await store.copy(source, { key: file.key, ...storedAs(file) }, lease.signal)
    if (copy.outcome === 'changed') continue

    const final = await store.head(file.key, lease.signal)
    // If the store copies too slowly, one of the next confirmations finds the copy. Any other object there was left by an
    // earlier confirmation of other bytes.
    if (copy.outcome === 'unsure' && final?.etag !== object.etag) throw copy.cause
    if (!final) throw new Error('the store reported a copy, but has no object at the final key')
    if (final.etag !== object.etag || final.size !== object.size) {
      // Some stores (Ceph) ignore CopySourceIfMatch, others give a copy another ETag (SSE-KMS). Check the copy itself,
      // which the uploader cannot change.
      const copied = await inspectObject(deps, file.key, lease.signal)
      if (copied?.etag !== final.etag) throw new Error('the final object changed under the lease')
      const copyMismatch = await objectMismatch(deps, file, copied)
      if (copyMismatch) return rejectUpload(deps, file, lease, copyMismatch)
    }

    const urlExpired = secondsAfter(file.urlExpiresAt ?? clock.now(), URL_MARGIN_SECONDS)
    const ready = { etag: final.etag, at: clock.now(), cleanupAfter: urlExpired }
    const finished = await finishUpload(deps, file, lease, ready)
    await removeNow(deps, file, [staged])
    return finished
  }
  throw badRequest('The bytes keep changing. Upload them once, then confirm again.')
}
