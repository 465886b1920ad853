import { useEffect, useRef, useState } from 'react'
import { type DroppedFiles, filesOfDrop, hasFiles } from './file-picker.ts'

/**
 * Time without dragover events after which a drag has ended. Browsers repeat them at least every 350 ms. They omit
 * dragleave if the pointer leaves the window fast or Escape ends the drag.
 */
const DRAG_ENDED_MS = 600

/**
 * Time without dragover events after which a drag that seems to have left the window has left it. Some versions of Safari
 * report the same when the pointer moves between elements.
 */
const DRAG_LEFT_MS = 100

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
      hitOnlyRoot(false)
      setDragging(false)
    }
    function endIn(ms: number) {
      clearTimeout(timer)
      timer = setTimeout(end, ms)
    }
    function over(event: DragEvent) {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      endIn(DRAG_ENDED_MS)
      hitOnlyRoot(true)
      setDragging(true)
    }
    addEventListener('dragenter', over, { signal })
    addEventListener('dragover', over, { signal })
    // Without a related target, the pointer has left the window.
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && endIn(DRAG_LEFT_MS), {
      signal,
    })
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
      hitOnlyRoot(false)
    }
  }, [])
  return dragging
}

/**
 * Makes the root element the target of all drag events. Chromium sends a drop to the target of the last dragover, and loses
 * it if the page has replaced that element meanwhile. Frames would take the drop for themselves.
 */
function hitOnlyRoot(on: boolean): void {
  document.documentElement.toggleAttribute('data-dragging', on)
}
