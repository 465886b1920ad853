/** Where next-auth may redirect to: the URL if it is one of our own pages, else the files page. */
export function safeRedirectUrl(url: string, baseUrl: string): string {
  const target = URL.parse(url, baseUrl)
  return target?.origin === baseUrl ? target.href : baseUrl
}
