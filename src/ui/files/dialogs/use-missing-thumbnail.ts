import type { Client } from '@pigeonhole/client'
import { browserThumbnail, trpcUploadApi } from '@pigeonhole/client/browser'
import { useEffect, useRef } from 'react'
import { useClients } from '../../context/use-clients.ts'
import { type FileItem, useChangeInLists } from '../use-file-queries.ts'

/** Maximum size of files that are downloaded again for a thumbnail. */
const MAX_BYTES = 10 * 1024 * 1024

/**
 * Returns a function that creates the thumbnail of a file that was uploaded without one, for example by a script. Call
 * it when the preview shows the file, so that only files that their owner opens are downloaded.
 */
export function useMissingThumbnail(file: FileItem): () => void {
  const { client } = useClients()
  const changeInLists = useChangeInLists()
  const shown = useRef<AbortController>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    shown.current = controller
    return () => controller.abort()
  }, [])
  return () => {
    const signal = shown.current?.signal
    if (!signal || file.thumbnailUrl !== null || file.size > MAX_BYTES) return
    storeThumbnail(client, file, signal).then(
      (isStored) => {
        if (!isStored) return
        const thumbnailUrl = `/files/${file.id}/thumbnail`
        changeInLists((other) => (other.id === file.id ? { ...other, thumbnailUrl } : other))
      },
      // As in an upload, the list keeps showing the type's icon. The next preview tries again.
      () => {},
    )
  }
}

async function storeThumbnail(client: Client, { id, mimeType }: FileItem, signal: AbortSignal) {
  // Bypass the cache: responses that `<img>` cached lack the CORS headers that scripts need.
  const response = await fetch(`/files/${id}`, { signal, cache: 'no-store' })
  if (!response.ok) return false
  const webp = await browserThumbnail(await response.blob(), mimeType, signal)
  if (!webp || signal.aborted) return false
  // Finish even if the preview closes, so that the list shows the thumbnail.
  await trpcUploadApi(client).setThumbnail(id, webp, new AbortController().signal)
  return true
}
