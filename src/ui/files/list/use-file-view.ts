'use client'

import { useSearchParams } from 'next/navigation'
import { useCallback, useMemo } from 'react'
import { type FileView, formatFileView, parseFileView } from './file-view.ts'

type Change = (part: Partial<FileView>, how?: 'push' | 'replace') => void

/**
 * The view in the address, and how to change it. Next follows `history` without asking the server, so searching works
 * while uploads go on with no network, and the browser's back button undoes it.
 */
export function useFileView(): [FileView, Change] {
  const search = useSearchParams().toString()
  const view = useMemo(() => parseFileView(search), [search])
  const change: Change = useCallback((part, how = 'push') => {
    // What is in the address now, not in a render of before: two changes may follow each other at once.
    const current = parseFileView(location.search)
    const next = formatFileView({ ...current, ...part })
    if (next === formatFileView(current)) return
    history[`${how}State`](null, '', `${location.pathname}${next}`)
  }, [])
  return [view, change]
}
