// Requirements of every page and its states: usable with screen readers, keyboards and narrow phones, with reduced motion
// and with forced colors. A page that is missing from the table fails the first test. Pages that need email are in
// tests/e2e/mail.test.ts.

import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { keyboard, waitForAnyFocus, waitForFocus } from './support/focus.ts'
import { fileRow, goTo } from './support/page.ts'
import { faultsOfAll, pageFaults } from './support/page-checks.ts'
import { preparePages } from './support/page-subjects.ts'
import { FAULT_PAGES, PAGES, type PageEntry, type Reader, type Subjects } from './support/page-table.ts'
import { describeSite, ready } from './support/site.ts'

test('every page of the app is in the table of pages', () => {
  const pages = globSync('**/{page,error,not-found}.tsx', { cwd: join(ROOT, 'src/app') })
  const listed = [...PAGES.flatMap(({ files }) => files), ...FAULT_PAGES]
  expect(pages.filter((file) => !listed.includes(file))).toEqual([])
  expect(listed.filter((file) => !existsSync(join(ROOT, 'src/app', file)))).toEqual([])
})

describeSite('every page', (site) => {
  let users: Record<Reader, TestUser | null>
  let subjects: Subjects
  beforeAll(async () => {
    ;({ users, subjects } = await preparePages(site))
  })

  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor()
  const pathOf = ({ path }: PageEntry) => (typeof path === 'string' ? path : path(subjects))
  const what = 'axe, 320 pixels, reduced motion, keyboard and forced colors'

  for (const entry of PAGES.filter(
    ({ isApart, as, needsMail }) => !needsMail && (isApart || as === 'nobody'),
  )) {
    const { path, as, errors, wait = as === 'nobody' ? heading : ready } = entry
    const where = typeof path === 'string' ? path : path.toString().replace(/^.*?\) => /, '')
    test(`${where} as ${as}: ${what}`, async () => {
      if (errors) site.expectErrors(errors)
      const page = await site.open(users[as], { path: pathOf(entry), wait })
      expect(await faultsOfAll(page, entry)).toEqual([])
    })
  }

  // Run all in one document with the app's own navigation. Loading a page costs half a second, and starting axe-core
  // as much again.
  test.each(['user', 'newcomer', 'admin'] as const)(
    `all other pages as %s: ${what}`,
    { timeout: 300_000 },
    async (as) => {
      const entries = PAGES.filter((entry) => entry.as === as && !entry.isApart)
      const page = await site.open(users[as], { path: pathOf(entries[0]!) })
      const found: [string, ...unknown[]][] = []
      for (const entry of entries) {
        if (entry.errors) site.expectErrors(entry.errors)
        if (entry !== entries[0]) await goTo(page, pathOf(entry))
        await entry.wait?.(page)
        await heading(page)
        // During a navigation, the title arrives after the page.
        await page.waitForFunction(() => document.title !== '')
        const faults = await faultsOfAll(page, entry)
        if (faults.length > 0) found.push([pathOf(entry), ...faults])
      }
      expect(found).toEqual([])
    },
  )

  test.each([
    ['/messages', 'push_messages'],
    ['/signin', 'sessions'],
  ])('%s passes the checks after it failed', async (path, table) => {
    site.expectErrors(/status of 500/)
    const page = await site.open(users.user, { path: '/settings' })
    await site.query(`ALTER TABLE ${table} RENAME TO ${table}_away`)
    try {
      await page.goto(site.url + path)
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      await page.getByRole('link', { name: 'Try again' }).waitFor()
    } finally {
      await site.query(`ALTER TABLE ${table}_away RENAME TO ${table}`)
    }
    expect(await pageFaults(page)).toEqual([])
  })

  test('with the keyboard alone, users can open a menu, delete a file and restore it', async () => {
    const page = await site.open(users.user)
    await fileRow(page, 'photo.png').waitFor()
    const { press, tabTo, focusOn } = keyboard(page)
    await tabTo('Actions for photo.png')
    await press('Enter')
    await focusOn('Preview')
    await press('ArrowDown')
    await press('ArrowUp')
    await focusOn('Preview')
    await press('Escape')
    await focusOn('Actions for photo.png')
    // Reopen it in a later task: within the same task, the page would not notice that it was closed.
    await page.getByRole('button', { name: 'Actions for photo.png', expanded: false }).waitFor()
    await press('Enter')
    await focusOn('Preview')
    // Move to the last item.
    await press('ArrowUp')
    await focusOn('Move to trash')
    await press('Enter')
    await fileRow(page, 'photo.png').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await tabTo('Undo')
    await press('Enter')
    await fileRow(page, 'photo.png').waitFor()
    await waitForAnyFocus(page)
  })

  test('with the keyboard alone, Escape closes the account menu and restores the focus', async () => {
    const page = await site.open(users.user)
    const { press, tabTo, focusOn } = keyboard(page)
    await tabTo(/^Account/)
    await press('Enter')
    await tabTo('Sign out')
    await press('Escape')
    await focusOn(/^Account/)
  })

  test('with the keyboard alone, users can write, test and send a message', async () => {
    const user = users.user!
    const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'keys' })
    const page = await site.open(user, { path: '/messages/new' })
    const { press, tabTo, type, focusOn } = keyboard(page)
    await tabTo('Title')
    await type('Storm')
    await tabTo('Text')
    await type('Stay inside')
    await tabTo(/^More options/)
    await press('Enter')
    await page.getByLabel('Subtitle').waitFor()
    await tabTo('Subtitle')
    await type('From 18:00')
    await tabTo('Send a test to my devices')
    await press('Enter')
    const delivery = page.getByRole('region', { name: 'Delivery' })
    await delivery.getByText(/^Sent to \d/).waitFor()
    await tabTo('Push token')
    await type(made.body.token)
    await tabTo('The token’s owner')
    // Send to everyone.
    for (let i = 0; i < 3; i++) await press('ArrowDown')
    await focusOn('Everyone')
    await tabTo(/^Send( to \d+ devices?)?$/)
    await press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await focusOn('Cancel')
    await tabTo('Send')
    await press('Enter')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await delivery.getByText(/^Sent to \d/).waitFor()
    await tabTo('Write another')
  })

  test('with the keyboard alone, administrators can create and revoke a push token', async () => {
    const page = await site.open(users.admin, { path: '/admin/push-tokens' })
    const { press, tabTo, type } = keyboard(page)
    await tabTo('New push token')
    await press('Enter')
    // The form has a script of its own.
    await page.getByLabel('Owner (email or ID)').waitFor()
    await tabTo('Owner (email or ID)')
    await type(users.user!.email)
    await tabTo('Token name')
    await type('by keyboard')
    await press('Enter')
    await page.getByRole('region', { name: 'The new push token' }).waitFor()
    await tabTo('Done')
    await press('Enter')
    await tabTo('Revoke by keyboard')
    await press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo('Revoke')
    await press('Enter')
    const row = page.getByRole('listitem').filter({ hasText: 'by keyboard' })
    await row.getByText('Revoked').waitFor()
    await waitForAnyFocus(page)
  })

  test('with the keyboard alone, administrators can find a user, change the quota, and disable and enable the user', async () => {
    const { email } = await site.user({ email: 'keys.only@example.com' })
    const page = await site.open(users.admin, { path: '/admin/users' })
    const { press, tabTo, type } = keyboard(page)
    await tabTo('Email, name or ID')
    await type(email)
    await press('Enter')
    await until(
      'one user',
      async () => (await page.getByRole('list', { name: 'Users' }).getByRole('link').count()) === 1,
    )
    await tabTo(email)
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: email }).waitFor()
    await tabTo('Disable')
    await press('Enter')
    await page.getByRole('alertdialog', { name: 'Disable this user?' }).waitFor()
    await tabTo('Disable')
    await press('Enter')
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    await tabTo('Change quota')
    await press('Enter')
    await tabTo('Quota in MB')
    await press('ControlOrMeta+a')
    await type('0.5')
    await press('Enter')
    await page.getByText('0 bytes of 512 KB used').waitFor()
    await waitForAnyFocus(page)
    await tabTo('Enable')
    await press('Enter')
    await page.getByRole('button', { name: 'Disable' }).waitFor()
  })

  test('with the keyboard alone, users can change their settings, and create and revoke an API key', async () => {
    const page = await site.open(await site.user(), { path: '/settings' })
    const { press, tabTo, focusOn, type } = keyboard(page)
    await tabTo('Your name (optional)')
    await type('Ada by keyboard')
    await press('Enter')
    await page.getByText('Name saved').first().waitFor({ state: 'attached' })
    await tabTo('Appearance')
    await tabTo('Notifications')
    await press('Enter')
    await page.getByRole('switch', { name: 'Push notifications' }).waitFor()
    await tabTo('Security')
    await press('Tab')
    await waitForFocus(page.getByRole('switch', { name: 'Push notifications' }))
    await press('Space')
    await page.getByRole('switch', { name: 'Push notifications', checked: false }).waitFor()
    await tabTo('Category to mute')
    await type('sports')
    await press('Enter')
    await page.getByRole('button', { name: 'Unmute sports' }).waitFor()
    await tabTo('API keys')
    await press('Enter')
    await page.getByRole('button', { name: 'New API key' }).waitFor()
    await tabTo('New API key')
    await press('Enter')
    // Its script is loaded first.
    await focusOn('Key name')
    await type('by keyboard')
    await press('Enter')
    await page.getByRole('region', { name: 'Your new API key' }).waitFor()
    await tabTo('Done')
    await press('Enter')
    await tabTo('Revoke by keyboard')
    await press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo('Revoke')
    await press('Enter')
    // Only active keys are listed.
    await page.getByText('No API keys yet').waitFor()
    await waitForAnyFocus(page)
  })

  test('with forced colors, on and off look different', async () => {
    const page = await site.open(users.user, { path: '/settings/notifications', forcedColors: 'active' })
    const toggle = page.getByRole('switch', { name: 'Push notifications' })
    await page.mouse.move(0, 0)
    const on = await toggle.screenshot({ animations: 'disabled' })
    await toggle.press('Enter')
    await until('it is off', async () => (await toggle.getAttribute('aria-checked')) === 'false')
    const off = await toggle.screenshot({ animations: 'disabled' })
    expect(on.equals(off)).toBe(false)
    await toggle.press('Enter')
    await until('it is on', async () => (await toggle.getAttribute('aria-checked')) === 'true')
  })
})
