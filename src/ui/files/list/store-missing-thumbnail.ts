import type { Client } from '@pigeonhole/client'
import { trpcUploadApi } from '@pigeonhole/client/browser'
import { createThumbnail } from '../create-thumbnail.ts'
import type { FileItem } from '../use-file-queries.ts'

/** Creates and stores the thumbnail of a file without one. Returns false if this browser cannot show the file. */
export async function storeMissingThumbnail(
  client: Client,
  { id, mimeType }: FileItem,
  signal: AbortSignal,
): Promise<boolean> {
  // Bypass the cache: responses that `<img>` cached lack the CORS headers that scripts need.
  const response = await fetch(`/files/${id}`, { signal, cache: 'no-store' })
  if (!response.ok) return false
  const webp = await createThumbnail(await response.blob(), mimeType, signal)
  if (!webp || signal.aborted) return false
  // Finish even if the file leaves the screen, so that the list shows the thumbnail.
  await trpcUploadApi(client).setThumbnail(id, webp, new AbortController().signal)
  return true
}
