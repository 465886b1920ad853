import type { UploadSource } from '@pigeonhole/client/browser'
import { useCallback } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Returns a function that adds files to the upload queue and announces them. */
export function useAddFiles(): (sources: UploadSource[]) => void {
  const { uploader } = useClients()
  const { announce } = useAnnouncer()
  const { t } = useMessages()
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
