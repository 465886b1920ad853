/**
 * The other site that a request comes from (for the error message), or null if it comes from an allowed origin.
 * Browsers send `Origin` with every POST, and `Sec-Fetch-Site` since 2020 (Safari 2023). A client that sends
 * neither of them nor `Referer` is not a browser, so no other site's page made it send the cookie.
 */
export function foreignOrigin(request: Request, allowed: readonly string[]): string | null {
  const origin = request.headers.get('origin')
  if (origin !== null) return allowed.includes(origin) ? null : origin
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none' ? null : `a ${site} page`
  const referer = request.headers.get('referer')
  if (referer === null) return null
  if (!URL.canParse(referer)) return 'an unreadable Referer'
  const from = new URL(referer).origin
  return allowed.includes(from) ? null : from
}
