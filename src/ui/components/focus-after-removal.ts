/**
 * Returns the element to focus after the list item around `element` is removed: the last visible button of an
 * adjacent item, or the main content.
 */
export function focusTargetAfterRemoval(element: Element): HTMLElement | null {
  const item = element.closest('li')
  const sibling = item?.nextElementSibling ?? item?.previousElementSibling
  return lastButton(sibling)
}

/** Returns the last visible button of a list item, usually the one that deletes it, or else the main content. */
export function lastButton(item: Element | null | undefined): HTMLElement | null {
  const buttons = item?.isConnected ? item.querySelectorAll('button') : []
  // Phones hide buttons of some rows.
  const button = [...buttons].findLast((one) => one.checkVisibility())
  return button ?? document.getElementById('content')
}

/** Returns the last button or link of a list item that is not `control`, or else the main content. */
export function lastOtherControl(item: Element, control: Element | null): HTMLElement | null {
  const others = [...item.querySelectorAll<HTMLElement>('a, button')].filter((one) => one !== control)
  return others.at(-1) ?? document.getElementById('content')
}

/** Moves the focus from a list item that is about to be removed to the heading of its section. */
export function moveFocusToHeading(item: Element): void {
  const heading = item.closest('section')?.querySelector('h2')
  if (!heading || !item.contains(document.activeElement)) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/** Moves the focus out of `element` or its list item. Call it just before removing them, or the focus is lost. */
export function moveFocusBeforeRemoval(element: Element): void {
  const removed = element.closest('li') ?? element
  if (removed.contains(document.activeElement))
    focusTargetAfterRemoval(element)?.focus({ preventScroll: true })
}
