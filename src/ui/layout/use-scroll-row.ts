import { type RefObject, useEffect } from 'react'

/**
 * Keeps the current link of a scrolling row in view, and fades the edges that hide more links. `current` changes with
 * the current link. Give the row the class `scroll-row`.
 */
export function useScrollRow(row: RefObject<HTMLElement | null>, current: string | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another link is current
  useEffect(() => {
    const element = row.current
    if (!element) return
    const fade = () => {
      const before = Math.abs(element.scrollLeft)
      const after = element.scrollWidth - element.clientWidth - before
      element.toggleAttribute('data-before', before > 1)
      element.toggleAttribute('data-after', after > 1)
    }
    // In the middle, so that a long item is not cut off at an edge. Scrolls the links only, never the page.
    const showCurrent = () => {
      const link = element.querySelector<HTMLElement>('[aria-current]')
      if (link) element.scrollLeft = link.offsetLeft + link.offsetWidth / 2 - element.clientWidth / 2
      fade()
    }
    showCurrent()
    element.addEventListener('scroll', fade, { passive: true })
    // Also after the phone is turned, and when a font or the window changes the width.
    const observer = new ResizeObserver(showCurrent)
    for (const resized of [element, ...element.children]) observer.observe(resized)
    return () => {
      element.removeEventListener('scroll', fade)
      observer.disconnect()
    }
  }, [row, current])
}
