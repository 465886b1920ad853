const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Stores a choice (language, theme) in a cookie for a year, so that the server can read it. */
export function rememberChoice(cookie: string, value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing in Firefox ESR and on plain HTTP
  document.cookie = `${cookie}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`
}
