import { bytesOf } from '../../parts.ts'
import { newIdempotencyKey } from '../api/idempotency-key.ts'
import type { UploadRules } from '../api/upload-api.ts'
import { type UploadContext, withRetries } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import { UploadGoneError } from '../transport/classify-response.ts'
import type { UploadedFile } from '../types.ts'
import { chooseTotalParts } from './choose-flow.ts'
import { PartReports } from './part-reports.ts'
import { sendParts } from './send-parts.ts'
import type { ServerUpload } from './server-upload.ts'

/** Maximum number of rounds. Each one after the first sends parts again that the server reports as missing or wrong. */
const ROUNDS = 4

/** Sends the parts of a multipart upload, new or continued, and completes it. */
export async function uploadMultipart(context: UploadContext, upload: ServerUpload): Promise<UploadedFile> {
  try {
    return await sendAndComplete(context, upload)
  } finally {
    // Wait, so that the record of a failed or canceled upload is removed only after it was saved.
    await upload.remembered
  }
}

async function sendAndComplete(context: UploadContext, upload: ServerUpload): Promise<UploadedFile> {
  const { api } = context.resources
  const { parts, done } = upload
  context.progress.setStored(bytesOf(parts, done))
  const reports = new PartReports((n, etag) => api.completePart(upload.fileId, n, etag))
  for (let round = 1; ; round++) {
    try {
      if (done.size < parts.totalParts) await sendParts(context, upload, reports)
    } catch (error) {
      if (error instanceof UploadGoneError) return completeOrExpire(context, upload)
      throw error
    }
    // Do not wait: completion asks the store.
    reports.flush()
    try {
      return await complete(context, upload)
    } catch (error) {
      if (!(error instanceof UploadError) || error.partsToSend.length === 0 || round >= ROUNDS) throw error
      for (const n of error.partsToSend) done.delete(n)
      context.progress.setStored(bytesOf(parts, done))
    }
  }
}

/** `rules`: those of the upload's policy. */
export async function initiateMultipart(
  context: UploadContext,
  rules: UploadRules | undefined,
): Promise<ServerUpload> {
  const { source, mimeType, resources, options } = context
  const { name: filename, size } = source
  const storeMaxParts = rules && Math.ceil(rules.maxMultipartBytes / rules.partBytes)
  const totalParts = chooseTotalParts(size, resources.partBytes, storeMaxParts)
  const idempotencyKey = newIdempotencyKey()
  const { fileId, partSize } = await withRetries(context, () =>
    resources.api.initiateMultipart({ ...options, filename, mimeType, size, totalParts, idempotencyKey }),
  )
  const remembered = context.on.serverUpload(fileId, 'multipart')
  return { fileId, parts: { size, partSize, totalParts }, done: new Set(), remembered }
}

function complete(context: UploadContext, { fileId }: ServerUpload): Promise<UploadedFile> {
  context.on.verifying()
  return withRetries(context, (signal) => context.resources.api.completeMultipart(fileId, signal))
}

/** Completes the upload if another tab has sent it; throws if it was aborted or has expired. */
async function completeOrExpire(context: UploadContext, upload: ServerUpload): Promise<UploadedFile> {
  const { api } = context.resources
  const { state, uploadedParts } = await withRetries(context, (signal) => api.status(upload.fileId, signal))
  const allStored = state === 'UPLOADING' && uploadedParts?.length === upload.parts.totalParts
  if (state === 'READY' || state === 'HELD' || allStored) return complete(context, upload)
  await context.on.serverUploadLost()
  throw new UploadError('EXPIRED', 'The upload has expired or was aborted elsewhere. Start it again.', {
    retryable: true,
  })
}
