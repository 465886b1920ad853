import type { PartPlan } from '../../parts.ts'
import { ask, type Job } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import { UploadGone } from '../transport/classify-response.ts'
import type { UploadedFile } from '../types.ts'
import { bytesOf, chooseTotalParts } from './part-plan.ts'
import { PartReports } from './part-reports.ts'
import { sendParts } from './send-parts.ts'

/** How often parts are sent again that the server says are missing or wrong. */
const ROUNDS = 4
/** Completion does not need the reports; it is only tidier after them. */
const REPORT_PATIENCE_MS = 2000

export type Place = { fileId: string; parts: PartPlan; done: Set<number> }

/** initiateMultipart (unless there is a place), the parts, completeMultipart. */
export async function sendMultipart(job: Job, found?: Place): Promise<UploadedFile> {
  const place = found ?? (await begin(job))
  const { parts, done } = place
  job.tally.found(bytesOf(parts, done))
  const reports = new PartReports((n, etag) => job.api.completePart(place.fileId, n, etag))
  for (let round = 1; ; round++) {
    try {
      if (done.size < parts.totalParts) await sendParts(job, place, reports)
    } catch (error) {
      if (error instanceof UploadGone) return whatBecameOf(job, place)
      throw error
    }
    await reports.flush(REPORT_PATIENCE_MS)
    try {
      return await complete(job, place)
    } catch (error) {
      if (!(error instanceof UploadError) || error.partsToSend.length === 0 || round >= ROUNDS) throw error
      for (const n of error.partsToSend) done.delete(n)
      job.tally.found(bytesOf(parts, done))
    }
  }
}

async function begin(job: Job): Promise<Place> {
  const { source } = job
  const totalParts = chooseTotalParts(source.size, job.partBytes)
  const { fileId, partSize } = await ask(job, () =>
    job.api.initiateMultipart({
      filename: source.name,
      mimeType: job.mimeType,
      size: source.size,
      totalParts,
    }),
  )
  await job.on.place(fileId, 'multipart')
  job.persistence.signal.throwIfAborted()
  return { fileId, parts: { size: source.size, partSize, totalParts }, done: new Set() }
}

function complete(job: Job, place: Place): Promise<UploadedFile> {
  job.on.verifying()
  return ask(job, (signal) => job.api.completeMultipart(place.fileId, signal))
}

/** The store does not know the upload: another tab has completed it, or it is over. */
async function whatBecameOf(job: Job, place: Place): Promise<UploadedFile> {
  const status = await ask(job, (signal) => job.api.status(place.fileId, signal))
  const { totalParts } = place.parts
  if (
    status.state === 'READY' ||
    (status.state === 'UPLOADING' && status.uploadedParts?.length === totalParts)
  )
    return complete(job, place)
  await job.on.lost()
  throw new UploadError('EXPIRED', 'The upload has expired or was aborted elsewhere. Start it again.', {
    retryable: true,
  })
}
