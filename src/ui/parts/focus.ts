/** Where the focus belongs when the list item around `element` goes: the same place in its neighbour, else the page. */
export function neighbourOf(element: Element): HTMLElement | null {
  const item = element.closest('li')
  const neighbour = item?.nextElementSibling ?? item?.previousElementSibling
  // The button that takes a row away is the last one of each.
  const button = [...(neighbour?.querySelectorAll('button') ?? [])].at(-1)
  return button ?? document.getElementById('content')
}

/** Call it just before `element`, or the list item around it, goes: the focus would go with it. */
export function passFocusOn(element: Element): void {
  const going = element.closest('li') ?? element
  if (going.contains(document.activeElement)) neighbourOf(element)?.focus({ preventScroll: true })
}
