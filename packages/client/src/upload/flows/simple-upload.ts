import { newIdempotencyKey } from '../api/idempotency-key.ts'
import type { SignedUrl } from '../api/upload-api.ts'
import { type UploadContext, withRetries } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import { UrlRejectedError } from '../transport/classify-response.ts'
import { putChunk } from '../transport/put-chunk.ts'
import type { UploadedFile } from '../types.ts'

/** Maximum age of a URL at the start of a PUT, by this clock: the URL expires after 15 minutes. */
const URL_MAX_AGE_MS = 14 * 60_000
/** Number of uploads requested before a rejected URL is final. */
const REQUESTS = 3

/** Sends a simple upload: requestUploadUrl, PUT, confirmUpload. */
export async function uploadSimple(context: UploadContext): Promise<UploadedFile> {
  for (let request = 1; ; request++) {
    const { fileId, ...signed } = await requestUrl(context)
    try {
      await putFile(context, signed, Date.now())
      return await confirm(context, fileId)
    } catch (error) {
      if (!(error instanceof UrlRejectedError)) throw error
      // The server signs one URL per simple upload. If the abort fails, the reservation expires.
      await context.resources.api.abort(fileId, 'simple').catch(() => {})
      await context.on.serverUploadLost()
      if (request >= REQUESTS) throw error.error
    }
  }
}

async function requestUrl(context: UploadContext) {
  const { source, mimeType, resources, options } = context
  const { name: filename, size } = source
  const idempotencyKey = newIdempotencyKey()
  const requested = await withRetries(context, () =>
    resources.api.requestUploadUrl({ ...options, filename, mimeType, size, idempotencyKey }),
  )
  await context.on.serverUpload(requested.fileId, 'simple')
  context.signal.throwIfAborted()
  return requested
}

async function putFile(context: UploadContext, signed: SignedUrl, signedAt: number): Promise<void> {
  context.on.uploading()
  await withRetries(context, (signal, attempt) =>
    context.resources.semaphore.use(async () => {
      if (Date.now() - signedAt > URL_MAX_AGE_MS)
        throw new UrlRejectedError(
          new UploadError('EXPIRED', 'The upload took too long. Start it again.', { retryable: true }),
        )
      await attempt.send(() => attemptPut(context, signed, signal))
    }),
  )
}

async function attemptPut(context: UploadContext, signed: SignedUrl, signal: AbortSignal): Promise<void> {
  const { source, progress, resources } = context
  const attempt = progress.startAttempt()
  try {
    const body = source.slice(0, source.size)
    const { uploadUrl: url, headers } = signed
    const request = { url, headers, body, signal, onProgress: attempt.sent }
    await putChunk(resources.transport, request, resources.limits)
  } catch (error) {
    attempt.failed()
    throw error
  }
  attempt.succeeded(source.size)
}

function confirm(context: UploadContext, fileId: string): Promise<UploadedFile> {
  context.on.verifying()
  return withRetries(context, (signal) => context.resources.api.confirmUpload(fileId, signal))
}
