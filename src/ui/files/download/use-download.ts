'use client'

import { useRef, useState } from 'react'
import { useTell } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import type { FileItem } from '../use-file-queries.ts'
import { ARCHIVE_MAX_BYTES, ARCHIVE_MAX_FILES, downloadArchive, downloadFile } from './download-files.ts'

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
    const [first, second] = files
    if (!first || running.current) return
    if (!second) {
      downloadFile(first)
      return
    }
    const size = files.reduce((sum, file) => sum + file.size, 0)
    if (files.length > ARCHIVE_MAX_FILES || size > ARCHIVE_MAX_BYTES) {
      notify(t('files.archiveTooLarge', { files: ARCHIVE_MAX_FILES, size: format.bytes(ARCHIVE_MAX_BYTES) }))
      return
    }
    const total = files.length
    const controller = new AbortController()
    running.current = controller
    setProgress({ done: 0, total })
    announce(t('files.preparingArchive', { done: 0, total }))
    try {
      await downloadArchive(files, t('files.archiveName'), {
        signal: controller.signal,
        onProgress: (done) => setProgress({ done, total }),
      })
      announce(t('files.archiveReady', { count: total }))
    } catch (error) {
      if (!controller.signal.aborted) notify(t('files.archiveFailed', { reason: errorText(t, error) }))
      controller.abort()
    }
    running.current = undefined
    setProgress(null)
  }

  return { progress, start, cancel: () => running.current?.abort() }
}
