'use client'

import { useEffect } from 'react'
import { useClients } from '../context/use-clients.ts'
import { filesChannel, useRefreshFiles } from './use-file-queries.ts'

/** Many small uploads finish every second: fetch the list at most once a second. */
const REFRESH_MS = 1000
/** One that begins only reserves bytes, and its first seconds are busy: a list takes as long as a part of 5 MB. */
const BEGUN_REFRESH_MS = 3000

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
    const countsOf = () => {
      const { counts, uploads } = uploader.getSnapshot()
      const ended = counts.done + counts.failed + counts.cancelled
      return { all: Object.values(counts).join(), ended, open: uploads.length - ended }
    }
    let previous = countsOf()
    let timer: ReturnType<typeof setTimeout> | undefined
    let dueAt = Number.POSITIVE_INFINITY
    const refreshWithin = (ms: number) => {
      if (dueAt <= performance.now() + ms) return
      dueAt = performance.now() + ms
      clearTimeout(timer)
      timer = setTimeout(() => {
        dueAt = Number.POSITIVE_INFINITY
        refresh()
      }, ms)
    }
    const unsubscribe = uploader.subscribe(() => {
      const current = countsOf()
      if (current.all === previous.all) return
      const ended = current.ended !== previous.ended || current.open < previous.open
      refreshWithin(ended ? REFRESH_MS : BEGUN_REFRESH_MS)
      previous = current
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
