import type { SignedUrl } from '../api/upload-api.ts'
import { persist } from '../engine/retry.ts'
import { ask, type Job } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import { UrlRefused } from '../transport/classify-response.ts'
import { put } from '../transport/put-chunk.ts'
import type { UploadedFile } from '../types.ts'

/** URLs live 15 minutes; one that old is not begun with. By our own clock's difference. */
const URL_MAX_AGE_MS = 14 * 60_000
/** How often a new place is asked for when the URL of the last one was refused. */
const PLACES = 3

/** requestUploadUrl, PUT, confirmUpload. */
export async function sendSimple(job: Job): Promise<UploadedFile> {
  for (let place = 1; ; place++) {
    const { fileId, ...signed } = await begin(job)
    try {
      await putFile(job, signed, Date.now())
      return await confirm(job, fileId)
    } catch (error) {
      if (!(error instanceof UrlRefused)) throw error
      // There is no second URL for the same place; the old one gives its quota back by itself.
      await job.api.abandon(fileId, 'simple').catch(() => {})
      await job.on.lost()
      if (place >= PLACES) throw error.error
    }
  }
}

async function begin(job: Job) {
  const { source, mimeType: mime } = job
  const place = await ask(job, () =>
    job.api.requestUploadUrl({ filename: source.name, mimeType: mime, size: source.size }),
  )
  await job.on.place(place.fileId, 'simple')
  job.persistence.signal.throwIfAborted()
  return place
}

async function putFile(job: Job, signed: SignedUrl, signedAt: number): Promise<void> {
  job.on.uploading()
  await persist(job.persistence, (signal) =>
    job.slots.use(async () => {
      if (Date.now() - signedAt > URL_MAX_AGE_MS)
        throw new UrlRefused(new UploadError('EXPIRED', 'The upload took too long.', { retryable: true }))
      await attempt(job, signed, signal)
    }),
  )
}

async function attempt(job: Job, signed: SignedUrl, signal: AbortSignal): Promise<void> {
  const { source, tally, transport, limits } = job
  const piece = tally.begin()
  try {
    const body = source.slice(0, source.size)
    const { uploadUrl: url, headers } = signed
    await put(transport, { url, headers, body, signal, onProgress: piece.sent }, limits)
  } catch (error) {
    piece.failed()
    throw error
  }
  piece.arrived(source.size)
}

function confirm(job: Job, fileId: string): Promise<UploadedFile> {
  job.on.verifying()
  return ask(job, (signal) => job.api.confirmUpload(fileId, signal))
}
