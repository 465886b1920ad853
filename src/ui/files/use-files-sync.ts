'use client'

import { useEffect } from 'react'
import { useClients } from '../context/use-clients.ts'
import { filesChannel, useRefreshFiles } from './use-file-queries.ts'

/** Many small uploads finish every second: fetch the list at most once a second. */
const REFRESH_MS = 1000

/** Whoever comes back to the tab after so long sees what other devices did meanwhile. */
const AWAY_MS = 5000

/**
 * Refreshes the lists and the usage when an upload changes its state, when another tab has changed the files, and when
 * the user comes back to this one.
 */
export function useFilesSync() {
  const { uploader } = useClients()
  const refresh = useRefreshFiles()
  useEffect(() => {
    const stateCounts = () => Object.values(uploader.getSnapshot().counts).join()
    let previous = stateCounts()
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = uploader.subscribe(() => {
      const current = stateCounts()
      if (current === previous) return
      previous = current
      timer ??= setTimeout(() => {
        timer = undefined
        refresh()
      }, REFRESH_MS)
    })
    const changedElsewhere = () => refresh({ otherTabs: false })
    filesChannel?.addEventListener('message', changedElsewhere)
    let leftAt = Number.POSITIVE_INFINITY
    function comeBack() {
      if (document.hidden) leftAt = Date.now()
      else if (Date.now() - leftAt > AWAY_MS) refresh({ otherTabs: false })
    }
    document.addEventListener('visibilitychange', comeBack)
    return () => {
      unsubscribe()
      document.removeEventListener('visibilitychange', comeBack)
      clearTimeout(timer)
      filesChannel?.removeEventListener('message', changedElsewhere)
    }
  }, [uploader, refresh])
}
