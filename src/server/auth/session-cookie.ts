/** next-auth's names: `__Secure-` where NEXTAUTH_URL is https. */
export function sessionCookieName(baseUrl: string): string {
  return `${baseUrl.startsWith('https:') ? '__Secure-' : ''}next-auth.session-token`
}

/** The named cookie's value. Session tokens need no decoding: they are base64url and dots. */
export function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}
