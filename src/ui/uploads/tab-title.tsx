'use client'

import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import { useUploads } from '../context/use-uploads.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { unfinishedCount } from './unfinished-count.ts'

const SEPARATOR = ' · '
/** What this component has put before the page's own title. */
let prefix = ''

/** Shows the progress of the uploads in the title of the browser's tab, for those who look at another one. */
export function TabTitle() {
  const snapshot = useUploads()
  const { format } = useWords()
  const path = usePathname()
  const { size, bytesSent } = snapshot
  const unfinished = unfinishedCount(snapshot)
  const wanted =
    unfinished === 0 || size === 0
      ? ''
      : `${format.percent(Math.floor((bytesSent / size) * 100) / 100)}${SEPARATOR}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation writes another title
  useEffect(() => {
    const own = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title
    prefix = wanted
    if (document.title !== wanted + own) document.title = wanted + own
  }, [wanted, path])
  return null
}
