import { setTimeout as sleep } from 'node:timers/promises'
import { partLength, planParts } from '@pigeonhole/client/parts'
import { secondsAfter } from '../../kernel/clock.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { inspectObject, objectMismatch } from './content-mismatch.ts'
import { endMultipart, finishUpload, holdConflict, rejectUpload } from './deletion.ts'
import { badRequest, busy, notFound, requireFile, requireKind, wrongState } from './errors.ts'
import { type FileRecord, isStored } from './file-record.ts'
import { finishedEarlier, storedAs } from './file-url.ts'
import { finalKey } from './keys.ts'
import { type Lease, withLease } from './lease.ts'
import {
  checkParts,
  checkPolicy,
  initialVisibility,
  requireExistingPolicy,
  requirePolicy,
} from './policies.ts'
import { reserveQuota } from './quota.ts'
import type { CompletePartInput, FinishedUpload, InitiateMultipartInput, PartUrlsInput } from './schema.ts'
import { firstFew, partsMismatch, planOf } from './stored-parts.ts'
import type { UploadDeps } from './upload-deps.ts'
import { requireFits, type UserTokenLimits } from './user-token-limits.ts'

/** Lifetime of the presigned PUT of a part (docs/spec.md). */
const PART_URL_SECONDS = 60 * 60
/** Lifetime of the row of an initiation, which must have crashed if it takes longer. */
const INITIATION_SECONDS = 120
const STORE_TIMEOUT_MS = 20_000
const POLL_MS = 100
/** Maximum number of attempts to complete parts that are replaced meanwhile. */
const MAX_ROUNDS = 3
/** Pauses before parts are listed again, before they are reported as missing or wrong: listings lag on Swift. */
const RELIST_PAUSES_MS = [150, 300, 600]

const GONE =
  'The object store has neither this upload nor a finished file. Start a new upload with upload.initiateMultipart.'

/**
 * Reserves quota, creates the upload in the store, then writes its ID to the row. A crash in between leaves a row
 * without an upload ID, which expires within minutes, and an upload without parts in the store.
 */
export async function initiateMultipart(
  deps: UploadDeps,
  userId: string,
  input: InitiateMultipartInput,
  token: UserTokenLimits | null = null,
) {
  requireFits(token, input.size)
  const { totalParts, idempotencyKey = null, data = null, ...file } = input
  const { maxParts, multipartTtlSeconds, policies } = deps.settings
  const policy = requirePolicy(policies, input.policy)
  if (policy) checkPolicy(policy, input, token)
  const partBytes = policy && checkParts(policy, input, maxParts)
  if (totalParts > maxParts)
    throw new AppError(
      'BAD_REQUEST',
      `The object store accepts at most ${maxParts} parts. Send fewer, larger parts. upload.limits has a part size that fits every file.`,
      { fieldErrors: { totalParts: [`must be at most ${maxParts}, for larger parts`] } },
    )
  const id = newId()
  const now = deps.clock.now()
  const visibility = initialVisibility(policy, deps.urls.publicUrl)
  const key = finalKey(userId, id, input.filename, visibility)
  const plan = planParts(input.size, totalParts, partBytes)
  const earlier = await reserveQuota(deps, token, {
    ...file,
    policy: input.policy ?? null,
    visibility,
    data,
    idempotencyKey,
    id,
    userId,
    key,
    state: 'UPLOADING',
    totalParts,
    partSize: plan.partSize,
    urlExpiresAt: null,
    expiresAt: secondsAfter(now, Math.min(INITIATION_SECONDS, multipartTtlSeconds)),
    createdAt: now,
  })
  if (earlier) return initiatedEarlier(deps, earlier)
  try {
    const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS)
    const uploadId = await deps.store.createUpload(key, storedAs(input), timeout)
    const expiresAt = secondsAfter(now, multipartTtlSeconds)
    if (!(await deps.repo.attachUpload(id, uploadId, expiresAt))) {
      // The store took so long that the row has expired.
      await deps.store.abortUpload(key, uploadId, AbortSignal.timeout(STORE_TIMEOUT_MS))
      throw busy()
    }
    return { fileId: id, uploadId, key, partSize: plan.partSize }
  } catch (error) {
    // No client knows the upload ID, so no part can arrive.
    await deps.repo
      .abandonInitiation(id, deps.clock.now())
      .catch((cause: unknown) => deps.report('initiation not abandoned', { fileId: id, error: cause }))
    throw error
  }
}

