import { useSearchParams } from 'next/navigation'
import { useCallback, useMemo } from 'react'
import { type FileView, formatFileView, parseFileView } from './file-view.ts'

type Change = (part: Partial<FileView>, how?: 'push' | 'replace') => void

/**
 * Returns the view in the address and a function that changes it. Next follows `history` without asking the server, so
 * a search does not disturb uploads that wait for the network, and the back button undoes it.
 */
export function useFileView(): [FileView, Change] {
  const search = useSearchParams().toString()
  const view = useMemo(() => parseFileView(search), [search])
  const change: Change = useCallback((part, how = 'push') => {
    // Read the current address rather than the last rendered one, because two changes can follow each other at once.
    const current = parseFileView(location.search)
    const next = formatFileView({ ...current, ...part })
    if (next === formatFileView(current)) return
    history[`${how}State`](null, '', `${location.pathname}${next}`)
  }, [])
  return [view, change]
}
