import { useCallback } from 'react'
import { useClients } from '../context/use-clients.ts'
import type { UnfinishedUpload } from './use-unfinished-uploads.ts'

/** Returns a function that ends an unfinished upload, and forgets it if this browser has stored it. */
export function useDiscardUpload(): (upload: UnfinishedUpload) => Promise<void> {
  const { uploader, client } = useClients()
  return useCallback(
    async ({ entry, fileId }) => {
      if (entry) await uploader.discard(entry)
      else await client.upload.abortMultipart.mutate({ fileId })
    },
    [uploader, client],
  )
}