/**
 * Returns the response of an earlier call with the same idempotency key, which may still be waiting for the store. If
 * that call crashed, its row expires within minutes and frees the key.
 */
async function initiatedEarlier(deps: UploadDeps, earlier: FileRecord) {
  const deadline = performance.now() + STORE_TIMEOUT_MS
  for (;;) {
    const file = await deps.repo.find(earlier.id, earlier.userId, true)
    if (file?.uploadId)
      return { fileId: file.id, uploadId: file.uploadId, key: file.key, partSize: planOf(file).partSize }
    if (file?.state !== 'UPLOADING' || performance.now() > deadline) throw busy()
    await sleep(POLL_MS)
  }
}

/** Signs PUTs of exactly the planned lengths. */
export async function getPartUrls(deps: UploadDeps, userId: string, input: PartUrlsInput) {
  const file = await requireFile(deps, userId, input.fileId)
  requireKind(file, 'multipart')
  if (file.state !== 'UPLOADING') throw wrongState(file)
  requirePlanned(file, input.partNumbers)
  if (!file.uploadId) throw badRequest('The upload is still being created. Try again in a moment.')
  const plan = planOf(file)
  const numbers = [...new Set(input.partNumbers)]
  const { urls, expiresAt } = await deps.store.presignParts(
    file.key,
    file.uploadId,
    numbers.map((partNumber) => ({ partNumber, size: partLength(plan, partNumber) })),
    PART_URL_SECONDS,
  )
  return {
    parts: numbers.map((partNumber, i) => ({ partNumber, uploadUrl: urls[i]!, headers: {} })),
    expiresAt: expiresAt.toISOString(),
  }
}

export async function getPartUrl(deps: UploadDeps, userId: string, fileId: string, partNumber: number) {
  const { parts, expiresAt } = await getPartUrls(deps, userId, { fileId, partNumbers: [partNumber] })
  return { uploadUrl: parts[0]!.uploadUrl, headers: parts[0]!.headers, expiresAt }
}

/** Records the part without asking the store, which only completion does. */
export async function completePart(
  deps: UploadDeps,
  userId: string,
  { fileId, partNumber, etag }: CompletePartInput,
) {
  if (!isId(fileId)) throw notFound()
  const recorded = await deps.repo.recordPart(fileId, userId, partNumber, etag)
  if (recorded) return { success: true as const, uploadedParts: recorded }

  const file = await requireFile(deps, userId, fileId)
  requireKind(file, 'multipart')
  requirePlanned(file, [partNumber])
  if (!isStored(file)) throw wrongState(file)
  // The report arrived after completion, which asked the store and no longer needs it.
  const parts = await deps.repo.recordedParts(file.id)
  return { success: true as const, uploadedParts: [...parts.keys()].sort((a, b) => a - b) }
}

/** Lists the store's parts, completes them, checks the object, and only then marks the file READY or HELD. */
export function completeMultipart(deps: UploadDeps, userId: string, fileId: string): Promise<FinishedUpload> {
  return withLease(deps, {
    fileId,
    userId,
    kind: 'multipart',
    settled: (file) => finishedEarlier(deps, file),
    work: (file, lease) => complete(deps, file, lease),
  })
}

