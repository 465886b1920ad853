/**
 * Calls `act` whenever the element comes within 1,500 px of the screen, and at once if it is there. Returns a function
 * that ends this.
 */
export function whenNear(element: Element, act: () => void): () => void {
  // A busy page gets several changes in one call, the newest last.
  const observer = new IntersectionObserver((changes) => changes.at(-1)?.isIntersecting && act(), {
    rootMargin: '1500px',
  })
  observer.observe(element)
  return () => observer.disconnect()
}
