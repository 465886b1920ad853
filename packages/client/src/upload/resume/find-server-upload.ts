import { type UploadContext, withRetries } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import type { ServerUpload } from '../flows/server-upload.ts'
import type { UploadedFile } from '../types.ts'

/**
 * Result of the search:
 * - `none`: nothing to continue
 * - `complete`: the server has the whole file
 * - `unfinished`: a multipart upload and its stored parts
 */
export type FoundUpload =
  | { kind: 'none' }
  | { kind: 'complete'; file: UploadedFile }
  | { kind: 'unfinished'; serverUpload: ServerUpload }

const NONE: FoundUpload = { kind: 'none' }

/**
 * Asks the server what is left of an earlier run. `requested` means that the caller named this upload, so that it
 * must not be replaced by a new one.
 * @throws UploadError NOT_FOUND, EXPIRED, DIFFERENT_FILE if it was requested and cannot be continued
 */
export async function findServerUpload(
  context: UploadContext,
  fileId: string,
  requested: boolean,
): Promise<FoundUpload> {
  const { source, resources } = context
  const none = (code: 'NOT_FOUND' | 'EXPIRED' | 'DIFFERENT_FILE', message: string): FoundUpload => {
    if (requested) throw new UploadError(code, message)
    return NONE
  }
  try {
    const status = await withRetries(context, (signal) => resources.api.status(fileId, signal))
    if (status.size !== source.size)
      return none(
        'DIFFERENT_FILE',
        `The unfinished upload is for a file of ${status.size} bytes, but this file has ${source.size} bytes. Choose the same file.`,
      )
    const { state, partSize, totalParts } = status
    if (state !== 'READY' && state !== 'HELD' && state !== 'UPLOADING' && state !== 'PENDING')
      return none('EXPIRED', 'This upload has expired or was aborted. Start it again.')
    if (partSize === null || totalParts === null) return await confirmOrAbort(context, fileId)
    const parts = { size: status.size, partSize, totalParts }
    const done = new Set((status.uploadedParts ?? []).filter((n) => n <= totalParts))
    const remembered = context.on.serverUpload(fileId, 'multipart')
    return { kind: 'unfinished', serverUpload: { fileId, parts, done, remembered } }
  } catch (error) {
    if (error instanceof UploadError && error.code === 'NOT_FOUND')
      return none('NOT_FOUND', 'Upload not found. It may have expired.')
    throw error
  }
}

/** Confirms a simple upload whose bytes are stored. Aborts one without bytes, so that a new one replaces it. */
async function confirmOrAbort(context: UploadContext, fileId: string): Promise<FoundUpload> {
  const { api } = context.resources
  try {
    const file = await withRetries(context, (signal) => api.confirmUpload(fileId, signal))
    return { kind: 'complete', file }
  } catch (error) {
    if (!(error instanceof UploadError) || error.code !== 'BAD_REQUEST') throw error
    await api.abort(fileId, 'simple').catch(() => {})
    return NONE
  }
}
