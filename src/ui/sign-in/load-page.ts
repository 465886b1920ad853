/** A full page load, so that nothing of a previous user stays in memory. Never resolves: the page is left. */
export function loadPage(url: string): Promise<never> {
  location.assign(url)
  return new Promise(() => {})
}
