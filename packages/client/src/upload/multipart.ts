import type { PartPlan } from '../parts.ts'
import { UploadError } from './errors.ts'
import { ask, type Job } from './job.ts'
import { PartReports } from './part-reports.ts'
import { bytesOf, chooseTotalParts } from './plan.ts'
import { sendParts } from './send-parts.ts'
import { UploadGone } from './store-answer.ts'
import type { UploadedFile } from './types.ts'

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
      if (!(error instanceof UploadError) || error.code !== 'BAD_REQUEST' || round >= ROUNDS) throw error
      const again = await missing(job, place, error.message)
      if (again.length === 0) throw error
      for (const n of again) done.delete(n)
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

/**
 * Which parts to send again after a refused completion: what the server does not list, and what its message
 * names ("Parts missing in the object store: 3, 4."), since parts that were reported but are not there are listed.
 */
async function missing(job: Job, place: Place, message: string): Promise<number[]> {
  const { totalParts } = place.parts
  const status = await ask(job, (signal) => job.api.status(place.fileId, signal))
  if (status.state !== 'UPLOADING') return []
  const there = new Set(status.uploadedParts ?? [])
  const again = new Set(namedParts(message).filter((n) => n <= totalParts))
  for (let n = 1; n <= totalParts; n++) if (!there.has(n)) again.add(n)
  return [...again]
}

export function namedParts(message: string): number[] {
  return [...message.matchAll(/\bparts?\b[^:.]*:\s*(\d+(?:,\s*\d+)*)/gi)].flatMap((found) =>
    found[1]!.split(',').map(Number),
  )
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
