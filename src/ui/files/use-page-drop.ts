'use client'

import type { UploadSource } from '@pigeonhole/client/browser'
import { useEffect, useRef, useState } from 'react'
import { filesOfDrop, hasFiles } from './file-picker.ts'

/** Accepts files dropped anywhere on the page. Returns whether files are being dragged over it. */
export function usePageDrop(onFiles: (sources: UploadSource[]) => void): boolean {
  const [dragging, setDragging] = useState(false)
  const latestOnFiles = useRef(onFiles)
  latestOnFiles.current = onFiles
  useEffect(() => {
    const listeners = new AbortController()
    const { signal } = listeners
    // Moving to a child fires dragenter on the child before dragleave on its parent: count the depth.
    let depth = 0
    const changeDepth = (by: number) => (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return
      depth = Math.max(0, depth + by)
      setDragging(depth > 0)
    }
    addEventListener('dragenter', changeDepth(1), { signal })
    addEventListener('dragleave', changeDepth(-1), { signal })
    addEventListener(
      'dragover',
      (event) => {
        if (hasFiles(event.dataTransfer)) event.preventDefault()
      },
      { signal },
    )
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return
        event.preventDefault()
        depth = 0
        setDragging(false)
        void filesOfDrop(event.dataTransfer).then((sources) => latestOnFiles.current(sources))
      },
      { signal },
    )
    return () => listeners.abort()
  }, [])
  return dragging
}
