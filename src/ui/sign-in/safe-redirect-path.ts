/** Where to go after signing in. Other sites and the sign-in page itself are replaced by `/`: no open redirects. */
export function safeRedirectPath(callbackUrl: string | undefined, siteUrl: string): string {
  const target = callbackUrl ? URL.parse(callbackUrl, siteUrl) : null
  if (!target || target.origin !== new URL(siteUrl).origin || target.pathname.startsWith('/signin'))
    return '/'
  return `${target.pathname}${target.search}`
}
