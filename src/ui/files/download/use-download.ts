import { useRef, useState } from 'react'
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { FileItem } from '../use-file-queries.ts'

/** Maximum size of an archive. Browsers keep the whole archive until it is saved. */
const ARCHIVE_MAX_BYTES = 2 * 1024 ** 3
/** Maximum files in an archive, so that it is complete within minutes. */
const ARCHIVE_MAX_FILES = 1000

type Download = {
  /** Number of files that have arrived, while an archive is being created. */
  progress: { done: number; total: number } | null
  start(files: FileItem[]): Promise<void>
  cancel(): void
}

/** Downloads files, several as one archive. Only one archive at a time. */
export function useDownload(): Download {
  const { t, format } = useMessages()
  const { announce, notify } = useAnnouncer()
  const [progress, setProgress] = useState<Download['progress']>(null)
  const running = useRef<AbortController>(undefined)

  async function start(files: FileItem[]) {
    if (files.length === 0 || running.current) return
    const size = files.reduce((sum, file) => sum + file.size, 0)
    if (files.length > ARCHIVE_MAX_FILES || size > ARCHIVE_MAX_BYTES) {
      notify(t('files.archiveTooLarge', { files: ARCHIVE_MAX_FILES, size: format.bytes(ARCHIVE_MAX_BYTES) }))
      return
    }
    const total = files.length
    const controller = new AbortController()
    running.current = controller
    setProgress({ done: 0, total })
    if (total > 1) announce(t('files.preparingArchive', { done: 0, total }))
    try {
      const { downloadArchive, downloadFile } = await import('./download-files.ts')
      if (total === 1) downloadFile(files[0]!)
      else
        await downloadArchive(files, t('files.archiveName'), {
          signal: controller.signal,
          onProgress: (done) => setProgress({ done, total }),
        })
      if (total > 1) announce(t('files.archiveReady', { count: total }))
    } catch (error) {
      if (!controller.signal.aborted) notify(t('files.archiveFailed', { reason: errorText(t, error) }))
      controller.abort()
    }
    running.current = undefined
    setProgress(null)
  }

  return { progress, start, cancel: () => running.current?.abort() }
}
