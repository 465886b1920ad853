/** Distance between an anchor and its popover, and between the popover and the screen's top and bottom, in pixels. */
const GAP = 4
/** Distance between a popover and the screen's left and right edges, in pixels. */
const MARGIN = 8

/**
 * Places a popover below its anchor, or above it if only there is enough room. Their right edges are aligned. On phones,
 * CSS places those of the class `sheet`.
 */
export function placePopover(popover: HTMLElement, anchor: HTMLElement): void {
  if (popover.classList.contains('sheet') && matchMedia('(width < 40rem)').matches) {
    popover.style.top = ''
    popover.style.left = ''
    return
  }
  const { top, bottom, right } = anchor.getBoundingClientRect()
  // At its place, it could be narrower than its content, and grow when it is moved.
  popover.style.left = '0px'
  const { offsetHeight: height, offsetWidth: width } = popover
  const lowest = innerHeight - GAP - height
  const above = top - GAP - height
  popover.style.top = `${bottom + GAP <= lowest ? bottom + GAP : above >= GAP ? above : Math.max(GAP, lowest)}px`
  // From the left: on the right, the space that CSS reserves for a scrollbar is not part of `clientWidth`.
  const rightmost = document.documentElement.clientWidth - MARGIN - width
  popover.style.left = `${Math.max(MARGIN, Math.min(right - width, rightmost))}px`
}
