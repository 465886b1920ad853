// Accounts: signing up, in and out, and the page after a sign-in.

import { expect, test } from 'vitest'
import { violationsInBothSchemes } from './support/axe.ts'
import { png, scratch } from './support/files.ts'
import { waitForFocus } from './support/focus.ts'
import { describeSite, ready } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const PASSWORD = 'a password for the browser tests'
const photo = scratch().file('photo.png', png(32, [11, 106, 99], [240, 195, 106]))

describeSite('accounts', (site) => {
  test('a visitor signs up, signs out, and signs in again', async () => {
    const page = await site.open(null)
    await page.waitForURL(/\/signin/)
    await page.getByRole('link', { name: 'Create an account' }).click()
    const email = 'ada@example.com'
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
    await ready(page)
    await page.getByRole('button', { name: `Account: ${email}` }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/signin/)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  })

  test('another account opens a file that was not found, after this browser has left the first one', async () => {
    site.expectErrors(/status of 404|favicon/)
    const [ada, bob] = await Promise.all([site.user(), site.user({ password: PASSWORD })])
    const [id] = await uploadFiles(site, bob, photo)
    const page = await site.open(ada, { path: `/files/${id}`, wait: async () => {} })
    await page.getByText(`You are signed in as ${ada.email}.`).waitFor()
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') calls.push(new URL(request.url()).pathname)
    })
    await page.exposeFunction('onUnsubscribe', () => calls.push('unsubscribe'))
    await page.evaluate(() => {
      const { onUnsubscribe } = window as unknown as { onUnsubscribe(): void }
      const subscription = { endpoint: 'https://push.example/ada', unsubscribe: onUnsubscribe }
      const scope = `${location.origin}/`
      const registration = { scope, pushManager: { getSubscription: async () => subscription } }
      Object.assign(navigator.serviceWorker, { getRegistrations: async () => [registration] })
    })
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Sign in with another account' }).click()
    await page.waitForURL(/\/signin/)
    // The sign-in page's own call can follow.
    expect(calls.slice(0, 3)).toEqual(['/api/trpc/devices.unregister', 'unsubscribe', '/api/auth/signout'])
    await page.getByLabel('Email').fill(bob.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/X-Amz-Signature/)
  })

  test('a wrong password is rejected', async () => {
    site.expectErrors(/status of 401/)
    const { email } = await site.user({ password: PASSWORD })
    const page = await site.open(null, { path: '/signin' })
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong email or password.').waitFor()
    // The next key replaces the wrong password.
    await waitForFocus(page.getByLabel('Password'))
    await page.keyboard.type('x')
    expect(await page.getByLabel('Password').inputValue()).toBe('x')
  })

  test('invalid fields say why in the page’s language, and the first one has the focus', async () => {
    const page = await site.open(null, { path: '/signup', locale: 'de-AT' })
    const email = page.getByLabel('E-Mail')
    const password = page.getByLabel('Passwort')
    await password.pressSequentially('zu kurz')
    await page.getByRole('button', { name: 'Konto erstellen' }).click()
    await page.getByText('Geben Sie eine E-Mail-Adresse ein.').waitFor()
    await page.getByText('12 bis 128 Zeichen verwenden, nicht nur Leerzeichen.').waitFor()
    await waitForFocus(email)
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    await email.fill('ada')
    expect(await email.getAttribute('aria-invalid')).toBeNull()
    await password.fill(PASSWORD)
    await password.press('Enter')
    await page.getByText('Geben Sie eine gültige E-Mail-Adresse').waitFor()
    await waitForFocus(email)
  })

  test.each([
    ['/signin', 'Email'],
    ['/signup', 'Email'],
  ])('on %s, the first field has the focus', async (path, label) => {
    const page = await site.open(null, { path })
    await waitForFocus(page.getByLabel(label))
  })

  test('a password can be shown, and is hidden again when it is sent', async () => {
    site.expectErrors(/status of 401/)
    const page = await site.open(null, { path: '/signin' })
    const password = page.getByLabel('Password')
    await page.getByLabel('Email').fill('nobody@example.com')
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Show Password' }).click()
    expect(await password.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide Password' }).waitFor()
    await password.press('Enter')
    await page.getByText('Wrong email or password.').waitFor()
    expect(await password.getAttribute('type')).toBe('password')
  })

  test('an invalid field that has the focus has a red ring', async () => {
    const page = await site.open(null, { path: '/signup', wait: (one) => one.getByLabel('Email').waitFor() })
    await page.getByRole('button', { name: 'Create account' }).click()
    const email = page.getByLabel('Email')
    await email.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    const [outline, border] = await email.evaluate((one) => {
      const { outlineColor, borderColor } = getComputedStyle(one)
      return [outlineColor, borderColor]
    })
    expect(outline).toBe(border)
  })

  test('an email in use is rejected', async () => {
    site.expectErrors(/status of 409/)
    const { email } = await site.user()
    const page = await site.open(null, { path: '/signup' })
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page
      .getByText('An account with this email already exists. Sign in, or use another email.')
      .waitFor()
  })

  test('twelve spaces are not a password', async () => {
    site.expectErrors(/status of 400/)
    const page = await site.open(null, { path: '/signup' })
    await page.getByLabel('Email').fill('spaces@example.com')
    await page.getByLabel('Password').fill(' '.repeat(12))
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Use 12 to 128 characters, not just spaces.').waitFor()
  })

  test('after signing in, the requested page opens', async () => {
    const { email } = await site.user({ password: PASSWORD })
    const page = await site.open(null, { path: '/settings' })
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  test('a browser that requests /favicon.ico before it knows the page’s icon gets one', async () => {
    const response = await fetch(new URL('/favicon.ico', site.url))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/x-icon'])
  })

  test('a link to a file opens the file after sign-in', async () => {
    site.expectErrors(/favicon/)
    const user = await site.user({ password: PASSWORD })
    const [id] = await uploadFiles(site, user, photo)
    const page = await site.open(null, { path: `/files/${id}` })
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/X-Amz-Signature/)
  })

  test('a signed-in user is not redirected to another site', async () => {
    const page = await site.open(await site.user(), {
      path: '/signin?callbackUrl=https://evil.example/',
    })
    expect(page.url()).toBe(`${site.url}/`)
  })
})
