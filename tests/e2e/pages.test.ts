import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { FileChooser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { MB, pdf, png, scratch } from './support/files.ts'
import { choose, deleteFile, fileRow, inState, throttle } from './support/page.ts'
import { describeSite, ready, until } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
const files = scratch()
const photo = files.file('photo.png', png(32, [11, 106, 99], [240, 195, 106]))

/** Waits until the button with this name has the focus. */
function focusOn(page: Page, name: string) {
  return page.waitForFunction((label) => document.activeElement?.getAttribute('aria-label') === label, name)
}

describeSite('pages', (site) => {
  test('sign up, sign out, sign in again; a wrong password and a taken email are rejected', async () => {
    site.expectErrors(/status of (400|401|409)/)
    const page = await site.open(null)
    await page.waitForURL(/\/signin/)
    await page.getByRole('link', { name: 'Create an account' }).click()
    const email = `ada-${Date.now()}@example.com`
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
    await ready(page)
    await page.getByRole('button', { name: `Account: ${email}` }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/signin/)

    // After sign-in, the page that was requested opens.
    await page.goto(`${site.url}/settings`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong email or password.').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()

    const other = await site.open(null, { path: '/signup' })
    await other.getByLabel('Email').fill(email)
    await other.getByLabel('Password').fill(PASSWORD)
    await other.getByRole('button', { name: 'Create account' }).click()
    await other.getByText('There is an account with this email. Sign in, or use another email.').waitFor()
  })

  test('the language is the browser’s, and can be changed without losing what the page holds', async () => {
    const page = await site.open(null, { path: '/signin', locale: 'de-AT' })
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.content()).not.toContain('Sign in')
    const user = await site.user()
    await page.context().addCookies([{ name: 'next-auth.session-token', value: user.token, url: site.url }])
    await page.goto(site.url)
    await ready(page)
    await page.getByText('0 Byte von 500 MB belegt').waitFor()
    await choose(page, files.file('foto.png', png(40, [1, 2, 3], [200, 100, 0])))
    await page.getByRole('heading', { name: '1 Datei hochgeladen' }).waitFor()
    await page.getByRole('button', { name: /^Konto/ }).click()
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { name: '1 file uploaded' }).waitFor()
    await until('the page says so', async () => (await page.locator('html').getAttribute('lang')) === 'en')
    await page.reload()
    await ready(page)
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  })

  test('the theme is the system’s until another is chosen, and then stays', async () => {
    const page = await site.open(await site.user(), { colorScheme: 'light' })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await ground()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByLabel('Appearance').selectOption('Dark')
    const dark = await ground()
    expect(dark).not.toBe(light)
    await page.reload()
    await ready(page)
    expect(await ground()).toBe(dark)
    expect(await page.locator('meta[name="theme-color"]').getAttribute('content')).toBe('#131413')
    await page.getByRole('button', { name: /^Account/ }).click()
    expect(await page.getByLabel('Appearance').inputValue()).toBe('dark')
    await page.getByLabel('Appearance').selectOption('As the system')
    expect(await ground()).toBe(light)
  })

  test('a link to a file leads through the sign-in page to the file, never to another site', async () => {
    site.expectErrors(/favicon/)
    const user = await site.user({ password: PASSWORD })
    const owner = await site.open(user)
    await choose(owner, photo)
    await fileRow(owner, 'photo.png').waitFor()
    const { items } = await site.server.ok(user, 'files.list', { limit: 1 })
    const page = await site.open(null, { path: `/files/${items[0].id}` })
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/X-Amz-Signature/)

    await page.goto(`${site.url}/signin?callbackUrl=https://evil.example/`)
    await page.waitForURL(`${site.url}/`)
  })

  test('devices are listed and removed; preferences are saved', async () => {
    const user = await site.user()
    await site.server.ok(user, 'devices.register', {
      platform: 'ios',
      token: 'ab'.repeat(32),
      name: 'My iPhone',
    })
    await site.server.ok(user, 'devices.register', { platform: 'android', token: 'android-token-12345678' })
    const page = await site.open(user, { path: '/settings' })
    const devices = page.getByRole('list', { name: 'Devices' })
    await devices.getByText('…12345678').waitFor()
    await page.getByRole('button', { name: 'Remove My iPhone' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect(await devices.getByText('My iPhone').count()).toBe(0)
    const { items } = await site.server.ok(user, 'devices.list')
    expect(items).toMatchObject([{ platform: 'android' }])

    const preferences = () => site.server.ok(user, 'preferences.get')
    await page.getByRole('switch', { name: 'Push notifications' }).click()
    await until('pushes are off', async () => (await preferences()).pushEnabled === false)
    await page.getByLabel('Category to mute').fill('marketing')
    await page.keyboard.press('Enter')
    await until('it is muted', async () => (await preferences()).mutedCategories.includes('marketing'))
    await page.reload()
    await ready(page)
    expect(await page.getByRole('switch', { name: 'Push notifications' }).getAttribute('aria-checked')).toBe(
      'false',
    )
    await page.getByRole('button', { name: 'Unmute marketing' }).click()
    await until('it is not', async () => (await preferences()).mutedCategories.length === 0)
  })

  test('sessions are listed and ended one by one; signing out everywhere asks first', async () => {
    const user = await site.user({ password: PASSWORD })
    const script = await site.server.call(null, 'session.create', { email: user.email, password: PASSWORD })
    const other = { headers: { authorization: `Bearer ${script.data.token}` } }
    const page = await site.open(user, { path: '/settings' })
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await until('there are two', async () => (await sessions.count()) === 2)
    const own = sessions.filter({ has: page.getByText('This one', { exact: true }) })
    expect(await own.getByRole('button').count()).toBe(0)
    await sessions
      .filter({ hasNot: page.getByText('This one', { exact: true }) })
      .getByRole('button', { name: /^End this one: / })
      .press('Enter')
    await until('it has ended', async () => (await sessions.count()) === 1)
    expect((await site.server.call(other, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    expect((await site.server.call(user, 'account.usage')).error).toBeUndefined()
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)

    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Sign out everywhere?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await site.server.call(user, 'account.usage')).error).toBeUndefined()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL(/\/signin/)
    expect((await site.server.call(user, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
  })

  test('guides are filled in when somebody unfolds them, also before the page is ready', async () => {
    const page = await site.open(await site.user(), { path: '/settings' })
    const guide = page.getByRole('group').filter({ hasText: 'How to register a phone' })
    expect(await guide.locator('pre').count()).toBe(0)
    await guide.locator('summary').click()
    await guide.getByText(`curl ${site.url}/api/trpc/session.create`).waitFor()
    const unfolding = await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        const first = document.querySelector('details')
        if (!first) return
        first.open = true
        observer.disconnect()
      }).observe(document, { childList: true, subtree: true })
    })
    await page.reload()
    await guide.getByText(`curl ${site.url}/api/trpc/session.create`).waitFor()
    await unfolding.dispose()
  })

  test('API keys: made with scopes and expiry, shown once with a command that works, revoked', async () => {
    site.expectErrors(/status of 400/)
    const user = await site.user()
    const page = await site.open(user, {
      path: '/settings',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const card = page.getByRole('region', { name: 'API keys' })
    await card.getByText('No API keys yet').waitFor()
    await card.getByRole('button', { name: 'New API key' }).click()
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'name')
    await page.keyboard.type('nightly backup')
    await card.getByLabel('Expires after days').fill('30')
    await card.getByLabel('Upload files').uncheck()
    await card.getByRole('button', { name: 'Make the key' }).click()
    await card.getByText('Choose at least one thing that the key may do.').waitFor()
    await card.getByLabel('List and download files').check()
    await card.getByRole('button', { name: 'Make the key' }).click()
    const made = card.getByRole('region', { name: 'Your new API key' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'Your new API key')
    const token = (await made.getByRole('region', { name: 'API key' }).innerText()).trim()
    expect(token).toMatch(/^pk_[\w-]{43}$/)
    const shown = made.locator('figure').filter({ hasText: 'Try it' })
    await shown.getByRole('button', { name: 'Copy' }).click()
    await shown.getByRole('button', { name: 'Copied' }).waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).toContain(token)
    const { stdout } = await promisify(execFile)('bash', ['-c', command])
    expect(JSON.parse(stdout).result.data.items).toEqual([])

    const row = card.getByRole('list', { name: 'API keys' }).getByRole('listitem')
    await row.getByText('List and download files').waitFor()
    await made.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(token)
    await page.reload()
    await ready(page)
    await row.getByText(/last used/).waitFor()
    await card.getByRole('button', { name: 'Revoke nightly backup' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await card.getByText('No API keys yet').waitFor()
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    expect((await site.server.call(bearer, 'files.list', {})).error?.code).toBe('UNAUTHORIZED')
  })

  test('changing the password keeps this session and ends the others; the account can be deleted', async () => {
    site.expectErrors(/status of (401|403)/)
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user, { path: '/settings' })
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password').fill('another password altogether')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    expect((await site.server.call(user, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    await page.reload()
    await ready(page)
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Your password').fill('wrong')
    await dialog.getByRole('button', { name: 'Delete everything' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Your password').fill('another password altogether')
    await dialog.getByRole('button', { name: 'Delete everything' }).click()
    await page.waitForURL(/\/signin/)
  })

  test('keyboard only: skip link, upload, delete', async () => {
    const page = await site.open(await site.user())
    // Registered early: right before the key press, it may reach the browser too late.
    const chooser = new Promise<FileChooser>((resolve) => page.once('filechooser', resolve))
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'content')
    for (const name of ['What uses my space', 'Choose files']) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name)
    }
    await page.keyboard.press('Enter')
    await (await chooser).setFiles(photo)
    await fileRow(page, 'photo.png').waitFor()
    await page.getByRole('button', { name: 'Actions for photo.png' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Preview')
    await page.keyboard.press('Escape')
    await focusOn(page, 'Actions for photo.png')
    // The next task: opened in the same one again, it would not have been closed for the page.
    await page.getByRole('button', { name: 'Actions for photo.png', expanded: false }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Preview')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await fileRow(page, 'photo.png').waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement !== document.body)
  })

  test('the focus is never lost: removed elements pass it on, changed ones keep it', async () => {
    const user = await site.user()
    await site.server.ok(user, 'preferences.update', { mutedCategories: ['builds', 'marketing'] })
    const page = await site.open(user)
    const other = files.file('other.png', png(30, [9, 9, 9], [200, 20, 20]))
    await choose(page, photo, other)
    for (const name of ['photo.png', 'other.png']) await fileRow(page, name).waitFor()
    const rows = page.getByRole('list', { name: 'Files', exact: true }).getByRole('listitem')
    const [first, second] = await rows.getByRole('link').filter({ hasText: /png/ }).allInnerTexts()
    await deleteFile(page, first!)
    await focusOn(page, `Actions for ${second}`)

    await page.getByRole('button', { name: 'Clear list' }).press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'content')
    await throttle(page, MB)
    await choose(page, files.file('slow.pdf', pdf(11 * MB)))
    await inState(page, 'slow.pdf', 'uploading')
    await page.getByRole('button', { name: 'Pause slow.pdf' }).press('Enter')
    await focusOn(page, 'Resume slow.pdf')

    await page.goto(`${site.url}/settings`)
    await ready(page)
    await page.getByRole('button', { name: 'Unmute builds' }).press('Enter')
    await focusOn(page, 'Unmute marketing')
  })

  test('a right-to-left override in a file name affects nothing but the name', async () => {
    const user = await site.user()
    const page = await site.open(user)
    await choose(page, photo)
    await fileRow(page, 'photo.png').waitFor()
    await page.getByRole('searchbox').fill('invoice\u202Egnp.png')
    const sentence = page.getByText('No files match')
    await sentence.waitFor()
    const [nameEnds, sentenceBegins] = await sentence.locator('bdi').evaluate((bdi) => {
      const range = document.createRange()
      range.setStart(bdi.nextSibling!, 0)
      range.setEnd(bdi.nextSibling!, 1)
      return [bdi.getBoundingClientRect().right, range.getBoundingClientRect().left]
    })
    expect(sentenceBegins).toBeGreaterThanOrEqual(nameEnds! - 1)
  })

  test('forced colors: buttons have a border, and the current page is marked', async () => {
    const page = await site.open(await site.user(), { forcedColors: 'active' })
    const edge = (one: Element) => getComputedStyle(one).borderBottomWidth
    expect(await page.getByRole('button', { name: 'Choose files' }).evaluate(edge)).toBe('1px')
    expect(await page.getByRole('meter', { name: 'Storage' }).evaluate(edge)).toBe('1px')
    const places = page.getByRole('navigation', { name: 'Main' }).first().getByRole('link')
    const lines = await places.evaluateAll((all) => all.map((one) => getComputedStyle(one).borderBottomColor))
    expect(lines).toHaveLength(3)
    expect(lines[0]).not.toBe(lines[1])
    expect(lines[1]).toBe(lines[2])
  })
})
