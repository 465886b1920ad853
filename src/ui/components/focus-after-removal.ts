/**
 * The element to focus once the list item around `element` is removed: the delete button of a neighbouring item, else
 * the main content.
 */
export function focusTargetAfterRemoval(element: Element): HTMLElement | null {
  const item = element.closest('li')
  const neighbour = item?.nextElementSibling ?? item?.previousElementSibling
  // The delete button is the last one of each row.
  const button = [...(neighbour?.querySelectorAll('button') ?? [])].at(-1)
  return button ?? document.getElementById('content')
}

/** Call this just before removing `element` or its list item: the focus would be lost with it. */
export function moveFocusBeforeRemoval(element: Element): void {
  const removed = element.closest('li') ?? element
  if (removed.contains(document.activeElement))
    focusTargetAfterRemoval(element)?.focus({ preventScroll: true })
}
