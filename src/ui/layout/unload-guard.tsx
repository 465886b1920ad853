'use client'

import { useEffect } from 'react'
import { useClients } from '../context/use-clients.ts'
import { unfinishedCount } from '../uploads/unfinished-count.ts'
import { isLeaving } from './leave-page.ts'

/** Warns before the page is closed while uploads are in progress, waiting or paused. */
export function UnloadGuard() {
  const { uploader } = useClients()
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (!isLeaving() && unfinishedCount(uploader.getSnapshot()) > 0) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [uploader])
  return null
}
