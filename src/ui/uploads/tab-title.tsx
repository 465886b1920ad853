import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { useUploads } from '../context/use-uploads.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { unfinishedCount } from './unfinished-count.ts'

const SEPARATOR = ' · '
/**
 * Interval between titles. For each title the browser also redraws its window: with four titles a second, that was half
 * of all drawing during an upload.
 */
const INTERVAL_MS = 2000
/** Prefix that this component added to the page's own title. */
let prefix = ''

/** Shows upload progress in the title of the browser tab, for users of other tabs. */
export function TabTitle() {
  const snapshot = useUploads()
  const { format } = useMessages()
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation sets another title
  useEffect(() => show(prefix), [path])
  return null
}

/** Replaces the page's own title, for a page whose heading has changed. */
export function showPageTitle(title: string): void {
  document.title = `${prefix}${title}${SEPARATOR}Pigeonhole`
}

function show(nextPrefix: string) {
  const pageTitle = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title
  prefix = nextPrefix
  if (document.title !== nextPrefix + pageTitle) document.title = nextPrefix + pageTitle
}
