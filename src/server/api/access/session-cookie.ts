/** Prefix that stops subdomains and parent domains from setting a cookie, where NEXTAUTH_URL is https. */
export const hostPrefix = (baseUrl: string) => (baseUrl.startsWith('https:') ? '__Host-' : '')

export function sessionCookieName(baseUrl: string): string {
  return `${hostPrefix(baseUrl)}next-auth.session-token`
}

/** Returns all cookies, decoded. If two have the same name, the first one counts, as in cookie libraries. */
export function readCookies(request: Request): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null)
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    if (at > 0 && !(name in cookies)) cookies[name] = decoded(pair.slice(at + 1).trim())
  }
  return cookies
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // Another program set this cookie: next-auth encodes its values.
    return value
  }
}
