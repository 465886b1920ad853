'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { useUploads } from '../context/use-uploads.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { unfinishedCount } from './unfinished-count.ts'

const SEPARATOR = ' · '
/**
 * For each title the browser lays out and draws its own window, besides the page: with four a second that was half of
 * all that was drawn during an upload.
 */
const INTERVAL_MS = 2000
/** What this component has put before the page's own title. */
let prefix = ''

/** Shows the progress of the uploads in the title of the browser's tab, for those who look at another one. */
export function TabTitle() {
  const snapshot = useUploads()
  const { format } = useWords()
  const path = usePathname()
  const { size, bytesSent } = snapshot
  const active = size > 0 && unfinishedCount(snapshot) > 0
  const latest = useRef('')
  useEffect(() => {
    latest.current = active ? `${format.percent(Math.floor((bytesSent / size) * 100) / 100)}${SEPARATOR}` : ''
  })
  useEffect(() => {
    if (!active) return
    const timer = setInterval(() => show(latest.current), INTERVAL_MS)
    return () => {
      clearInterval(timer)
      show('')
    }
  }, [active])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation writes another title
  useEffect(() => show(prefix), [path])
  return null
}

function show(wanted: string) {
  const own = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title
  prefix = wanted
  if (document.title !== wanted + own) document.title = wanted + own
}
