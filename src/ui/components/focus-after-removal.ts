/**
 * Returns the element to focus after the list item around `element` is removed: the delete button of an adjacent item,
 * or the main content.
 */
export function focusTargetAfterRemoval(element: Element): HTMLElement | null {
  const item = element.closest('li')
  const sibling = item?.nextElementSibling ?? item?.previousElementSibling
  // The delete button is the last one of each row.
  const button = [...(sibling?.querySelectorAll('button') ?? [])].at(-1)
  return button ?? document.getElementById('content')
}

/** Moves the focus out of `element` or its list item. Call it just before removing them, or the focus is lost. */
export function moveFocusBeforeRemoval(element: Element): void {
  const removed = element.closest('li') ?? element
  if (removed.contains(document.activeElement))
    focusTargetAfterRemoval(element)?.focus({ preventScroll: true })
}
