/** The part of a browser that sign-in needs: keeps cookies, follows redirects within its origins, sends Origin. */
export class Browser {
  readonly cookies = new Map<string, string>()

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.cookies.size > 0) headers.set('cookie', this.cookieHeader())
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ')
      const at = pair.indexOf('=')
      const gone = attributes.some((a) => a === 'Max-Age=0')
      if (gone) this.cookies.delete(pair.slice(0, at))
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Posts one of next-auth's forms, with its CSRF token. */
  async postAuth(base: string, path: string, fields: Record<string, string>): Promise<Response> {
    const { csrfToken } = await (await this.fetch(`${base}/api/auth/csrf`)).json()
    return this.fetch(`${base}/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: base },
      body: new URLSearchParams({ csrfToken, json: 'true', ...fields }),
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
  async session(base: string): Promise<any> {
    return (await this.fetch(`${base}/api/auth/session`)).json()
  }

  async signOut(base: string): Promise<void> {
    await this.postAuth(base, 'signout', {})
  }
}
