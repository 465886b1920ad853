'use client'

import type { UploadSource } from '@pigeonhole/client/browser'
import { useCallback } from 'react'
import { useTell } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'

/** Returns the function that puts files into the upload queue, and says so. */
export function useAddFiles(): (sources: UploadSource[]) => void {
  const { uploader } = useClients()
  const { announce } = useTell()
  const { t } = useWords()
  return useCallback(
    (sources) => {
      for (const source of sources) uploader.upload(source)
      const [first, second] = sources
      if (!first) return
      announce(
        second
          ? t('addFiles.added', { count: sources.length })
          : t('addFiles.addedOne', { name: first.name }),
      )
    },
    [uploader, announce, t],
  )
}
