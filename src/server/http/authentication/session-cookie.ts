/** Where NEXTAUTH_URL is https, browsers take a `__Host-` cookie from this host only, not from its subdomains or parents. */
export function sessionCookieName(baseUrl: string): string {
  return `${baseUrl.startsWith('https:') ? '__Host-' : ''}next-auth.session-token`
}

/** All cookies, decoded. Of two with the same name the first counts, as in every cookie library. */
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
    // Not one of ours: next-auth encodes what it sets.
    return value
  }
}
