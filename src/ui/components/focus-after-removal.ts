/**
 * Returns the element to focus after the list item around `element` is removed: the delete button of an adjacent item,
 * or the main content.
 */
export function focusTargetAfterRemoval(element: Element): HTMLElement | null {
  const item = element.closest('li')
  const sibling = item?.nextElementSibling ?? item?.previousElementSibling
  return lastButton(sibling)
}

/** Returns the last button of a list item, which is the delete button if it has one, or else the main content. */
export function lastButton(item: Element | null | undefined): HTMLElement | null {
  const buttons = item?.isConnected ? item.querySelectorAll('button') : []
  return [...buttons].at(-1) ?? document.getElementById('content')
}

/** Moves the focus out of `element` or its list item. Call it just before removing them, or the focus is lost. */
export function moveFocusBeforeRemoval(element: Element): void {
  const removed = element.closest('li') ?? element
  if (removed.contains(document.activeElement))
    focusTargetAfterRemoval(element)?.focus({ preventScroll: true })
}
