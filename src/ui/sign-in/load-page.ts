/** Loads a page fully, which removes a previous user's data from memory. Never resolves, because the page is left. */
export function loadPage(url: string): Promise<never> {
  location.assign(url)
  return new Promise(() => {})
}
