/**
 * Where to go after signing in. Other sites and the sign-in page itself are replaced by `/`. So are paths that begin
 * with `//`, since a browser reads them as another host.
 */
export function safeRedirectPath(callbackUrl: string | undefined, siteUrl: string): string {
  const target = callbackUrl ? URL.parse(callbackUrl, siteUrl) : null
  if (!target || target.origin !== new URL(siteUrl).origin) return '/'
  if (target.pathname.startsWith('//') || target.pathname.startsWith('/signin')) return '/'
  return `${target.pathname}${target.search}`
}
