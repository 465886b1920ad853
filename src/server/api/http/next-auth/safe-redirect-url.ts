/** Returns the URL if it is a page of this app, otherwise the files page. next-auth redirects there. */
export function safeRedirectUrl(url: string, baseUrl: string): string {
  const target = URL.parse(url, baseUrl)
  return target?.origin === baseUrl ? target.href : baseUrl
}
