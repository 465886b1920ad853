/**
 * Returns the path to open after signing in. Replaces other sites, the sign-in page and paths that begin with `//`
 * with `/`: browsers read `//` as another host.
 */
export function safeRedirectPath(callbackUrl: string | undefined, siteUrl: string): string {
  const target = callbackUrl ? URL.parse(callbackUrl, siteUrl) : null
  if (!target || target.origin !== new URL(siteUrl).origin) return '/'
  if (target.pathname.startsWith('//') || target.pathname.startsWith('/signin')) return '/'
  return `${target.pathname}${target.search}`
}
