import { setTimeout as sleep } from 'node:timers/promises'
import { partLength, planParts } from '@pigeonhole/client/parts'
import type { z } from 'zod'
import { secondsAfter } from '../clock.ts'
import { AppError, isAppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { LATE_PUT_SECONDS } from './cleanup.ts'
import { inspectObject, objectMismatch } from './content-mismatch.ts'
import { endMultipart, removeNow } from './deletion.ts'
import { badRequest, busy, notFound, requireKind, tooManyParts, wrongState } from './errors.ts'
import { type FinishedUpload, finishedUpload } from './file-url.ts'
import { finalKey } from './keys.ts'
import { type Lease, LeaseLost, withLease } from './lease.ts'
import type { FileRecord, StoredPart, UploadDeps } from './ports.ts'
import { reserveQuota } from './quota.ts'
import type { completePartInput, initiateMultipartInput, partUrlsInput } from './schema.ts'
import { firstFew, partsMismatch, planOf } from './stored-parts.ts'

/** How long the presigned PUT of a part is valid (docs/spec.md). */
const PART_URL_SECONDS = 60 * 60
/** An initiation that takes longer has crashed; its row expires then. */
const INITIATION_SECONDS = 120
const STORE_TIMEOUT_MS = 20_000
const POLL_MS = 100
/** How often a completion lists the parts again because some were replaced in between. */
const MAX_ROUNDS = 3
/** Before parts are said to be missing or wrong, they are listed again after these pauses: listings lag on Swift. */
const LOOK_AGAIN_MS = [150, 300, 600]

const GONE =
  'The object store no longer has this upload, nor a finished file. Start a new upload with upload.initiateMultipart.'

/**
 * Reserves quota, creates the upload in the store, then writes its id to the row. A crash in between leaves a
 * row without an upload id, which expires within minutes, and in the store an upload without parts.
 */
export async function initiateMultipart(
  deps: UploadDeps,
  userId: string,
  input: z.output<typeof initiateMultipartInput>,
) {
  const { totalParts, idempotencyKey = null, ...file } = input
  if (totalParts > deps.settings.maxParts) throw tooManyParts(deps.settings.maxParts)
  const id = newId()
  const now = deps.clock.now()
  const key = finalKey(userId, id, input.filename)
  const plan = planParts(input.size, totalParts)
  const earlier = await reserveQuota(deps, {
    ...file,
    idempotencyKey,
    id,
    userId,
    key,
    state: 'UPLOADING',
    totalParts,
    partSize: plan.partSize,
    urlExpiresAt: null,
    expiresAt: secondsAfter(now, Math.min(INITIATION_SECONDS, deps.settings.multipartTtlSeconds)),
    createdAt: now,
  })
  if (earlier) return initiatedEarlier(deps, earlier)
  try {
    const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS)
    const uploadId = await deps.store.createUpload(key, input.mimeType, timeout)
    const expiresAt = secondsAfter(now, deps.settings.multipartTtlSeconds)
    if (!(await deps.repo.attachUpload(id, uploadId, expiresAt))) {
      // The store took so long that the sweeper has expired the row.
      await deps.store.abortUpload(key, uploadId, AbortSignal.timeout(STORE_TIMEOUT_MS))
      throw busy()
    }
    return { fileId: id, uploadId, key, partSize: plan.partSize }
  } catch (error) {
    // No client knows the upload id, so no part can arrive: the quota is released at once.
    await deps.repo
      .abandonInitiation(id, deps.clock.now())
      .catch((cause: unknown) => deps.report('initiation not abandoned', { fileId: id, error: cause }))
    throw error
  }
}

/**
 * The answer of an earlier call with the same idempotency key, which may still wait for the store. If that call
 * crashed, its row expires within minutes, and the key is free again.
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
export async function getPartUrls(deps: UploadDeps, userId: string, input: z.output<typeof partUrlsInput>) {
  const file = await uploadInProgress(deps, userId, input.fileId)
  requirePlanned(file, input.partNumbers)
  if (!file.uploadId) throw badRequest('The upload has not begun yet. Try again in a moment.')
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

/** Records what the client says; only completion asks the store. */
export async function completePart(
  deps: UploadDeps,
  userId: string,
  { fileId, partNumber, etag }: z.output<typeof completePartInput>,
) {
  if (!isId(fileId)) throw notFound()
  const recorded = await deps.repo.recordPart(fileId, userId, partNumber, etag)
  if (recorded) return { success: true as const, uploadedParts: recorded }

  const file = await deps.repo.find(fileId, userId)
  if (!file) throw notFound()
  requireKind(file, 'multipart')
  requirePlanned(file, [partNumber])
  // A repeated call, after the file was completed in between.
  if (file.state === 'READY') {
    const parts = await deps.repo.recordedParts(file.id)
    if (parts.get(partNumber) === etag)
      return { success: true as const, uploadedParts: [...parts.keys()].sort((a, b) => a - b) }
  }
  throw wrongState(file, 'part')
}

