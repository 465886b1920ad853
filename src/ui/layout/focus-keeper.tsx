import { useEffect } from 'react'

const FOCUSABLE =
  'button:not(:disabled), a[href], input:not(:disabled):not([type=hidden], [hidden]), select, textarea, [tabindex]'

/**
 * Moves the focus to the nearest control when the focused element is removed, such as a deleted row. Browsers would move
 * it to the body, and keyboard users would start over at the top of the page.
 */
export function FocusKeeper() {
  useEffect(() => {
    let focused: { element: Element; ancestors: Ancestor[] } | undefined
    const listeners = new AbortController()
    const { signal } = listeners
    addEventListener(
      'focusin',
      ({ target }) => {
        if (target instanceof Element) focused = { element: target, ancestors: ancestorsOf(target) }
      },
      { signal },
    )
    addEventListener(
      'focusout',
      ({ target, relatedTarget }) => {
        // Chromium fires this during a removal too. Forget only elements that stay; the observer handles the others.
        if (!relatedTarget)
          queueMicrotask(() => {
            if (focused?.element === target && focused.element.isConnected) focused = undefined
          })
      },
      { signal },
    )
    const observer = new MutationObserver(() => {
      if (!focused || focused.element.isConnected) return
      const { ancestors } = focused
      focused = undefined
      if (document.activeElement === document.body)
        nearestFocusable(ancestors)?.focus({ preventScroll: true })
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      listeners.abort()
      observer.disconnect()
    }
  }, [])
  return null
}

/** An ancestor and the index of its child that contains the focused element. */
type Ancestor = { element: Element; index: number }

function ancestorsOf(element: Element): Ancestor[] {
  const ancestors: Ancestor[] = []
  for (
    let child = element, parent = child.parentElement;
    parent;
    child = parent, parent = child.parentElement
  )
    ancestors.push({ element: parent, index: [...parent.children].indexOf(child) })
  return ancestors
}

/** Returns a control in the same row, else in the row that moved up, else the content. */
function nearestFocusable(ancestors: Ancestor[]): HTMLElement | null {
  for (const { element, index } of ancestors) {
    if (!element.isConnected) continue
    if (element === document.body) break
    for (const candidate of [element.children[index], element.children[index - 1], element]) {
      const target = candidate && lastFocusable(candidate)
      if (target) return target
    }
  }
  return document.getElementById('content')
}

/**
 * Returns the last control inside the element. In a list, that is the row's remove button, the kind of control that
 * was just pressed.
 */
function lastFocusable(element: Element): HTMLElement | undefined {
  const inside = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((one) => one.checkVisibility())
  return inside.at(-1) ?? (element.matches(FOCUSABLE) ? (element as HTMLElement) : undefined)
}
