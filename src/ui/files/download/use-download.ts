'use client'

import { useRef, useState } from 'react'
import { useTell } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import type { FileItem } from '../use-file-queries.ts'
import { ARCHIVE_MAX_BYTES, ARCHIVE_MAX_FILES } from './archive-limits.ts'

export type Download = {
  /** An archive in the making: how many of its files have arrived. */
  progress: { done: number; total: number } | null
  start(files: FileItem[]): Promise<void>
  cancel(): void
}

/** Downloads files, several as one archive. One archive at a time. */
export function useDownload(): Download {
  const { t, format } = useWords()
  const { announce, notify } = useTell()
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
