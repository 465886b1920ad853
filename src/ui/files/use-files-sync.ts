'use client'

import { useEffect } from 'react'
import { useClients } from '../context/use-clients.ts'
import { FILES_CHANNEL, useRefreshFiles } from './use-file-queries.ts'

/** Many small uploads finish every second: fetch the list at most once a second. */
const REFRESH_MS = 1000

/** Refreshes the list and the usage when an upload changes its state, and when another tab has changed the files. */
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
    const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(FILES_CHANNEL)
    if (channel) channel.onmessage = () => refresh({ otherTabs: false })
    return () => {
      unsubscribe()
      clearTimeout(timer)
      channel?.close()
    }
  }, [uploader, refresh])
}
