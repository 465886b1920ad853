'use client'

import { useEffect } from 'react'

const FOCUSABLE =
  'button:not(:disabled), a[href], input:not(:disabled):not([type=hidden]), select, textarea, [tabindex]'

/**
 * Keeps the focus when the element that has it is removed (a row that was deleted, a button that an ended upload does
 * not need): browsers would put it on the body, and a keyboard user would start again at the top of the page.
 */
export function FocusKeeper() {
  useEffect(() => {
    let focused: { element: Element; place: Place[] } | undefined
    const listeners = new AbortController()
    const { signal } = listeners
    addEventListener(
      'focusin',
      ({ target }) => {
        if (target instanceof Element) focused = { element: target, place: placeOf(target) }
      },
      { signal },
    )
    addEventListener(
      'focusout',
      ({ target, relatedTarget }) => {
        // Chromium also says so while an element is being removed: what is gone afterwards is for the observer.
        if (!relatedTarget)
          queueMicrotask(() => {
            if (focused?.element === target && focused.element.isConnected) focused = undefined
          })
      },
      { signal },
    )
    const observer = new MutationObserver(() => {
      if (!focused || focused.element.isConnected) return
      const { place } = focused
      focused = undefined
      if (document.activeElement === document.body) neighbour(place)?.focus({ preventScroll: true })
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      listeners.abort()
      observer.disconnect()
    }
  }, [])
  return null
}

/** An ancestor, and which of its children the focused element was in. */
type Place = { ancestor: Element; index: number }

function placeOf(element: Element): Place[] {
  const place: Place[] = []
  for (
    let child = element, parent = child.parentElement;
    parent;
    child = parent, parent = child.parentElement
  )
    place.push({ ancestor: parent, index: [...parent.children].indexOf(child) })
  return place
}

/** What is nearest to where the focus was: in the same row, else in the row that moved up, else the content. */
function neighbour(place: Place[]): HTMLElement | null {
  for (const { ancestor, index } of place) {
    if (!ancestor.isConnected) continue
    if (ancestor === document.body) break
    const around = [ancestor.children[index], ancestor.children[index - 1], ancestor]
    for (const element of around) {
      const target = element && lastFocusable(element)
      if (target) return target
    }
  }
  return document.getElementById('content')
}

/** The last one: in a row it is the button that deletes or removes, as the one that was pressed. */
function lastFocusable(element: Element): HTMLElement | undefined {
  const inside = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((one) => one.checkVisibility())
  return inside.at(-1) ?? (element.matches(FOCUSABLE) ? (element as HTMLElement) : undefined)
}
