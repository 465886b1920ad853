import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import { useSyncExternalStore } from 'react'
import { useClients } from './use-clients.ts'

/** Returns all uploads and their totals, updated at most four times a second. */
export function useUploads(): UploaderSnapshot {
  const { uploader } = useClients()
  return useSyncExternalStore(uploader.subscribe, uploader.getSnapshot, uploader.getSnapshot)
}
