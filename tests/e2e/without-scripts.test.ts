// Pages that work in a browser without scripts: signing in and up, unknown addresses, and pages that failed.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeSite } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'

describeSite('without scripts', (site) => {
  const open = (path: string, locale = 'en-GB') =>
    site.open(null, { path, locale, javaScriptEnabled: false, wait: (page) => page.locator('h1').waitFor() })

  async function fill(page: Page, fields: Record<string, string>, button: string): Promise<void> {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
    await page.getByRole('button', { name: button, exact: true }).click()
  }

  test('a visitor signs in, and the requested page opens', async () => {
    const { email } = await site.user({ password: PASSWORD })
    const page = await open('/settings')
    expect(page.url()).toBe(`${site.url}/signin?callbackUrl=%2Fsettings`)
    await fill(page, { Email: email, Password: PASSWORD }, 'Sign in')
    await page.waitForURL(`${site.url}/settings`)
  })

  test('a wrong password is rejected, the email stays, and the requested page still opens afterwards', async () => {
    const { email } = await site.user({ password: PASSWORD })
    const page = await open('/settings')
    await fill(page, { Email: email, Password: 'not the password' }, 'Sign in')
    await page.getByRole('alert').filter({ hasText: 'Wrong email or password.' }).waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe(email)
    expect(page.url()).not.toContain('example')
    await fill(page, { Password: PASSWORD }, 'Sign in')
    await page.waitForURL(`${site.url}/settings`)
  })

  test('a visitor signs up and is signed in', async () => {
    const page = await open('/signup', 'de-AT')
    const email = 'ohne-skripte@example.com'
    await fill(page, { Name: 'Ada', 'E-Mail': email, Passwort: PASSWORD }, 'Konto erstellen')
    await page.waitForURL(`${site.url}/`)
    expect(await site.query('SELECT name FROM users WHERE email = $1', [email])).toEqual([{ name: 'Ada' }])
  })

  test('a rejected sign-up keeps the fields and says why beside them', async () => {
    site.expectErrors(/status of 40[09]/)
    const { email } = await site.user()
    const page = await open('/signup', 'de-AT')
    const name = `Ada "><b>'&amp;`
    await fill(page, { Name: name, 'E-Mail': email, Passwort: PASSWORD }, 'Konto erstellen')
    await page.getByRole('alert').filter({ hasText: 'gibt es bereits ein Konto' }).waitFor()
    expect(await page.getByLabel('E-Mail').inputValue()).toBe(email)
    expect(await page.getByLabel('Name').inputValue()).toBe(name)
    await fill(page, { 'E-Mail': 'new@example.com', Passwort: ' '.repeat(12) }, 'Konto erstellen')
    await page.getByText('12 bis 128 Zeichen verwenden, nicht nur Leerzeichen.').waitFor()
    expect(await page.getByLabel('Passwort').getAttribute('aria-invalid')).toBe('true')
  })

  test('the sign-up form of another site is rejected and creates no account', async () => {
    const body = new URLSearchParams({ email: 'foreign@example.com', password: PASSWORD })
    for (const [name, value] of [
      ['origin', 'https://evil.example'],
      ['sec-fetch-site', 'cross-site'],
    ] as const) {
      const response = await fetch(`${site.url}/signup`, { method: 'POST', body, headers: { [name]: value } })
      expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }])
    }
    expect(await site.query("SELECT 1 FROM users WHERE email = 'foreign@example.com'")).toEqual([])
  })

  test('what only a script can do is hidden', async () => {
    const page = await open('/signin')
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Sign in'])
    expect(await page.getByRole('combobox').count()).toBe(0)
  })

  test('an unknown address, an invalid shared link and a page that failed say so in the same place, in the browser’s language', async () => {
    site.expectErrors(/status of (404|500)/)
    const page = await open('/no/such/page', 'de-AT')
    /** Left edge, width and font of the logo and the title. */
    const shell = () =>
      page.locator('main span:has(svg), h1').evaluateAll((all) =>
        all.map((one) => {
          const { left, width } = one.getBoundingClientRect()
          return [left, width, getComputedStyle(one).fontSize]
        }),
      )
    await page.getByRole('heading', { name: 'Seite nicht gefunden' }).waitFor()
    await page.getByRole('link', { name: 'Zu Ihren Dateien' }).waitFor()
    const expected = await shell()
    expect(expected).toHaveLength(2)
    await page.goto(`${site.url}/s/${'x'.repeat(43)}`)
    await page.getByRole('heading', { name: 'Dieser Link funktioniert nicht', exact: true }).waitFor()
    // It says what to do, and leads to the start page.
    await page.getByText('bitten Sie die Person, die ihn gesendet hat, um einen neuen.').waitFor()
    expect(await page.getByRole('link', { name: 'Zur Startseite' }).getAttribute('href')).toBe('/')
    expect(await shell()).toEqual(expected)
    const { token } = await site.user()
    await page.context().addCookies([{ name: 'next-auth.session-token', value: token, url: site.url }])
    await site.query('ALTER TABLE push_messages RENAME TO push_messages_away')
    try {
      const response = await page.goto(`${site.url}/messages`)
      expect(response!.status()).toBe(500)
      await page.getByRole('heading', { name: 'Diese Seite konnte nicht geladen werden' }).waitFor()
      await page.getByText(response!.headers()['x-request-id']!).waitFor()
      expect(await shell()).toEqual(expected)
    } finally {
      await site.query('ALTER TABLE push_messages_away RENAME TO push_messages')
    }
    await page.getByRole('link', { name: 'Erneut versuchen' }).click()
    await page.getByRole('heading', { name: 'Nachrichten', level: 1 }).waitFor()
  })
})
