'use client'

import { useEffect } from 'react'
import { useEngine } from './context.tsx'

/** Asks before the page is closed while bytes are on their way. */
export function LeaveGuard() {
  const { uploader } = useEngine()
  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) => {
      const { starting, uploading, verifying, queued } = uploader.getSnapshot().counts
      if (starting + uploading + verifying + queued > 0) event.preventDefault()
    }
    addEventListener('beforeunload', guard)
    return () => removeEventListener('beforeunload', guard)
  }, [uploader])
  return null
}
