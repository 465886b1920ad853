/** Distance between an anchor and its popover, and between the popover and the screen's edge, in pixels. */
const GAP = 4

/** Places a popover below its anchor, or above it if only there is enough room. Their right edges are aligned. */
export function placePopover(popover: HTMLElement, anchor: HTMLElement): void {
  const { top, bottom, right } = anchor.getBoundingClientRect()
  const { offsetHeight: height, offsetWidth: width } = popover
  const lowest = innerHeight - GAP - height
  const above = top - GAP - height
  popover.style.top = `${bottom + GAP <= lowest ? bottom + GAP : above >= GAP ? above : Math.max(GAP, lowest)}px`
  // From the left: on the right, the space that CSS reserves for a scrollbar is not part of `clientWidth`.
  const rightmost = document.documentElement.clientWidth - GAP - width
  popover.style.left = `${Math.max(GAP, Math.min(right - width, rightmost))}px`
}
