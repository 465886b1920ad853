import { type RefObject, useEffect, useRef } from 'react'
import { useClients } from '../../context/use-clients.ts'
import { type FileItem, isReady, useChangeInLists } from '../use-file-queries.ts'
import { kindOf } from './file-view.ts'

/** Maximum size of files that are downloaded again for a thumbnail. */
const MAX_BYTES = 10 * 1024 * 1024

/**
 * Creates the thumbnail of a file that was uploaded without one, for example by a script, when `element` is on the
 * screen. Uploads of this page create their own.
 */
export function useMissingThumbnail(file: FileItem, element: RefObject<HTMLElement | null>): void {
  const { client, uploader } = useClients()
  const changeInLists = useChangeInLists()
  const { id, mimeType, size, thumbnailUrl } = file
  const isMissing =
    thumbnailUrl === null && isReady(file) && kindOf(mimeType) !== undefined && size <= MAX_BYTES
  const latest = useRef({ file, client, changeInLists })
  latest.current = { file, client, changeInLists }
  useEffect(() => {
    if (!isMissing) return
    let isOver = false
    let stop = () => {}
    const isOwnUpload = uploader.getSnapshot().uploads.some((upload) => upload.getSnapshot().fileId === id)
    if (isOwnUpload) return
    import('./thumbnail-queue.ts').then(
      ({ createThumbnailWhenSeen }) => {
        if (isOver || !element.current) return
        stop = createThumbnailWhenSeen(element.current, {
          file: latest.current.file,
          client: latest.current.client,
          onStored: () =>
            latest.current.changeInLists((one) =>
              one.id === id ? { ...one, thumbnailUrl: `/files/${id}/thumbnail` } : one,
            ),
        })
      },
      // The next visit tries again.
      () => {},
    )
    return () => {
      isOver = true
      stop()
    }
  }, [isMissing, id, uploader, element])
}
