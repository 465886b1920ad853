'use client'

import type { UploadSource } from '@pigeonhole/client/browser'
import { useEffect, useRef, useState } from 'react'
import { filesOfDrop, hasFiles } from './file-picker.ts'

/**
 * Browsers repeat dragover every 350 ms at most. When it stops, the drag is over, whatever the browser said: dragleave
 * is missing when the pointer leaves the window fast, and when Escape ends the drag.
 */
const DRAG_ENDED_MS = 600

/** Accepts files dropped anywhere on the page. Returns whether files are being dragged over it. */
export function usePageDrop(onFiles: (sources: UploadSource[]) => void): boolean {
  const [dragging, setDragging] = useState(false)
  const latestOnFiles = useRef(onFiles)
  latestOnFiles.current = onFiles
  useEffect(() => {
    const listeners = new AbortController()
    const { signal } = listeners
    let timer: ReturnType<typeof setTimeout> | undefined
    function end() {
      clearTimeout(timer)
      setDragging(false)
    }
    function over(event: DragEvent) {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      clearTimeout(timer)
      timer = setTimeout(end, DRAG_ENDED_MS)
      setDragging(true)
    }
    addEventListener('dragenter', over, { signal })
    addEventListener('dragover', over, { signal })
    // The pointer has left the window.
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && end(), { signal })
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return
        event.preventDefault()
        end()
        void filesOfDrop(event.dataTransfer).then((sources) => latestOnFiles.current(sources))
      },
      { signal },
    )
    return () => {
      listeners.abort()
      clearTimeout(timer)
    }
  }, [])
  return dragging
}
