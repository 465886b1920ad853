import { ask, type Job } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import type { Place } from '../flows/multipart-upload.ts'
import type { UploadedFile } from '../types.ts'

/**
 * begin     nothing to go on with
 * done      the server has the whole file
 * place     an unfinished multipart upload and the parts it has
 */
export type Found = { kind: 'begin' } | { kind: 'done'; file: UploadedFile } | { kind: 'place'; place: Place }

const BEGIN: Found = { kind: 'begin' }

/**
 * What can be gone on with from an earlier run. `wanted`: the caller named this upload, so that a new one
 * would not be what it asked for.
 * @throws UploadError NOT_FOUND, EXPIRED, DIFFERENT_FILE if it is wanted and cannot be had
 */
export async function find(job: Job, fileId: string, wanted: boolean): Promise<Found> {
  const refuse = (code: 'NOT_FOUND' | 'EXPIRED' | 'DIFFERENT_FILE', message: string): Found => {
    if (wanted) throw new UploadError(code, message)
    return BEGIN
  }
  try {
    const status = await ask(job, (signal) => job.api.status(fileId, signal))
    if (status.size !== job.source.size)
      return refuse(
        'DIFFERENT_FILE',
        `This upload is of a file of ${status.size} bytes; the one chosen has ${job.source.size}. Choose the same file.`,
      )
    const { state, partSize, totalParts } = status
    if (state !== 'READY' && state !== 'UPLOADING' && state !== 'PENDING')
      return refuse('EXPIRED', 'This upload has expired or was aborted. Start it again.')
    if (partSize === null || totalParts === null) return await confirmed(job, fileId)
    const parts = { size: status.size, partSize, totalParts }
    const done = new Set((status.uploadedParts ?? []).filter((n) => n <= totalParts))
    await job.on.place(fileId, 'multipart')
    return { kind: 'place', place: { fileId, parts, done } }
  } catch (error) {
    if (error instanceof UploadError && error.code === 'NOT_FOUND')
      return refuse('NOT_FOUND', 'The server knows no such upload of yours. It may have expired.')
    throw error
  }
}

/** A simple upload whose bytes arrived needs only the confirmation; else it gets a place and URL of its own. */
async function confirmed(job: Job, fileId: string): Promise<Found> {
  try {
    return { kind: 'done', file: await ask(job, (signal) => job.api.confirmUpload(fileId, signal)) }
  } catch (error) {
    if (!(error instanceof UploadError) || error.code !== 'BAD_REQUEST') throw error
    await job.api.abandon(fileId, 'simple').catch(() => {})
    return BEGIN
  }
}
