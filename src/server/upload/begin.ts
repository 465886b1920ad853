import { planParts } from '@pigeonhole/client/parts'
import type { z } from 'zod'
import { secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { UploadDeps } from './deps.ts'
import { finalKey, stagingKey } from './keys.ts'
import type { NewFile } from './ports.ts'
import { busy, quotaExceeded } from './refusals.ts'
import type { initiateMultipartInput, requestUploadUrlInput } from './schema.ts'
import { SIMPLE_URL_SECONDS } from './url-lifetimes.ts'

/** An initiation that has not finished by then never will; its row is expired soon. */
const INITIATION_SECONDS = 120
const STORE_BOUND_MS = 20_000

/** Reserves quota and signs a PUT to the staging key. */
export async function beginSimple(
  deps: UploadDeps,
  userId: string,
  input: z.output<typeof requestUploadUrlInput>,
) {
  const id = newId()
  const now = deps.clock.now()
  const key = finalKey(userId, id, input.filename)
  // Signed before the row exists: a fault of the credentials reserves nothing. A URL nobody sees does no harm.
  const presigned = await deps.store.presignPut(
    stagingKey(key),
    input.mimeType,
    input.size,
    SIMPLE_URL_SECONDS,
  )
  await reserve(deps, {
    ...input,
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
  return {
    uploadUrl: presigned.url,
    fileId: id,
    key,
    expiresAt: presigned.expiresAt.toISOString(),
    headers: { 'Content-Type': input.mimeType },
  }
}

/**
 * Reserves quota, then begins the upload in the store, then ties the two together. A crash in between leaves
 * a row without an upload id, which expires within minutes, and in the store an upload without parts.
 */
export async function beginMultipart(
  deps: UploadDeps,
  userId: string,
  input: z.output<typeof initiateMultipartInput>,
) {
  const { totalParts, ...file } = input
  const id = newId()
  const now = deps.clock.now()
  const key = finalKey(userId, id, input.filename)
  const plan = planParts(input.size, totalParts)
  await reserve(deps, {
    ...file,
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
  try {
    const uploadId = await deps.store.createUpload(key, input.mimeType, AbortSignal.timeout(STORE_BOUND_MS))
    const expiresAt = secondsAfter(now, deps.settings.multipartTtlSeconds)
    if (!(await deps.repo.attachUpload(id, uploadId, expiresAt))) {
      // The store took so long that the sweeper has given the row up.
      await deps.store.abortUpload(key, uploadId, AbortSignal.timeout(STORE_BOUND_MS))
      throw busy()
    }
    return { fileId: id, uploadId, key, partSize: plan.partSize }
  } catch (error) {
    // Nobody knows the upload id, so nothing can land: the quota is free again at once.
    await deps.repo
      .discard(id, deps.clock.now())
      .catch((cause: unknown) => deps.report('initiation not discarded', { fileId: id, error: cause }))
    throw error
  }
}

async function reserve(deps: UploadDeps, file: NewFile): Promise<void> {
  if (await deps.repo.reserve(file, deps.settings.defaultQuotaBytes)) return
  const usage = await deps.repo.usage(file.userId, deps.settings.defaultQuotaBytes)
  if (!usage) throw new AppError('UNAUTHORIZED', 'The account does not exist any more.')
  throw quotaExceeded(usage, file.size)
}
