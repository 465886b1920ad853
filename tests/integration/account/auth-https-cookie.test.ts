import { expect, test } from 'vitest'
import { startHttpApp } from '../../support/app/http-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import { createUser } from '../../support/users.ts'

test('if NEXTAUTH_URL is https, every cookie has the prefix __Host-: only for this host, and never unencrypted', async () => {
  const app = await startHttpApp({ NEXTAUTH_URL: 'https://files.example.com' })
  try {
    const user = await createUser(app.services, { password: 'correct horse battery' })
    const browser = new Browser()
    const fields = { email: user.email, password: 'correct horse battery' }
    const response = await browser.postAuth(app.url, 'callback/credentials', fields)
    const cookies = response.headers.getSetCookie()
    expect(cookies.some((c) => c.startsWith('__Host-next-auth.session-token='))).toBe(true)
    for (const cookie of cookies)
      expect(cookie).toMatch(/^__Host-[^;]+; Path=\/; (?:.+; )?HttpOnly; Secure; SameSite=Lax$/)
    const headers = { cookie: browser.cookieHeader() }
    expect(await app.services.authenticate(new Request(app.url, { headers }))).toMatchObject({
      id: user.id,
    })
  } finally {
    await app.close()
  }
})
