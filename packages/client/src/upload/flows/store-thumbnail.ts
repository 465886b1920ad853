import type { UploadContext } from '../engine/upload-context.ts'

/** Timeout for creating the thumbnail, and again for storing it. The upload waits, so that lists show the thumbnail. */
const TIMEOUT_MS = 10_000

/**
 * Creates a thumbnail of the file. Returns null if that fails or takes too long, for example for an image that the
 * browser cannot decode: lists then show the icon of its type. Never rejects.
 */
export async function makeThumbnail(context: UploadContext): Promise<Blob | null> {
  const { source, mimeType, resources, signal } = context
  const { makeThumbnail: create } = resources
  const file = create && source.slice(0, source.size).blob
  if (!file) return null
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const ended = new Promise<null>((resolve) => limit.addEventListener('abort', () => resolve(null)))
  return Promise.race([create(file, mimeType, limit), ended]).catch(() => null)
}

/** Stores the thumbnail. Ignores failures (quota exceeded, an older server), because the file itself is uploaded. */
export async function storeThumbnail(
  { resources: { api }, signal }: UploadContext,
  fileId: string,
  created: Promise<Blob | null>,
): Promise<void> {
  const thumbnail = await created
  if (!thumbnail || signal.aborted) return
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  await api.setThumbnail(fileId, thumbnail, limit).catch(() => {})
}
