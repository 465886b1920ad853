import type { UploadContext } from '../engine/upload-context.ts'

/** For making it and for storing it together: the upload waits, so that lists show the file with its thumbnail. */
const TIMEOUT_MS = 10_000

/**
 * Stores a thumbnail of the file that was just uploaded. Whatever fails (a picture that the browser cannot decode, a
 * full quota, a server of an earlier version): the file is uploaded, and lists show the icon of its type.
 */
export async function storeThumbnail(
  { source, mimeType, resources: { makeThumbnail, api }, signal }: UploadContext,
  fileId: string,
): Promise<void> {
  const file = makeThumbnail && source.slice(0, source.size).blob
  if (!file) return
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const ended = new Promise<never>((_, reject) => limit.addEventListener('abort', () => reject(limit.reason)))
  const work = async () => {
    const thumbnail = await makeThumbnail(file, mimeType, limit)
    if (thumbnail && !limit.aborted) await api.setThumbnail(fileId, thumbnail, limit)
  }
  await Promise.race([work(), ended]).catch(() => {})
}
