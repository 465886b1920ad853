import type { UploadContext } from '../engine/upload-context.ts'

/** For making it, and again for storing it: the upload waits, so that lists show the file with its thumbnail. */
const TIMEOUT_MS = 10_000

/**
 * A thumbnail of the file that is being uploaded; null where none can be made, or not in time (a picture that the
 * browser cannot decode): lists then show the icon of its type. Never rejects.
 */
export async function makeThumbnail(context: UploadContext): Promise<Blob | null> {
  const { source, mimeType, resources, signal } = context
  const { makeThumbnail: make } = resources
  const file = make && source.slice(0, source.size).blob
  if (!file) return null
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const ended = new Promise<null>((resolve) => limit.addEventListener('abort', () => resolve(null)))
  return Promise.race([make(file, mimeType, limit), ended]).catch(() => null)
}

/** Stores the thumbnail. Whatever fails (a full quota, a server of an earlier version): the file is uploaded. */
export async function storeThumbnail(
  { resources: { api }, signal }: UploadContext,
  fileId: string,
  made: Promise<Blob | null>,
): Promise<void> {
  const thumbnail = await made
  if (!thumbnail || signal.aborted) return
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  await api.setThumbnail(fileId, thumbnail, limit).catch(() => {})
}
