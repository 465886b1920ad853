const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Keeps a choice of this browser (language, theme) for a year, where the server can read it too. */
export function rememberChoice(cookie: string, value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing in Firefox ESR and on plain HTTP
  document.cookie = `${cookie}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`
}