/** Lists the store's parts, completes them, checks the object, and only then marks the file READY. */
export function completeMultipart(deps: UploadDeps, userId: string, fileId: string): Promise<FinishedUpload> {
  return withLease(deps, {
    fileId,
    userId,
    state: 'UPLOADING',
    check: (file) => requireKind(file, 'multipart'),
    settled: (file) => {
      if (file.state === 'READY') return finishedUpload(deps.urls, file)
      throw wrongState(file, 'complete')
    },
    work: (file, lease) => complete(deps, file, lease),
  })
}

async function complete(deps: UploadDeps, file: FileRecord, lease: Lease): Promise<FinishedUpload> {
  const { store } = deps
  if (!file.uploadId) throw badRequest('The upload has not begun yet. Upload its parts first.')
  const completion = await completeInStore(deps, file, file.uploadId, lease)

  const object = await inspectObject(deps, file.key, lease.signal)
  if (!object) {
    if (completion.outcome === 'gone') {
      if (await store.isUploadListed(file.key, file.uploadId, lease.signal))
        throw new Error('the store lists the upload and says that there is none')
      return reject(deps, file, lease, GONE)
    }
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      'The object store has not finished putting the parts together. Call upload.completeMultipart again in a moment.',
      { cause: completion.cause ?? new Error('completed, but no object') },
    )
  }
  const mismatch = await objectMismatch(deps, file, object)
  if (mismatch) return reject(deps, file, lease, mismatch)
  const ready = { etag: object.etag, at: deps.clock.now(), cleanupAfter: null }
  if (!(await deps.repo.markReady(file.id, lease.id, ready))) throw new LeaseLost()
  return finishedUpload(deps.urls, file)
}

/**
 * `gone`: the store does not know the upload. A completed upload looks the same after a crash or a lost
 * answer, so the caller has to look for the object.
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
 * The parts in the store, if they are the planned ones; null: the store does not know the upload.
 * @throws AppError BAD_REQUEST that says what differs
 */
async function listPlannedParts(
  deps: UploadDeps,
  file: FileRecord,
  uploadId: string,
  lease: Lease,
): Promise<StoredPart[] | null> {
  const recording = deps.repo.recordedParts(file.id)
  for (let looks = 0; ; looks++) {
    const listing = deps.store.listParts(file.key, uploadId, lease.signal)
    const [recorded, stored] = await Promise.all([recording, listing])
    const mismatch = stored && partsMismatch(file, stored, recorded)
    if (!mismatch) return stored
    const pauseMs = LOOK_AGAIN_MS[looks]
    if (pauseMs === undefined) throw badRequest(mismatch.message, mismatch.data)
    await sleep(pauseMs, undefined, { signal: lease.signal })
  }
}

/** The upload has become an object: once that is removed, nothing more can arrive. */
async function reject(deps: UploadDeps, file: FileRecord, lease: Lease, reason: string): Promise<never> {
  const now = deps.clock.now()
  const ending = {
    state: 'REJECTED' as const,
    rejectReason: reason,
    at: now,
    cleanupAfter: now,
    release: false,
  }
  if (!(await deps.repo.markEnded(file.id, lease.id, ending))) throw new LeaseLost()
  // If the object cannot be removed now, the quota stays reserved until the sweeper has removed it.
  if (await removeNow(deps, file, [file.key]))
    await deps.repo.releaseQuota(file.id, secondsAfter(now, LATE_PUT_SECONDS))
  throw badRequest(reason)
}

/** Aborts a multipart upload and releases its quota. */
export function abortMultipart(deps: UploadDeps, userId: string, fileId: string) {
  const success = { success: true as const }
  return withLease(deps, {
    fileId,
    userId,
    state: 'UPLOADING',
    check: (file) => requireKind(file, 'multipart'),
    settled: (file) => {
      if (file.state === 'ABORTED') return success
      throw wrongState(file, 'abort')
    },
    work: async (file, lease) => {
      await endMultipart(deps, file, lease)
      return success
    },
  })
}

async function uploadInProgress(deps: UploadDeps, userId: string, fileId: string): Promise<FileRecord> {
  const file = isId(fileId) ? await deps.repo.find(fileId, userId) : null
  if (!file) throw notFound()
  requireKind(file, 'multipart')
  if (file.state !== 'UPLOADING') throw wrongState(file, 'part')
  return file
}

function requirePlanned(file: FileRecord, numbers: number[]): void {
  const beyond = numbers.filter((n) => n > (file.totalParts ?? 0))
  if (beyond.length > 0)
    throw badRequest(`This upload has parts 1 to ${file.totalParts}; there is no part ${firstFew(beyond)}.`)
}
