'use client'

import { useEffect } from 'react'
import { useClients } from '../context/use-clients.ts'

/** Warns before the page is closed while uploads are in progress. */
export function UnloadGuard() {
  const { uploader } = useClients()
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      const { starting, uploading, verifying, queued } = uploader.getSnapshot().counts
      if (starting + uploading + verifying + queued > 0) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [uploader])
  return null
}
