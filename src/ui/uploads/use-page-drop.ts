import { useEffect, useRef, useState } from 'react'
import { type DroppedFiles, filesOfDrop, hasFiles } from './file-picker.ts'

/**
 * Time without dragover events after which a drag has ended. Browsers repeat them at least every 350 ms. They omit
 * dragleave if the pointer leaves the window fast or Escape ends the drag.
 */
const DRAG_ENDED_MS = 600

/** Accepts files dropped anywhere on the page. Returns true while files are dragged over it. */
export function usePageDrop(onFiles: (dropped: DroppedFiles) => void): boolean {
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
    // Without a related target, the pointer has left the window.
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && end(), { signal })
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return
        event.preventDefault()
        end()
        void filesOfDrop(event.dataTransfer).then((dropped) => latestOnFiles.current(dropped))
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
