'use client'

import type { Client } from '@pigeonhole/client'
import { browserThumbnail, trpcUploadApi } from '@pigeonhole/client/browser'
import type { MimeType } from '@pigeonhole/client/limits'
import { useEffect, useRef } from 'react'
import { useClients } from '../../context/use-clients.ts'
import { type FileItem, useChangeInLists } from '../use-file-queries.ts'

/** A larger file is not loaded a second time for it. */
const MAX_BYTES = 10 * 1024 * 1024

/**
 * Makes the thumbnail of a file that was uploaded without one (by a script, or before there were any). Call what it
 * returns when the preview shows the file: only what its owner looks at is loaded, never a list.
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
      // As in an upload: the list goes on showing the icon of the type, and the next look tries again.
      () => {},
    )
  }
}

async function storeThumbnail(client: Client, { id, mimeType }: FileItem, signal: AbortSignal) {
  // Not from the cache: what `<img>` left there came without the CORS headers that scripts need.
  const response = await fetch(`/files/${id}`, { signal, cache: 'no-store' })
  if (!response.ok) return false
  const webp = await browserThumbnail(await response.blob(), mimeType as MimeType, signal)
  if (!webp || signal.aborted) return false
  // To its end, also when the preview closes meanwhile: the list is to show it.
  await trpcUploadApi(client).setThumbnail(id, webp, new AbortController().signal)
  return true
}
