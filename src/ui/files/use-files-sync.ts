import { useEffect } from 'react'
import { useClients } from '../context/use-clients.ts'
import { filesChannel, useRefreshFiles } from './use-file-queries.ts'

/** Minimum interval between refreshes, because many small uploads can finish every second. */
const REFRESH_MS = 1000
/** The same after an upload starts: it only reserves bytes, and fetching a list takes as long as sending a 5 MB part. */
const STARTED_REFRESH_MS = 3000

/** Absence after which a user who returns to the tab gets the changes of other devices. */
const AWAY_MS = 5000

/**
 * Refreshes the lists and the usage when an upload changes its state, when another tab changes files, and when the user
 * returns to this tab.
 */
export function useFilesSync() {
  const { uploader } = useClients()
  const refresh = useRefreshFiles()
  useEffect(() => {
    const countsOf = () => {
      const { counts, uploads } = uploader.getSnapshot()
      const ended = counts.done + counts.failed + counts.cancelled
      return { all: Object.values(counts).join(), ended, open: uploads.length - ended }
    }
    let previous = countsOf()
    let timer: ReturnType<typeof setTimeout> | undefined
    let dueAt = Number.POSITIVE_INFINITY
    let refreshedAt = Number.NEGATIVE_INFINITY
    const refreshAt = (time: number) => {
      if (dueAt <= time) return
      dueAt = time
      clearTimeout(timer)
      timer = setTimeout(() => {
        dueAt = Number.POSITIVE_INFINITY
        refreshedAt = performance.now()
        refresh()
      }, time - performance.now())
    }
    const unsubscribe = uploader.subscribe(() => {
      const current = countsOf()
      if (current.all === previous.all) return
      const ended = current.ended !== previous.ended || current.open < previous.open
      const now = performance.now()
      refreshAt(ended ? Math.max(now, refreshedAt + REFRESH_MS) : now + STARTED_REFRESH_MS)
      previous = current
    })
    const refreshThisTab = () => refresh({ otherTabs: false })
    filesChannel?.addEventListener('message', refreshThisTab)
    let leftAt = Number.POSITIVE_INFINITY
    function onVisibilityChange() {
      if (document.hidden) leftAt = Date.now()
      else if (Date.now() - leftAt > AWAY_MS) refreshThisTab()
    }
    document.addEventListener('visibilitychange', onVisibilityChange)
    return () => {
      unsubscribe()
      document.removeEventListener('visibilitychange', onVisibilityChange)
      clearTimeout(timer)
      filesChannel?.removeEventListener('message', refreshThisTab)
    }
  }, [uploader, refresh])
}
