'use client'

import { type RefObject, useLayoutEffect, useState } from 'react'

/** How far below the top of the page an element begins, in pixels; follows what changes above it. */
export function useListTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const content = document.getElementById('content') ?? document.body
    const measure = () => {
      if (element.current) setTop(Math.round(element.current.getBoundingClientRect().top + scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(content)
    for (const child of content.firstElementChild?.children ?? []) observer.observe(child)
    return () => observer.disconnect()
  }, [element])
  return top
}
