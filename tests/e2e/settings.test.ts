// Settings: devices, preferences, sessions, API keys, the password, and account deletion.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { until } from '../support/until.ts'
import { runCopiedCommand } from './support/copied-command.ts'
import { waitForAnyFocus, waitForFocus } from './support/focus.ts'
import { confirmation, goTo, hydrated, listRow, smallTargets } from './support/page.ts'
import { pageFaults } from './support/page-checks.ts'
import { ageSessions, describeSite, ready } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
const NEW_PASSWORD = 'another password altogether'

describeSite('settings', (site) => {
  test('devices are listed, and can be removed after a confirmation', async () => {
    const user = await site.user()
    const phones = [
      { platform: 'ios', token: 'ab'.repeat(32), name: 'My iPhone' },
      { platform: 'android', token: `of-${user.id}-12345678` },
    ]
    for (const phone of phones) await site.server.ok(user, 'devices.register', phone)
    const page = await site.open(user, { path: '/settings/notifications' })
    await listRow(page, 'Devices', '…12345678').waitFor()
    await page.getByRole('button', { name: 'Remove My iPhone' }).click()
    await confirmation(page, 'Remove').click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await listRow(page, 'Devices', 'My iPhone').waitFor({ state: 'detached' })
    const { items } = await site.server.ok(user, 'devices.list')
    expect(items).toMatchObject([{ platform: 'android' }])
  })

  test('push notifications can be turned off permanently', async () => {
    const user = await site.user()
    const page = await site.open(user, { path: '/settings/notifications' })
    const toggle = page.getByRole('switch', { name: 'Push notifications' })
    await toggle.click()
    await until(
      'pushes are off',
      async () => (await site.server.ok(user, 'preferences.get')).pushEnabled === false,
    )
    await page.reload()
    await ready(page)
    expect(await toggle.getAttribute('aria-checked')).toBe('false')
  })

  test('a category can be muted and unmuted', async () => {
    const user = await site.user()
    const muted = async () => (await site.server.ok(user, 'preferences.get')).mutedCategories
    const page = await site.open(user, { path: '/settings/notifications' })
    await page.getByLabel('Category to mute').fill('marketing')
    await page.keyboard.press('Enter')
    await until('it is muted', async () => (await muted()).includes('marketing'))
    await page.getByRole('button', { name: 'Unmute marketing' }).click()
    await until('it is unmuted', async () => (await muted()).length === 0)
  })

  test('empty lists take little space', async () => {
    const page = await site.open(await site.user(), { path: '/settings' })
    for (const [section, names] of [
      ['notifications', ['No devices yet.', 'You do not follow any topics.']],
      ['api-keys', ['No API keys yet.']],
      ['security', ['No passkeys yet.']],
    ] as const) {
      await goTo(page, `/settings/${section}`)
      for (const name of names) {
        const box = await page.getByText(name, { exact: true }).locator('../..').boundingBox()
        expect(box!.height, name).toBeLessThan(130)
      }
    }
  })

  test('the page for a second sign-in says that it happened only to users who signed in recently', async () => {
    const user = await site.user()
    const done = 'You have signed in again.'
    const page = await site.open(user, { path: '/sign-in-again', wait: (at) => at.getByText(done).waitFor() })
    await ageSessions(site, user)
    await page.goto(`${site.url}/sign-in-again`)
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
    expect(await page.getByText(done).count()).toBe(0)
  })

  test('the categories of received messages are offered for muting', async () => {
    const user = await site.user()
    const message = { title: 'Build 7', body: 'is ready', category: 'builds' }
    const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'ci' })
    await site.server.post('/api/push/send', made.body.token, message)
    const page = await site.open(user, { path: '/settings/notifications' })
    await page.getByRole('button', { name: 'Mute builds' }).click()
    await page.getByRole('button', { name: 'Unmute builds' }).waitFor()
    expect(await page.getByRole('button', { name: 'Mute builds', exact: true }).count()).toBe(0)
  })

  describe('sessions', () => {
    /** Opens the settings of a user with two sessions. `other` is not the page's session. */
    async function twoSessions() {
      const user = await site.user({ password: PASSWORD })
      const { data } = await site.server.call(null, 'session.create', {
        email: user.email,
        password: PASSWORD,
      })
      const other = { headers: { authorization: `Bearer ${data.token}` } }
      const page = await site.open(user, { path: '/settings/security' })
      const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
      await until('there are two', async () => (await rows.count()) === 2)
      const mark = page.getByText('This session', { exact: true })
      return { user, other, page, rows, mark }
    }
    const isOver = async (session: { headers: { authorization: string } }) =>
      (await site.server.call(session, 'account.usage')).error?.code === 'UNAUTHORIZED'

    test('can be ended one by one, and the focus is kept', async () => {
      const { user, other, page, rows, mark } = await twoSessions()
      await rows
        .filter({ hasNot: mark })
        .getByRole('button', { name: /^Sign out: / })
        .press('Enter')
      await until('it has ended', async () => (await rows.count()) === 1)
      expect([await isOver(other), await isOver(user)]).toEqual([true, false])
      await waitForAnyFocus(page)
    })

    test.each([390, 320])(
      'the button of a row covers none of its text on phones (%i pixels)',
      async (width) => {
        const { page, rows, mark } = await twoSessions()
        await page.setViewportSize({ width, height: 844 })
        const row = rows.filter({ hasNot: mark })
        const button = (await row.getByRole('button').boundingBox())!
        const times = row.getByText('signed in').locator('xpath=..').locator('> span')
        expect(await times.count()).toBe(2)
        for (const time of await times.all())
          expect((await time.boundingBox())!.y).toBeGreaterThanOrEqual(button.y + button.height)
      },
    )

    test('the page’s own session is marked and cannot be ended here', async () => {
      const { rows, mark } = await twoSessions()
      expect(await rows.filter({ has: mark }).getByRole('button').count()).toBe(0)
    })

    test('can all be ended after a confirmation', async () => {
      const { user, other, page } = await twoSessions()
      const everywhere = page.getByRole('button', { name: 'Sign out everywhere' })
      const dialog = page.getByRole('alertdialog', { name: 'Sign out everywhere?' })
      await everywhere.click()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect([await isOver(other), await isOver(user)]).toEqual([false, false])
      await everywhere.click()
      await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.waitForURL(/\/signin/)
      expect([await isOver(other), await isOver(user)]).toEqual([true, true])
    })
  })

  test('the name can be changed and removed', async () => {
    const user = await site.user()
    const saved = async () =>
      (await site.query<{ name: string | null }>('SELECT name FROM users WHERE id = $1', [user.id]))[0]!.name
    const page = await site.open(user, { path: '/settings' })
    const field = page.getByLabel('Your name')
    await field.fill('Ada Lovelace')
    await field.press('Enter')
    await until('it is saved', async () => (await saved()) === 'Ada Lovelace')
    await page.reload()
    await ready(page)
    expect(await field.inputValue()).toBe('Ada Lovelace')
    await field.fill('')
    await page.getByRole('button', { name: 'Save name' }).click()
    await until('it is removed', async () => (await saved()) === null)
  })

  test('language and appearance are in the profile', async () => {
    const page = await site.open(await site.user(), { path: '/settings' })
    const profile = page.getByRole('region', { name: 'Profile' })
    await (await hydrated(profile.getByLabel('Appearance'))).selectOption('Dark')
    await page.locator('html[data-theme=dark]').waitFor()
    await (await hydrated(profile.getByLabel('Language'))).selectOption('Deutsch')
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor()
  })

  describe('sections', () => {
    const SECTIONS = ['Profile', 'Notifications', 'API keys', 'Security']
    const sections = (page: Page) => page.getByRole('navigation', { name: 'Settings sections' })
    const section = (page: Page, name: string) => sections(page).getByRole('link', { name })
    const title = (page: Page) => page.getByRole('heading', { level: 1 })
    const tabTitle = (page: Page, name: string) =>
      until('the title is right', async () => (await page.title()) === `${name} · Pigeonhole`)

    test('on wide screens, have a page each, whose link stays in view and is marked', async () => {
      const page = await site.open(await site.user(), { path: '/settings' })
      expect(await sections(page).getByRole('link').allInnerTexts()).toEqual(SECTIONS)
      const current = sections(page).locator('[aria-current=page]')
      expect(await current.innerText()).toBe('Profile')
      await page.getByLabel('Your name').waitFor()
      for (const name of SECTIONS.slice(1)) {
        await section(page, name).press('Enter')
        await current.and(page.getByText(name, { exact: true })).waitFor()
        await waitForFocus(section(page, name))
        await page
          .getByRole('heading', { level: 2, name: name === 'Security' ? 'Sessions' : name, exact: true })
          .waitFor()
        expect(await title(page).allInnerTexts()).toEqual(['Settings'])
        await tabTitle(page, `${name} · Settings`)
      }
    })

    test('on phones, are a list of links. Each opens a page with a link back, and keeps the focus', async () => {
      const viewport = { width: 390, height: 844 }
      const page = await site.open(await site.user(), { path: '/settings', viewport })
      expect(await sections(page).getByRole('link').allInnerTexts()).toEqual(
        SECTIONS.map((name) => expect.stringContaining(name)),
      )
      expect(await page.getByLabel('Your name').isVisible()).toBe(false)
      for (const back of ['link', 'browser'] as const) {
        await section(page, 'Notifications').press('Enter')
        await title(page).and(page.getByText('Notifications')).waitFor()
        await waitForFocus(title(page))
        await tabTitle(page, 'Notifications · Settings')
        expect(new URL(page.url()).pathname).toBe('/settings/notifications')
        expect(await sections(page).count()).toBe(0)
        await page.getByRole('switch', { name: 'Push notifications' }).waitFor()
        if (back === 'browser') await page.goBack()
        else await page.getByRole('main').getByRole('link', { name: 'Settings' }).press('Enter')
        await waitForFocus(section(page, 'Notifications'))
        expect(await title(page).allInnerTexts()).toEqual(['Settings'])
        await tabTitle(page, 'Settings')
      }
    })

    test('on phones, the tab bar leads to the top of their list and keeps the focus', async () => {
      const viewport = { width: 320, height: 568 }
      const page = await site.open(await site.user(), { path: '/settings/security', viewport })
      const tab = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' })
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      await tab.press('Enter')
      await sections(page).waitFor()
      await waitForFocus(tab)
      expect(await page.evaluate(() => scrollY)).toBe(0)
    })

    test.each([1280, 390])('at %i pixels, open from a link, and need no script to be seen', async (width) => {
      const page = await site.open(await site.user(), {
        path: '/settings/api-keys',
        javaScriptEnabled: false,
        viewport: { width, height: 844 },
        wait: (one) => one.locator('h1:visible').waitFor(),
      })
      expect(await title(page).allInnerTexts()).toEqual([width === 390 ? 'API keys' : 'Settings'])
      await page.getByText('No API keys yet').waitFor()
      if (width === 390) await page.getByRole('main').getByRole('link', { name: 'Settings' }).click()
      await section(page, 'Notifications').click()
      await page.getByRole('switch', { name: 'Push notifications' }).waitFor()
    })
  })

  const guide = (page: Page) => page.getByRole('group').filter({ hasText: 'How to register a phone' })
  const command = (page: Page) => guide(page).getByText(`curl ${site.url}/api/trpc/session.create`)

  test('a guide is filled in when it is expanded', async () => {
    const page = await site.open(await site.user(), { path: '/settings/notifications' })
    expect(await guide(page).locator('pre').count()).toBe(0)
    await guide(page).locator('summary').click()
    await command(page).waitFor()
  })

  test('a guide that is expanded before the page is ready is also filled in', async () => {
    const page = await site.open(await site.user(), { path: '/settings/notifications' })
    const unfolding = await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        const first = document.querySelector('details')
        if (!first) return
        first.open = true
        observer.disconnect()
      }).observe(document, { childList: true, subtree: true })
    })
    await page.reload()
    await command(page).waitFor()
    await unfolding.dispose()
  })

  describe('API keys', () => {
    const card = (page: Page) => page.getByRole('region', { name: 'API keys' })
    const submit = (page: Page) => card(page).getByRole('button', { name: 'Create key' })

    test('need at least one scope', async () => {
      site.expectErrors(/status of 400/)
      const page = await site.open(await site.user(), { path: '/settings/api-keys' })
      await card(page).getByRole('button', { name: 'New API key' }).click()
      await waitForFocus(card(page).getByLabel('Key name'))
      await page.keyboard.type('nightly backup')
      await card(page).getByLabel('Upload files').uncheck()
      await submit(page).click()
      await card(page).getByText('Choose at least one permission.').waitFor()
    })

    test('are shown once, with a command that works', async () => {
      const page = await site.open(await site.user(), {
        path: '/settings/api-keys',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await card(page).getByText('No API keys yet').waitFor()
      await card(page).getByRole('button', { name: 'New API key' }).click()
      await card(page).getByLabel('Key name').fill('nightly backup')
      await card(page).getByLabel('Expires after').selectOption('30 days')
      await card(page).getByLabel('Upload files').uncheck()
      await card(page).getByLabel('List and download files').check()
      await submit(page).click()
      const made = card(page).getByRole('region', { name: 'Your new API key' })
      await waitForFocus(made.getByText('Your new API key'))
      const token = (await made.getByRole('region', { name: 'API key' }).innerText()).trim()
      expect(token).toMatch(/^pk_[\w-]{43}$/)
      // On a phone too, all of the key and of the command is visible, with the buttons that copy them.
      await page.setViewportSize({ width: 390, height: 844 })
      for (const code of await made.locator('figure section').all())
        expect(await code.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
      for (const copy of await made.getByRole('button', { name: 'Copy' }).all()) {
        const { x, width } = (await copy.boundingBox())!
        expect(x + width).toBeLessThanOrEqual(390)
      }
      const figure = made.locator('figure').filter({ hasText: 'Try it' })
      const { command, printed } = await runCopiedCommand(figure)
      expect(command).toContain(token)
      expect(JSON.parse(printed).result.data.items).toEqual([])
      const row = listRow(page, 'API keys', 'nightly backup')
      await row.getByText('List and download files').waitFor()
      await made.getByRole('button', { name: 'Done' }).click()
      expect(await page.content()).not.toContain(token)
      await page.reload()
      await ready(page)
      await row.getByText(/last used/).waitFor()
      expect(await page.content()).not.toContain(token)
    })

    test('need the password if the sign-in is old, and the form keeps what was entered, without an error after Cancel', async () => {
      site.expectErrors(/status of 403/)
      const user = await site.user({ password: PASSWORD })
      await ageSessions(site, user)
      const page = await site.open(user, { path: '/settings/api-keys' })
      await card(page).getByRole('button', { name: 'New API key' }).click()
      await card(page).getByLabel('Key name').fill('nightly backup')
      await card(page).getByLabel('Key name').press('Enter')
      const dialog = page.getByRole('alertdialog', { name: 'Confirm your identity' })
      await waitForFocus(dialog.getByLabel('Password'))
      expect(await pageFaults(page)).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await waitForFocus(card(page).getByLabel('Key name'))
      await submit(page).and(page.locator(':not([aria-busy=true])')).waitFor()
      expect(await card(page).getByRole('alert').count()).toBe(0)
      await submit(page).click()
      await dialog.getByLabel('Password').fill('wrong')
      await page.keyboard.press('Enter')
      await dialog.getByText('Wrong password.').waitFor()
      await dialog.getByLabel('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await card(page).getByRole('region', { name: 'Your new API key' }).waitFor()
      await listRow(page, 'API keys', 'nightly backup').waitFor()
      expect(await dialog.count()).toBe(0)
    })

    test('that are revoked are rejected', async () => {
      const user = await site.user()
      const key = { name: 'nightly backup', scopes: ['files:read'] }
      const { token } = await site.server.ok(user, 'apiKeys.create', key)
      const list = () => site.server.call({ headers: { authorization: `Bearer ${token}` } }, 'files.list', {})
      expect((await list()).error).toBeUndefined()
      const page = await site.open(user, { path: '/settings/api-keys' })
      await card(page).getByRole('button', { name: 'Revoke nightly backup' }).click()
      await confirmation(page, 'Revoke').click()
      await card(page).getByText('No API keys yet').waitFor()
      expect((await list()).error?.code).toBe('UNAUTHORIZED')
    })
  })

  test('a password change ends the other sessions, but not the page’s', async () => {
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user, { path: '/settings/security' })
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    // The page has a new session. This checks the previous one.
    expect((await site.server.call(user, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    await page.reload()
    await ready(page)
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    const signIn = { email: user.email, password: NEW_PASSWORD }
    const { data: again } = await site.server.call(null, 'session.create', signIn)
    // The page's session and this one: the change leaves no other.
    const { items } = await site.server.ok(
      { headers: { authorization: `Bearer ${again.token}` } },
      'account.sessions',
    )
    expect(items).toHaveLength(2)
  })

  test('a wrong current password is reported at its field, which takes the focus', async () => {
    site.expectErrors(/status of 403/)
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user, { path: '/settings/security' })
    const current = page.getByLabel('Current password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Enter your current password.').waitFor()
    await waitForFocus(current)
    await current.fill('wrong')
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The current password is wrong.').waitFor()
    await waitForFocus(current)
    expect(await current.getAttribute('aria-invalid')).toBe('true')
  })

  test('an account without a password is asked for none, but for a recent sign-in', async () => {
    site.expectErrors(/status of 403/)
    const user = await site.user()
    await ageSessions(site, user)
    const page = await site.open(user, { path: '/settings/security' })
    const password = page.getByRole('region', { name: 'Password', exact: true })
    expect(await password.getByLabel('Current password').count()).toBe(0)
    await password.getByLabel('New password').fill(NEW_PASSWORD)
    await password.getByRole('button', { name: 'Set password' }).click()
    const confirm = page.getByRole('alertdialog', { name: 'Confirm your identity' })
    await confirm.waitFor()
    await confirm.getByRole('button', { name: 'Cancel' }).click()
    await password.locator('button:not([aria-busy=true])', { hasText: 'Set password' }).waitFor()
    expect(await password.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Delete account' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete your account?' })
    await question.waitFor()
    expect(await question.getByLabel('Your password').count()).toBe(0)
    await question.getByRole('button', { name: 'Delete account' }).click()
    await confirm.waitFor()
    await confirm.getByRole('button', { name: 'Cancel' }).click()
    await question.locator('button:not([aria-busy=true])', { hasText: 'Delete account' }).waitFor()
    expect(await question.getByRole('alert').count()).toBe(0)
  })

  test('a user who has no password can set one, and then change it', async () => {
    const user = await site.user()
    const page = await site.open(user, { path: '/settings/security' })
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Password set.').waitFor()
    await page.getByLabel('Current password').waitFor()
    await page.getByRole('button', { name: 'Change password' }).waitFor()
  })

  test('on touch screens, every control has at least 44 pixels', async () => {
    const user = await site.user({ password: PASSWORD })
    await site.server.ok(user, 'preferences.update', { mutedCategories: ['builds'] })
    const page = await site.open(user, {
      path: '/settings',
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 844 },
    })
    for (const section of ['', '/profile', '/notifications', '/security', '/api-keys']) {
      await goTo(page, `/settings${section}`)
      if (section === '/api-keys') {
        await page.getByRole('button', { name: 'New API key' }).click()
        await page.getByLabel('Key name').waitFor()
      }
      const controls = page.locator('button, nav a, main a, select, input:not([type=checkbox])')
      expect(await smallTargets(controls), section).toEqual([])
    }
  })

  test('password managers see the account of the new password', async () => {
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user, { path: '/settings/security' })
    const form = page.locator('form', { has: page.getByLabel('Current password') })
    const values = await form
      .locator('input')
      .evaluateAll((inputs) =>
        (inputs as HTMLInputElement[]).map(({ type, autocomplete, value }) => [type, autocomplete, value]),
      )
    expect(values).toEqual([
      ['text', 'username', user.email],
      ['password', 'current-password', ''],
      ['password', 'new-password', ''],
    ])
  })

  test('the current session is the first, and the saved name is no warning', async () => {
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user, { path: '/settings/security' })
    await site.server.call(null, 'session.create', { email: user.email, password: PASSWORD })
    await site.query(
      `UPDATE sessions SET last_seen_at = now() + interval '1 hour'
       WHERE id = (SELECT id FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1)`,
      [user.id],
    )
    await page.reload()
    await ready(page)
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await until('there are two', async () => (await rows.count()) === 2)
    expect(await rows.first().textContent()).toContain('This session')
    await goTo(page, '/settings')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByRole('button', { name: 'Save name' }).click()
    const notice = page.getByRole('region', { name: 'Notice' })
    await notice.getByText('Name saved').waitFor()
    // Messages about success go away by themselves.
    await notice.waitFor({ state: 'detached' })
  })

  test('deleting an account requires its password', async () => {
    site.expectErrors(/status of (401|403)/)
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user, { path: '/settings/security' })
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Your password').fill('wrong')
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await dialog.getByRole('alert').waitFor()
    expect((await site.server.call(user, 'account.usage')).error).toBeUndefined()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await page.waitForURL(/\/signin/)
    expect((await site.server.call(user, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
  })
})
