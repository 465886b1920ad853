import { expect, test } from 'vitest'
import { startHttpApp } from '../../support/app/http-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import { createUser } from '../../support/users.ts'

test('where NEXTAUTH_URL is https, the session cookie is __Secure- and never travels in the clear', async () => {
  const app = await startHttpApp({ NEXTAUTH_URL: 'https://files.example.com' })
  try {
    const user = await createUser(app.services, { password: 'correct horse battery' })
    const browser = new Browser()
    const fields = { email: user.email, password: 'correct horse battery' }
    const response = await browser.postAuth(app.url, 'callback/credentials', fields)
    const cookies = response.headers.getSetCookie()
    expect(cookies.find((c) => c.startsWith('__Secure-next-auth.session-token='))).toMatch(/HttpOnly; Secure/)
    const headers = { cookie: browser.cookieHeader() }
    expect(await app.services.authenticate(new Request(app.url, { headers }))).toMatchObject({
      id: user.id,
    })
  } finally {
    await app.close()
  }
})