async function complete(deps: UploadDeps, file: FileRecord, lease: Lease): Promise<FinishedUpload> {
  const { store } = deps
  if (!file.uploadId) throw badRequest('The upload is still being created. Upload its parts first.')
  requireExistingPolicy(deps.settings.policies, file)
  const conflict = holdConflict(deps, file)
  if (conflict) {
    await lease.renew()
    await store.abortUpload(file.key, file.uploadId, lease.signal)
    return rejectUpload(deps, file, lease, conflict)
  }
  const completion = await completeInStore(deps, file, file.uploadId, lease)

  const object = await inspectObject(deps, file.key, lease.signal)
  if (!object) {
    if (completion.outcome === 'gone') {
      if (await store.isUploadListed(file.key, file.uploadId, lease.signal))
        throw new Error('the store lists the upload but does not find it')
      return rejectUpload(deps, file, lease, GONE)
    }
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'The object store is still joining the parts. Call upload.completeMultipart again in a moment.',
      { cause: completion.cause ?? new Error('completed, but no object') },
    )
  }
  const mismatch = await objectMismatch(deps, file, object)
  if (mismatch) return rejectUpload(deps, file, lease, mismatch)
  const ready = { etag: object.etag, at: deps.clock.now(), cleanupAfter: null }
  return finishUpload(deps, file, lease, ready)
}

/**
 * `gone`: the store does not know the upload. A completed upload looks the same after a crash or a lost response, so the
 * caller must look for the object.
 */
async function completeInStore(
  deps: UploadDeps,
  file: FileRecord,
  uploadId: string,
  lease: Lease,
): Promise<{ outcome: 'done' | 'gone' | 'unsure'; cause?: unknown }> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let stored: Awaited<ReturnType<typeof listPlannedParts>>
    try {
      stored = await listPlannedParts(deps, file, uploadId, lease)
    } catch (cause) {
      if (lease.signal.aborted || isAppError(cause)) throw cause
      return { outcome: 'unsure', cause }
    }
    if (stored === null) return { outcome: 'gone' }
    await lease.renew()
    const completion = await deps.store.completeUpload(file.key, uploadId, stored, lease.signal)
    if (completion.outcome !== 'changed') return completion as { outcome: 'done' | 'unsure'; cause?: unknown }
  }
  throw badRequest('Parts keep changing. Upload each part once, then call upload.completeMultipart again.')
}

/**
 * Returns the store's parts if they match the plan, or null if the store does not know the upload.
 * @throws AppError BAD_REQUEST that names the differences
 */
async function listPlannedParts(deps: UploadDeps, file: FileRecord, uploadId: string, lease: Lease) {
  const recording = deps.repo.recordedParts(file.id)
  for (let retries = 0; ; retries++) {
    const listing = deps.store.listParts(file.key, uploadId, lease.signal)
    const [recorded, stored] = await Promise.all([recording, listing])
    const mismatch = stored && partsMismatch(file, stored, recorded)
    if (!mismatch) return stored
    const pauseMs = RELIST_PAUSES_MS[retries]
    if (pauseMs === undefined) throw badRequest(mismatch.message, mismatch.data)
    await sleep(pauseMs, undefined, { signal: lease.signal })
  }
}

/** Aborts a multipart upload and releases its quota. */
export function abortMultipart(deps: UploadDeps, userId: string, fileId: string): Promise<void> {
  return withLease(deps, {
    fileId,
    userId,
    kind: 'multipart',
    settled: (file) => {
      if (file.state === 'ABORTED') return
      if (isStored(file))
        throw badRequest('The file is complete and cannot be aborted. Use files.delete to remove it.')
      throw wrongState(file)
    },
    work: (file, lease) => endMultipart(deps, file, lease),
  })
}

function requirePlanned(file: FileRecord, numbers: number[]): void {
  const beyond = numbers.filter((n) => n > (file.totalParts ?? 0))
  if (beyond.length > 0)
    throw badRequest(
      `This upload has parts 1 to ${file.totalParts}; part ${firstFew(beyond)} is not one of them.`,
    )
}
