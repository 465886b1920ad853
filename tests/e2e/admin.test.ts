// The pages for administrators: access to them, and their functions.

import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { newIdOf } from '../../src/server/kernel/ids.ts'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { holdNewestFile, seedFiles } from '../support/seed-files.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { runCopiedCommand } from './support/copied-command.ts'
import { png, scratch } from './support/files.ts'
import { waitForAnyFocus, waitForFocus } from './support/focus.ts'
import { chooseAction, confirmation, goTo, listRow, openFilters } from './support/page.ts'
import { describeSite, ready } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const PASSWORD = 'a password for the browser tests'
const USERS_API = /\/api\/admin\/users(\?|$)/
const PAGES = ['users', 'files', 'server-keys', 'push-tokens', 'broadcasts', 'webhooks', 'health', 'audit']
const HOOK = 'https://backend.invalid/hooks'
const scratchFiles = scratch()
const links = (page: Page) => page.getByRole('navigation', { name: 'Administration' }).getByRole('link')
/** Checks that a row's values are below their names, and that phones show the first name in the row. */
async function isInColumns(page: Page, row: Locator, names: string[]): Promise<void> {
  await ready(page)
  await row.waitFor()
  const left = async (locator: Locator) => Math.round((await locator.boundingBox())!.x)
  for (const name of names)
    expect(await left(row.locator('div', { hasText: new RegExp(`^${name}`) }).last()), name).toBe(
      await left(
        page
          .locator('[aria-hidden] > span, span[aria-hidden], button[aria-pressed]', {
            hasText: new RegExp(`^${name}$`),
          })
          .first(),
      ),
    )
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 844 })
  const label = row.getByText(names[0]!, { exact: true })
  await until('the label is visible', async () => (await label.boundingBox())!.width > 20)
  await page.setViewportSize(size)
}

const searchField = (page: Page) => page.getByLabel('Email, name or ID')

describeSite('pages for administrators', (site) => {
  let admin: TestUser
  let user: TestUser
  beforeAll(async () => {
    admin = await site.admin({ name: 'Grace' })
    user = await site.user({ name: 'Ada' })
  })

  const api = async (method: string, path: string) =>
    (
      await fetch(`${site.url}/api/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_SECRET}` },
      })
    ).json()
  const pushToken = async (): Promise<string> =>
    (await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'siren' })).body.token

  test('other users get "Page not found" on every page', async () => {
    for (const path of ['', ...PAGES, `users/${user.id}`, 'files/x', 'webhooks/x']) {
      const answer = await fetch(`${site.url}/admin/${path}`, {
        headers: { cookie: `next-auth.session-token=${user.token}` },
      })
      expect([path, answer.status]).toEqual([path, 404])
    }
  })

  test('in German on a phone in portrait orientation, the navigation shows the whole link of the current page', async () => {
    const [landscape, portrait] = [
      { width: 844, height: 390 },
      { width: 390, height: 844 },
    ]
    const page = await site.open(admin, { path: '/admin/users', locale: 'de', viewport: landscape })
    for (const name of PAGES) {
      await page.setViewportSize(landscape)
      await goTo(page, `/admin/${name}`)
      const current = page
        .getByRole('navigation', { name: 'Verwaltung' })
        .locator(`[aria-current][href="/admin/${name}"]`)
      await current.waitFor()
      const hidden = () =>
        current.evaluate((link) => {
          const [inner, outer] = [link.getBoundingClientRect(), link.parentElement!.getBoundingClientRect()]
          return Math.max(0, outer.left - inner.left, inner.right - outer.right)
        })
      await page.setViewportSize(portrait)
      await until(`the whole link to ${name} is visible`, async () => (await hidden()) < 1)
    }
  })

  test('other users see no links to them', async () => {
    site.expectErrors(/status of 404/)
    const page = await site.open(user, { path: '/admin/users' })
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.getByRole('link', { name: /Admin|Push tokens/ }).count()).toBe(0)
  })

  test('a signed-out visitor is redirected to the sign-in page and back', async () => {
    const answer = await fetch(`${site.url}/admin/users`, { redirect: 'manual' })
    expect(answer.headers.get('location')).toContain('/signin?callbackUrl=%2Fadmin%2Fusers')
  })

  test('an administrator can open them from every page', async () => {
    const page = await site.open(admin, { path: '/settings' })
    await page.getByRole('navigation', { name: 'Main' }).first().getByRole('link', { name: 'Admin' }).click()
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
  })

  test('users are found by part of their email in any case, and shown with their use of storage', async () => {
    const zoe = await site.user({ name: 'Zoe' })
    const page = await site.open(admin, { path: '/admin/users' })
    await searchField(page).fill('nobody at all')
    await page.keyboard.press('Enter')
    await page.getByText('No users match these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await listRow(page, 'Users', zoe.email).waitFor()
    expect(await searchField(page).inputValue()).toBe('')
    await searchField(page).fill(zoe.email.toUpperCase())
    await page.keyboard.press('Enter')
    const found = listRow(page, 'Users', zoe.email)
    await found.getByText('0 bytes of 500 MB').waitFor()
    // The name is first and leads to the user's page, which has it as its heading. Names are not unique.
    await found.getByText('0 ready files, 0 devices').waitFor()
    await found.getByRole('link', { name: 'Zoe', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Zoe', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Account' }).getByText(zoe.email).waitFor()
  })

  test('a user is found by the full ID, and the result links to the user’s page', async () => {
    const page = await site.open(admin, { path: '/admin/users' })
    await searchField(page).fill(user.id)
    await page.keyboard.press('Enter')
    // Before, the row would move away from the click.
    await page.getByRole('status').getByText('1 user', { exact: true }).waitFor()
    await listRow(page, 'Users', user.email).getByRole('link').click()
    await page.getByRole('region', { name: 'Account' }).getByText(user.email).waitFor()
  })

  test('a user’s quota can be changed and reset to the default', async () => {
    const page = await site.open(admin, { path: `/admin/users/${user.id}` })
    const quota = async () => (await site.server.ok(user, 'account.usage')).quota / 1024 / 1024
    // The form is closed: few visitors change the quota.
    expect(await page.getByLabel('Quota in MB').isVisible()).toBe(false)
    await page.getByText('Change quota').click()
    await page.getByLabel('Quota in MB').fill('2.5')
    await page.getByRole('button', { name: 'Save quota' }).click()
    await page.getByText('0 bytes of 2.5 MB used').waitFor()
    expect(await quota()).toBe(2.5)
    await page.getByRole('button', { name: /^Reset to the default, 500\sMB$/ }).click()
    await page.getByText('0 bytes of 500 MB used').waitFor()
    expect(await quota()).toBe(500)
  })

  test('a disabled user is signed out, and can sign in once enabled again', async () => {
    const zoe = await site.user({ password: PASSWORD })
    const signIn = () => site.server.call(null, 'session.create', { email: zoe.email, password: PASSWORD })
    const page = await site.open(admin, { path: `/admin/users/${zoe.id}` })
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByRole('alertdialog').getByText(zoe.email).waitFor()
    await confirmation(page, 'Disable').click()
    await page.getByRole('main').getByText('Disabled', { exact: true }).waitFor()
    expect((await site.server.call(zoe, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    expect((await signIn()).error).toBeDefined()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor()
    expect((await signIn()).error).toBeUndefined()
  })

  test('rare actions on a user are in a menu, deletion last, and a sign-out everywhere asks for a confirmation', async () => {
    const zoe = await site.user({ password: PASSWORD })
    const page = await site.open(admin, { path: `/admin/users/${zoe.id}` })
    const more = page.getByRole('button', { name: 'More actions' })
    await more.press('Enter')
    const menu = page.getByRole('menu')
    const actions = ['Set password', 'Sign out everywhere', 'Make administrator', 'Delete user']
    await menu.getByRole('menuitem').first().waitFor()
    expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual(actions)
    await menu.locator('hr + [role=menuitem]').getByText('Delete user').waitFor()
    const colorOf = (name: string) =>
      menu.getByRole('menuitem', { name }).evaluate((item) => getComputedStyle(item).color)
    // Red means danger, and only that.
    const colors = await Promise.all(actions.map(colorOf))
    expect(colors.filter((color) => color === colors.at(-1))).toHaveLength(1)
    const danger = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('p'))
      probe.style.color = 'var(--color-danger)'
      const { color } = getComputedStyle(probe)
      probe.remove()
      return color
    })
    expect(colors.at(-1)).toBe(danger)
    for (const name of actions) expect(await page.getByRole('button', { name }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await waitForFocus(more)
    await chooseAction(page, 'Sign out everywhere')
    await page.getByRole('alertdialog').getByText(zoe.email).waitFor()
    await confirmation(page, 'Sign out everywhere').click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect((await site.server.call(zoe, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    const signedIn = await site.server.call(null, 'session.create', { email: zoe.email, password: PASSWORD })
    expect(signedIn.error).toBeUndefined()
  })

  test('a user’s page lists the devices without their tokens', async () => {
    const zoe = await site.user()
    const token = 'ab'.repeat(32)
    await site.server.call(zoe, 'devices.register', { platform: 'ios', token, name: 'Zoe’s iPhone' })
    const page = await site.open(admin, { path: `/admin/users/${zoe.id}` })
    const row = listRow(page, 'Devices', 'Zoe’s iPhone')
    await row.getByText('iOS').waitFor()
    await row.getByText('…abababab').waitFor()
    expect(await page.content()).not.toContain(token)
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('on phones, empty lists of a user’s page are one line, and the number of files leads to them', async () => {
    const zoe = await site.user()
    const path = `/admin/users/${zoe.id}`
    const page = await site.open(admin, { path, viewport: { width: 390, height: 844 } })
    const heightOf = async (card: string) =>
      (await page.getByRole('region', { name: card, exact: true }).boundingBox())!.height
    await page.getByText('No devices yet').waitFor()
    await page.getByText('No push tokens yet').waitFor()
    // A line of text, and one beside a button.
    expect(await heightOf('Devices')).toBeLessThan(56)
    expect(await heightOf('Push tokens')).toBeLessThan(76)
    const files = page.getByRole('link', { name: '0 ready files' })
    expect(await files.getAttribute('href')).toMatch(/^\/admin\/files\?user=.+&state=READY$/)
    await page.getByRole('button', { name: 'New push token' }).click()
    await page.getByText('No push tokens yet').waitFor({ state: 'hidden' })
  })

  test('on phones, a user with a name takes three lines, or four with an unusual state', async () => {
    const zoe = await site.user({ email: 'zoe.short@example.com', name: 'Zoe' })
    const closed = await site.user({ email: 'closed.short@example.com', name: 'Zoe' })
    await site.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [zoe.id])
    await site.query('UPDATE users SET email_verified_at = now(), disabled_at = now() WHERE id = $1', [
      closed.id,
    ])
    const page = await site.open(admin, { path: '/admin/users', viewport: { width: 390, height: 844 } })
    const heightOf = async (row: Locator) => (await row.boundingBox())!.height
    // 24 pixels of padding, 24 for the name, then lines of 20 to 24 with gaps of 6.
    expect(await heightOf(listRow(page, 'Users', zoe.email))).toBeLessThan(106)
    expect(await heightOf(listRow(page, 'Users', closed.email))).toBeLessThan(138)
  })

  test('users are in columns on wide screens, and name their values on phones', async () => {
    const zoe = await site.user({ name: 'Zoe' })
    await site.query('UPDATE users SET email_verified_at = now(), last_seen_at = now() WHERE id = $1', [
      zoe.id,
    ])
    const page = await site.open(admin, { path: '/admin/users' })
    const row = listRow(page, 'Users', zoe.email)
    // The newest user is the first one, in view.
    await row.getByText('Active', { exact: true }).waitFor()
    await isInColumns(page, row, ['Last seen', 'Role', 'Created', 'Status'])
  })

  test('server keys, push tokens and files are in columns on wide screens, name their values on phones, and mark no usual state. On phones, their buttons keep to the padding, those of held files on a line of their own', async () => {
    const owner = await withFiles(1)
    const days = { expiresInDays: 1 }
    await site.server.post('/api/push/token', ADMIN_SECRET, { userId: owner.id, name: 'foghorn', ...days })
    const key = { name: 'depot', scopes: ['users:read'], ...days }
    await site.server.post('/api/admin/server-keys', ADMIN_SECRET, key)
    const page = await site.open(admin, { path: `/admin/files?user=${owner.id}` })
    const file = listRow(page, 'Files', 'report 00001.pdf')
    await isInColumns(page, file, ['Owner', 'Created', 'Status'])
    const onPhone = async (check: () => Promise<void>) => {
      const size = page.viewportSize()!
      await page.setViewportSize({ width: 390, height: 844 })
      await check()
      await page.setViewportSize(size)
    }
    const boxOf = async (element: Locator) => (await element.boundingBox())!
    await onPhone(async () => {
      const [row, state, accept] = [
        await boxOf(file),
        await boxOf(file.getByText('Held', { exact: true })),
        await boxOf(file.getByRole('button', { name: /^Accept/ })),
      ]
      expect(Math.round(accept.x - row.x)).toBe(16)
      expect(accept.y).toBeGreaterThanOrEqual(state.y + state.height)
    })
    await page.goto(`${site.url}/admin/push-tokens`)
    const token = listRow(page, 'Push tokens', 'foghorn')
    await isInColumns(page, token, ['Owner', 'Can send to', 'Last used', 'Expires', 'Status'])
    await onPhone(async () => {
      const [row, revoke] = [await boxOf(token), await boxOf(token.getByRole('button', { name: /^Revoke/ }))]
      expect(Math.round(row.x + row.width - revoke.x - revoke.width)).toBe(16)
    })
    const usual = token.getByText('Active', { exact: true })
    expect(await usual.evaluate((one) => getComputedStyle(one).borderRadius)).toBe('0px')
    // The page of the owner needs no column with the owner.
    await page.goto(`${site.url}/admin/users/${owner.id}`)
    await isInColumns(page, token, ['Can send to', 'Last used', 'Expires', 'Status'])
    expect(await token.getByText('Owner', { exact: true }).count()).toBe(0)
    await page.goto(`${site.url}/admin/server-keys`)
    await isInColumns(page, listRow(page, 'Server keys', 'depot'), [
      'Permissions',
      'Last used',
      'Expires',
      'Status',
    ])
    await site.query(`DELETE FROM server_keys WHERE name = 'depot'`)
  })

  test('a form for a user who has since been deleted says so', async () => {
    site.expectErrors(/status of 404/)
    const zoe = await site.user()
    const page = await site.open(admin, { path: `/admin/users/${zoe.id}` })
    await page.getByRole('button', { name: 'New push token' }).click()
    await page.getByLabel('Token name').fill('siren')
    await api('DELETE', `/users/${zoe.id}`)
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('This no longer exists. It may have been deleted.').waitFor()
  })

  test('the dialog lists what a user’s deletion removes, and its button is disabled until the administrator has typed the email', async () => {
    const zoe = await site.user()
    await seedFiles(site.server.databaseUrl, zoe.id, 3)
    await site.query('UPDATE users SET used_bytes = 2048 WHERE id = $1', [zoe.id])
    const token = 'cd'.repeat(32)
    await site.server.call(zoe, 'devices.register', { platform: 'ios', token })
    const page = await site.open(admin, { path: `/admin/users/${zoe.id}` })
    const typed = page.getByRole('alertdialog').getByLabel(`Type ${zoe.email} to confirm`)
    await chooseAction(page, 'Delete user')
    const lost = page.getByRole('alertdialog').getByRole('listitem')
    await page.getByText('Data to be deleted:').waitFor()
    expect(await lost.allInnerTexts()).toEqual([
      'All files, including the trash and unfinished uploads (2\u00a0KB)',
      '1 device',
      'All API keys, push tokens, shared links and received messages',
    ])
    for (const text of ['', `not ${zoe.email}`]) {
      await typed.fill(text)
      await typed.press('Enter')
      expect(await confirmation(page, 'Delete user').isDisabled()).toBe(true)
    }
    expect(await violationsInBothSchemes(page)).toEqual([])
    expect((await api('GET', `/users/${zoe.id}`)).email).toBe(zoe.email)
    await typed.fill(zoe.email)
    await confirmation(page, 'Delete user').click()
    await page.waitForURL(/\/admin\/users$/)
    expect((await api('GET', `/users/${zoe.id}`)).error.code).toBe('NOT_FOUND')
  })

  test('administrators see which user is their own', async () => {
    const page = await site.open(admin, { path: `/admin/users/${admin.id}` })
    await page.getByText('This is you.').waitFor()
  })

  test('the page of an unknown user leads to the audit log, which tells what became of the account', async () => {
    site.expectErrors(/status of 404/)
    const id = newIdOf(new Date())
    const page = await site.open(admin, { path: `/admin/users/${id}` })
    const missing = page.getByRole('alert').filter({ hasText: 'User not found' })
    const log = missing.getByRole('link', { name: 'Audit log for this user' })
    expect(await log.getAttribute('href')).toBe(`/admin/audit?user=${id}`)
  })

  test('the form for a new user reports an email in use', async () => {
    site.expectErrors(/status of 409/)
    const page = await site.open(admin, { path: '/admin/users' })
    await page.getByRole('button', { name: 'New user' }).press('Enter')
    await waitForFocus(page.getByLabel('Email', { exact: true }))
    await page.keyboard.insertText(admin.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create user' }).click()
    const form = page.getByRole('alertdialog', { name: 'New user' })
    await form.getByText('A user with this email already exists.').waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await waitForFocus(page.getByRole('button', { name: 'New user' }))
  })

  test('on a server without email, an administrator sets a new user’s password, name, quota and role', async () => {
    const page = await site.open(admin, { path: '/admin/users' })
    await page.getByRole('button', { name: 'New user' }).click()
    expect(await page.getByText('Email an invitation').count()).toBe(0)
    const email = 'hopper@example.com'
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Name (optional)').fill('Admiral')
    await page.getByLabel('Quota in MB (optional)').fill('1.5')
    await page.getByLabel('Administrator').check()
    await page.getByRole('button', { name: 'Create user' }).press('Enter')
    await page.getByText(`${email} can now sign in.`).first().waitFor()
    await waitForFocus(page.getByRole('button', { name: 'New user' }))
    const made = listRow(page, 'Users', email)
    await made.getByText('Admiral').waitFor()
    await made.getByText('Admin', { exact: true }).waitFor()
    const { data } = await site.server.call(null, 'session.create', { email, password: PASSWORD })
    const signedIn = { headers: { authorization: `Bearer ${data.token}` } }
    expect((await site.server.ok(signedIn, 'account.usage')).quota).toBe(1.5 * 1024 * 1024)
  })

  /** Adds files, newest first `report 00001.pdf` and so on. The first one is held, with a policy and data. */
  async function addFiles(owner: { id: string }, count: number): Promise<void> {
    await seedFiles(site.server.databaseUrl, owner.id, count)
    await holdNewestFile(site.query, owner.id)
    await site.query(
      `UPDATE files SET policy = 'invoice', data = '{"order": "A1", "page": 7}', expires_at = now() + interval '1 day'
       WHERE user_id = $1 AND state = 'HELD'`,
      [owner.id],
    )
  }
  async function withFiles(count: number): Promise<TestUser> {
    const owner = await site.user()
    await addFiles(owner, count)
    return owner
  }
  const searchFiles = async (page: Page, fields: Record<string, string>) => {
    await openFilters(page)
    const form = page.getByRole('search', { name: 'Search files' })
    await form.getByLabel('Status').selectOption(fields.Status ?? '')
    for (const name of ['File name', 'Owner', 'Upload policy', 'App data'])
      await form.getByLabel(name).fill(fields[name] ?? '')
    await page.keyboard.press('Enter')
  }
  const fileNames = (page: Page) =>
    page
      .getByRole('list', { name: 'Files' })
      .getByRole('link', { name: /\.(pdf|png)$/ })
      // The texts of long names are in two parts.
      .evaluateAll((names) => names.map((name) => name.getAttribute('title')))

  test('files of all users are found by name, owner, status, policy and one value of their data; an empty list without a search gives no advice about it', async () => {
    const zoe = await withFiles(3)
    const externalId = `customer-${zoe.id}`
    const { body } = await site.server.post('/api/admin/users', ADMIN_SECRET, { externalId })
    await addFiles(body, 2)
    const page = await site.open(admin, { path: `/admin/users/${zoe.id}` })
    // The list that opens has as many.
    await page.getByRole('link', { name: '2 ready files', exact: true }).click()
    const finds = (what: string, names: string[]) =>
      until(what, async () => (await fileNames(page)).join() === names.join())
    const all = ['report 00001.pdf', 'report 00002.pdf', 'report 00003.pdf']
    await finds('the ready files of the user', all.slice(1))
    const ofZoe = { Owner: zoe.email }
    await searchFiles(page, { 'File name': 'PORT 00002', ...ofZoe })
    await finds('a file by its name', all.slice(1, 2))
    await searchFiles(page, { ...ofZoe, Status: 'READY' })
    await finds('ready files', all.slice(1))
    await searchFiles(page, { ...ofZoe, 'Upload policy': 'invoice' })
    await finds('files with a policy', all.slice(0, 1))
    await searchFiles(page, { ...ofZoe, 'App data': 'order=A1' })
    await finds('files with a text', all.slice(0, 1))
    await searchFiles(page, { ...ofZoe, 'App data': 'page = 7' })
    await finds('files with a number', all.slice(0, 1))
    await searchFiles(page, { Owner: externalId })
    await finds('files of an external user', all.slice(0, 2))
    await searchFiles(page, { ...ofZoe, 'App data': 'order=A2' })
    await page.getByText('No files match these filters').waitFor()
    await searchFiles(page, { ...ofZoe, 'App data': 'A1' })
    await page.getByRole('alert').getByText('Enter a key and its exact value').waitFor()
    await page.route(/\/api\/admin\/files(\?|$)/, (route) =>
      route.fulfill({ json: { items: [], nextCursor: null } }),
    )
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await page.getByText('No files yet').waitFor()
    expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0)
  })

  test('a long list of files is shown page by page', async () => {
    const owner = await site.user()
    await seedFiles(site.server.databaseUrl, owner.id, 60)
    const page = await site.open(admin, { path: `/admin/files?user=${owner.id}` })
    await until('one page is loaded', async () => (await fileNames(page)).length === 50)
    await page.getByRole('button', { name: 'Show more' }).press('Enter')
    await until('all are loaded', async () => (await fileNames(page)).length === 60)
  })

  test('a held file is accepted in the list, and the focus is kept', async () => {
    const owner = await withFiles(2)
    const page = await site.open(admin, { path: `/admin/files?user=${owner.id}` })
    const row = listRow(page, 'Files', 'report 00001.pdf')
    await row.getByText('Held', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'Accept report 00001.pdf' }).press('Enter')
    await row.getByText('Ready', { exact: true }).waitFor()
    await waitForAnyFocus(page)
    expect(await row.getByRole('button').count()).toBe(0)
    const { items } = await site.server.ok(owner, 'files.list')
    expect(items.map(({ state }: { state: string }) => state)).toEqual(['READY', 'READY'])
  })

  test('a held file is rejected with a reason, which the owner gets and the audit log keeps', async () => {
    const owner = await withFiles(1)
    const [file] = await site.query(`SELECT id FROM files WHERE user_id = $1`, [owner.id])
    const page = await site.open(admin, { path: `/admin/files/${file!.id}` })
    await page.getByText(/^If no one decides by .+, the file is rejected and deleted\.$/).waitFor()
    await page.getByText('This page displays only images.').waitFor()
    for (const name of ['Show image', 'Delete file'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await page.getByRole('button', { name: 'Reject report 00001.pdf' }).click()
    await page.getByRole('alertdialog').getByLabel('Reason (optional)').fill('This is not an invoice.')
    await confirmation(page, 'Reject').click()
    await page.getByRole('main').getByText('Rejected', { exact: true }).waitFor()
    await waitForAnyFocus(page)
    expect(await page.getByRole('button', { name: /^(Accept|Reject|Download)/ }).count()).toBe(0)
    const answer = await site.server.call(owner, 'upload.confirmUpload', { fileId: file!.id })
    expect(answer.error?.message).toContain('This is not an invoice.')
    const [entry] = await site.query(
      `SELECT actor, details FROM audit_entries WHERE action = 'file.rejected' AND subject_id = $1`,
      [file!.id],
    )
    expect(entry).toEqual({ actor: `user:${admin.id}`, details: { reason: 'This is not an invoice.' } })
  })

  test('a held image is shown on request, from the store’s origin, by a link that a browser downloads', async () => {
    const owner = await site.user()
    const [id] = await uploadFiles(site, owner, scratchFiles.file('photo.png', png(8, [1, 2, 3], [4, 5, 6])))
    await holdNewestFile(site.query, owner.id)
    const page = await site.open(admin, { path: `/admin/files/${id}` })
    const image = page.getByRole('img', { name: 'photo.png' })
    await page.getByText('The image is hidden because its content can be disturbing.').waitFor()
    expect(await image.count()).toBe(0)
    await page.getByRole('button', { name: 'Show image' }).press('Enter')
    await until('the image is loaded', () =>
      image.evaluateAll((all) => all.some((one) => (one as HTMLImageElement).naturalWidth === 8)),
    )
    const link = (await image.getAttribute('src'))!
    expect(new URL(link).origin).not.toBe(new URL(site.server.url).origin)
    const { headers } = await fetch(link)
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'image/png',
      expect.stringMatching(/^attachment;/),
    ])
    await page.getByRole('button', { name: 'Hide image' }).press('Enter')
    expect(await image.count()).toBe(0)
  })

  test('a verdict on a file that is no longer held says that nothing was changed', async () => {
    site.expectErrors(/status of 409/)
    const owner = await withFiles(1)
    const [file] = await site.query(`SELECT id FROM files WHERE user_id = $1`, [owner.id])
    const page = await site.open(admin, { path: `/admin/files/${file!.id}` })
    await page.getByRole('button', { name: 'Reject report 00001.pdf' }).waitFor()
    const body = { verdict: 'reject' }
    expect((await site.server.post(`/api/admin/files/${file!.id}/verdict`, ADMIN_SECRET, body)).status).toBe(
      200,
    )
    await page.getByRole('button', { name: 'Accept report 00001.pdf' }).click()
    await page.getByRole('alert').getByText('Nothing was changed').waitFor()
  })

  test('a file’s page shows its policy and data, downloads it, and deletes it after a confirmation', async () => {
    const zoe = await site.user()
    const [id] = await uploadFiles(site, zoe, scratchFiles.file('photo.png', png(8, [1, 2, 3], [4, 5, 6])))
    await site.query(
      `UPDATE files SET policy = 'avatar', data = '{"order": "A1", "paid": true}' WHERE id = $1`,
      [id],
    )
    const page = await site.open(admin, { path: `/admin/files/${id}` })
    const value = (name: string) =>
      page.getByRole('term').filter({ hasText: name }).locator('xpath=following-sibling::dd').innerText()
    await page.getByRole('heading', { name: 'photo.png' }).waitFor()
    expect([await value('Upload policy'), await value('order'), await value('paid')]).toEqual([
      'avatar',
      'A1',
      'true',
    ])
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await downloaded).suggestedFilename()).toBe('photo.png')
    await page.getByRole('button', { name: 'Delete file' }).click()
    await confirmation(page, 'Delete file').click()
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
    expect((await site.server.ok(zoe, 'files.list')).items).toEqual([])
    const [entry] = await site.query(
      `SELECT actor, details->>'method' AS method FROM audit_entries WHERE subject_id = $1 AND details->>'method' = 'DELETE'`,
      [id],
    )
    expect(entry).toEqual({ actor: `user:${admin.id}`, method: 'DELETE' })
  })

  test('the page of a deleted file says so', async () => {
    site.expectErrors(/status of 404/)
    const page = await site.open(admin, { path: '/admin/files/none' })
    for (const text of ['File not found', 'It may have been deleted.'])
      await page.getByRole('alert').getByText(text, { exact: true }).waitFor()
  })

  test('a push token for an unknown owner is rejected; its form has a name and hides the search', async () => {
    site.expectErrors(/status of 404/)
    const page = await site.open(admin, { path: '/admin/push-tokens' })
    await page.getByLabel('Status').selectOption('Revoked')
    await page.getByRole('button', { name: 'New push token' }).click()
    await waitForFocus(page.getByRole('form', { name: 'New push token' }).getByLabel('Owner (email or ID)'))
    expect(await page.getByRole('search').count()).toBe(0)
    await page.keyboard.insertText('nobody@example.com')
    await page.getByLabel('Token name').fill('siren')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('User not found. Check the email or ID.').waitFor()
    // The search returns as it was.
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('Status').inputValue()).toBe('revoked')
  })

  test('a new push token is shown once, with a command that sends a push', async () => {
    const page = await site.open(admin, {
      path: '/admin/push-tokens',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const status = page.getByLabel('Status')
    await status.selectOption('Revoked')
    await page.getByText('No push tokens match these filters').waitFor()
    await page.getByRole('button', { name: 'New push token' }).click()
    await page.getByLabel('Owner (email or ID)').fill(user.email)
    await page.getByLabel('Token name').fill('bell')
    await page.getByRole('button', { name: 'Create token' }).click()
    const made = page.getByRole('region', { name: 'The new push token' })
    await waitForFocus(made.getByText('The new push token'))
    // The filter would hide it.
    await listRow(page, 'Push tokens', 'bell').waitFor()
    expect(await status.inputValue()).toBe('')
    const token = (await made.getByRole('region', { name: 'Push token' }).innerText()).trim()
    expect(token).toMatch(/^ph_[\w-]{43}$/)
    const { command, printed } = await runCopiedCommand(
      made.locator('figure').filter({ hasText: 'Send a message' }),
    )
    expect(command).toContain(token)
    expect(JSON.parse(printed).status).toBe('completed')
    await made.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await ready(page)
    const listed = listRow(page, 'Push tokens', 'bell')
    await listed.getByText('Its owner').waitFor()
    expect(await listed.innerText()).not.toContain('Never')
    expect(await page.content()).not.toContain(token)
  })

  test('a revoked push token no longer sends, and the focus is kept', async () => {
    await site.query('DELETE FROM push_tokens')
    const token = await pushToken()
    const page = await site.open(admin, { path: '/admin/push-tokens' })
    const listed = listRow(page, 'Push tokens', 'siren')
    await listed.getByRole('button', { name: 'Revoke siren' }).click()
    await confirmation(page, 'Revoke').click()
    await listed.getByText('Revoked').waitFor()
    expect((await site.server.post('/api/push/send', token, { title: 't', body: 'b' })).status).toBe(401)
    await waitForAnyFocus(page)
  })

  test('a push token links to its owner, whose page lists it', async () => {
    await site.query('DELETE FROM push_tokens')
    await pushToken()
    const others = { userId: admin.id, name: 'foghorn' }
    await site.server.post('/api/push/token', ADMIN_SECRET, others)
    const page = await site.open(admin, { path: '/admin/push-tokens' })
    await listRow(page, 'Push tokens', 'siren').getByRole('link', { name: user.email }).click()
    await page.getByRole('region', { name: 'Account' }).getByText(user.email).waitFor()
    await listRow(page, 'Push tokens', 'siren').waitFor()
    expect(await listRow(page, 'Push tokens', 'foghorn').count()).toBe(0)
  })

  test('a new server key is shown once, with a command that it can make, and stops working once revoked', async () => {
    await site.query('DELETE FROM server_keys')
    const page = await site.open(admin, {
      path: '/admin/server-keys',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByText('No server keys yet').waitFor()
    await page.getByRole('button', { name: 'New server key' }).click()
    await page.getByLabel('Key name').fill('shop')
    await page.getByLabel('List and download files').check()
    await page.getByLabel('Delete files').check()
    const expiry = page.getByLabel('Expires after')
    expect(await expiry.locator('option').allInnerTexts()).toEqual([
      '30 days',
      '90 days',
      '1 year',
      '10 years',
      'Custom',
    ])
    await expiry.selectOption('Custom')
    await page.getByLabel('Days', { exact: true }).fill('7')
    await page.getByText(/^Expires on /).waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    const made = page.getByRole('region', { name: 'The new server key' })
    await waitForFocus(made.getByText('The new server key'))
    const key = (await made.getByRole('region', { name: 'Server key' }).innerText()).trim()
    expect(key).toMatch(/^sk_[\w-]{43}$/)
    const { command, printed } = await runCopiedCommand(made.locator('figure').filter({ hasText: 'Try it' }))
    expect(command).toContain(key)
    expect(JSON.parse(printed).items).toEqual(expect.any(Array))
    await made.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await ready(page)
    expect(await page.content()).not.toContain(key)
    const listed = listRow(page, 'Server keys', 'shop')
    await listed.getByText(/^Create user tokens\s+List and download files\s+Delete files/).waitFor()
    await listed.getByText(`sk_…${key.slice(-4)}`).waitFor()
    await listed.getByText(/created/).waitFor()
    expect(await listed.innerText()).not.toContain('Never')

    const [stored] = await site.query('SELECT (expires_at - created_at)::text AS lifetime FROM server_keys')
    expect(stored!.lifetime).toBe('7 days')

    const deletion = async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${site.url}/api/admin/files/none`, { method: 'DELETE', headers })).status
    }
    expect(await deletion()).toBe(404)
    await listed.getByRole('button', { name: 'Revoke shop' }).click()
    await confirmation(page, 'Revoke').click()
    await page.getByText('No server keys yet').waitFor()
    await waitForAnyFocus(page)
    expect(await deletion()).toBe(401)
    await page.goto(`${site.url}/admin/audit`)
    await page.locator('summary').getByText('Server key revoked').first().waitFor()
    await ready(page)
    await openFilters(page)
    await page.getByLabel('Show API calls').check()
    // Revoked keys have no name.
    await page.locator('summary').getByText('Revoked server key').first().waitFor()
  })

  test('a server key needs a permission, which its group of checkboxes names, and a recent sign-in', async () => {
    site.expectErrors(/status of 40[03]/)
    const boss = await site.admin({ password: PASSWORD })
    await site.query(`UPDATE sessions SET created_at = now() - interval '1 day' WHERE user_id = $1`, [
      boss.id,
    ])
    const page = await site.open(boss, { path: '/admin/server-keys' })
    await page.getByRole('button', { name: 'New server key' }).click()
    await page.getByLabel('Key name').fill('late')
    await page.getByLabel('Create user tokens').uncheck()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Choose at least one permission').waitFor()
    const permissions = page.locator('fieldset[aria-describedby]')
    const described = await permissions.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).innerText()).toBe('Choose at least one permission.')
    await page.getByLabel('List users').check()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'The new server key' }).waitFor()
  })

  test('a completed broadcast shows its counts in aligned columns, and its devices on its page', async () => {
    const { email } = user
    await site.query('DELETE FROM devices')
    await site.server.ok(user, 'devices.register', { platform: 'ios', token: 'ab'.repeat(32) })
    await site.server.post('/api/push/send', await pushToken(), {
      title: 'Storm',
      body: email,
      link: 'https://example.com/storm',
      all: true,
    })
    const page = await site.open(admin, { path: '/admin/broadcasts' })
    const storm = listRow(page, 'Broadcasts', 'Storm')
    await storm.getByText('Completed').waitFor()
    await storm.getByText(/^Recipients Everyone$/).waitFor()
    // Each count stands under its head: their texts end at the same place.
    const right = (locator: Locator) =>
      locator.evaluate((one) => {
        const text = document.createRange()
        text.selectNodeContents(one.lastChild!)
        return Math.round(text.getBoundingClientRect().right)
      })
    for (const [name, value] of [
      ['Sent', '1'],
      ['Failed', '0'],
      ['Devices removed', '0'],
    ]) {
      const cell = storm.locator('div', { hasText: new RegExp(`^${name}\\s*${value}$`) })
      const head = page.locator('[aria-hidden] > span', { hasText: new RegExp(`^${name}$`) })
      expect(await right(cell), name).toBe(await right(head))
    }
    await page.setViewportSize({ width: 390, height: 844 })
    const label = storm.getByText('Devices removed', { exact: true })
    await until('the label is visible', async () => (await label.boundingBox())!.width > 20)
    await storm.getByRole('link', { name: 'Storm' }).click()
    await page.getByRole('heading', { name: 'Storm', level: 1 }).waitFor()
    const message = page.getByRole('region', { name: 'Message' })
    await message.getByText(email).waitFor()
    expect(await message.getByRole('link', { name: 'Open example.com' }).getAttribute('href')).toBe(
      'https://example.com/storm',
    )
    const delivery = page.getByRole('region', { name: 'Delivery' })
    await delivery.getByText('Sent to 1 of 1 device').waitFor()
    const counts = (await delivery.getByRole('definition').allInnerTexts()).join()
    expect(counts.replaceAll('\u00a0', ' ')).toBe('1,1 iOS,1,100%,0,0')
  })

  /** Schedules a broadcast for tomorrow. */
  const scheduled = async (title: string): Promise<string> => {
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    const push = { title, body: 'b', all: true, sendAt }
    return (await site.server.post('/api/push/send', await pushToken(), push)).body.id
  }

  test('a broadcast in progress shows its progress; its page says why devices failed and what to do', async () => {
    // It was sent to 500 of 1,000 devices, and the others have not started.
    const id = await scheduled('Half')
    await site.query(
      `UPDATE push_messages SET scheduled = false, status = 'sending', user_id = NULL, audience_ios = 500, sent = 497,
       failed = 3 WHERE id = $1`,
      [id],
    )
    await site.query(
      `INSERT INTO push_failures (message_id, device_id, platform, reason)
       SELECT $1, gen_random_uuid(), 'ios', unnest(ARRAY['TopicDisallowed', 'TIMEOUT', 'TIMEOUT'])`,
      [id],
    )
    await site.query(
      `INSERT INTO push_message_chunks (message_id, upstream, last_id, due_at)
       VALUES ($1, 'ios', $1, now() + interval '1 hour')`,
      [id],
    )
    const page = await site.open(admin, { path: '/admin/broadcasts' })
    const half = listRow(page, 'Broadcasts', 'Half')
    const bar = half.getByRole('progressbar', { name: 'Progress of Half' })
    expect(await bar.getAttribute('aria-valuenow')).toBe('50')
    expect(await bar.getAttribute('aria-valuetext')).toBe('50%, at most 500 devices left')
    await half.getByText('50%', { exact: true }).waitFor()
    await half.getByText('at most 500 devices left').waitFor()
    // The number of devices is known only for chosen users and topics.
    await site.query(`UPDATE push_messages SET user_id = id, audience = '{"kind":"users"}' WHERE id = $1`, [
      id,
    ])
    await page.reload()
    await ready(page)
    await half.getByText('500 of 1,000').waitFor()
    await half.getByRole('link', { name: 'Half' }).click()
    await page.getByRole('heading', { name: 'Half', level: 1 }).waitFor()
    await page.getByRole('progressbar', { name: 'Progress of Half' }).waitFor()
    const reasons = page.getByRole('list', { name: 'Causes' }).getByRole('listitem')
    expect(await reasons.allInnerTexts()).toEqual([
      expect.stringMatching(
        /^2\s+The gateway did not respond in time\. Check .+ Health\s*, then .+\s+iOS\s+TIMEOUT$/,
      ),
      expect.stringMatching(
        /^1\s+The device belongs to another app, project or environment\. Check the topic and project of this gateway\.\s+iOS\s+TopicDisallowed$/,
      ),
    ])
    const health = reasons.first().getByRole('link', { name: 'Health' })
    expect(await health.getAttribute('href')).toBe('/admin/health')
    // The message comes before its failures.
    const cards = page.getByRole('main').getByRole('heading', { level: 2 })
    expect(await cards.allInnerTexts()).toEqual([
      'Delivery',
      'Message',
      'Failures, and what to do',
      'Details',
    ])
    await page.getByRole('button', { name: 'Stop sending: Half' }).click()
    await page.getByRole('alertdialog').getByText('Stop sending this message?').waitFor()
    await confirmation(page, 'Cancel').click()
    await site.query('DELETE FROM push_message_chunks WHERE message_id = $1', [id])
  })

  test('a scheduled broadcast names its time and recipients, with dashes for what is not counted yet, and is canceled only after a confirmation. Then it says when it was scheduled', async () => {
    const id = await scheduled('Tomorrow')
    const status = async () =>
      (await api('GET', '/broadcasts')).items.find((one: { id: string }) => one.id === id).status
    const page = await site.open(admin, { path: '/admin/broadcasts' })
    const tomorrow = listRow(page, 'Broadcasts', 'Tomorrow')
    await tomorrow.getByText('Scheduled', { exact: true }).waitFor()
    await tomorrow.getByText(/^Scheduled for \d/).waitFor()
    expect(await tomorrow.getByText('–', { exact: true }).count()).toBe(3)
    await tomorrow.getByRole('button', { name: 'Cancel message: Tomorrow' }).click()
    await confirmation(page, 'Keep message').click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect(await status()).toBe('scheduled')
    await tomorrow.getByRole('link', { name: 'Tomorrow' }).click()
    const delivery = page.getByRole('region', { name: 'Delivery' })
    await delivery.getByText(/^Scheduled for \d+ .+, \d\d:\d\d$/).waitFor()
    await delivery.getByText('Recipients: Everyone').waitFor()
    expect(await delivery.innerText()).not.toContain('–')
    // Without what the delivery says above.
    const details = page.getByRole('region', { name: 'Details' })
    expect(await details.innerText()).not.toMatch(/Recipients|Send time/)
    await page.getByRole('button', { name: 'Cancel message: Tomorrow' }).click()
    await page.getByRole('alertdialog').getByText('Tomorrow will not be sent.').waitFor()
    await confirmation(page, 'Cancel message').click()
    await delivery.getByText('Devices removed').waitFor()
    await details.getByText('Recipients').waitFor()
    expect(await status()).toBe('cancelled')
    // In the list, the time does not look like that of a message that was sent.
    await page.getByRole('link', { name: 'All broadcasts' }).click()
    await tomorrow.getByText(/^Was scheduled for \d/).waitFor()
    expect(await tomorrow.innerText()).not.toMatch(/\b0\b/)
  })

  test('health begins with the overall state, its time and what was not tested; groups of checks open by click and by keyboard', async () => {
    await site.query('DELETE FROM webhooks')
    const page = await site.open(admin, { path: '/admin/health' })
    // The test server itself is plain http.
    const overall = page.getByRole('region', { name: '1 warning' })
    await overall.getByText(/^Last check: \d/).waitFor()
    await overall.getByText('Uploads, pushes and, if configured, email were not tested.').waitFor()
    const attention = page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem')
    await attention.getByText('NEXTAUTH_URL is plain http').waitFor()
    expect(await attention.count()).toBe(1)
    // The check's ID is text.
    await attention.getByText('environment', { exact: true }).waitFor()
    await attention.getByRole('button', { name: 'Copy ID: environment' }).waitFor()
    const group = (name: string) => page.getByRole('group').filter({ hasText: name })
    const migrations = page.getByText('database-migrations', { exact: true })
    expect(await migrations.isVisible()).toBe(false)
    await group('Database')
      .locator('summary', { hasText: /^Database\s*\d+ passed/ })
      .click()
    await migrations.waitFor()
    const bucket = page.getByText('store-bucket', { exact: true })
    expect(await bucket.isVisible()).toBe(false)
    await group('Files and object store').locator('summary').press('Enter')
    await bucket.waitFor()
    // A group with a warning is not shown as passed. What needs attention is not repeated in it.
    const server = group('Server')
    await server
      .locator('summary')
      .filter({ hasText: /^Server\s*1 warning/ })
      .click()
    await server
      .getByRole('listitem')
      .filter({ hasText: /^Environment variables\s*environment\s*Warning$/ })
      .waitFor()
    expect(await page.getByText('NEXTAUTH_URL is plain http').count()).toBe(1)
  })

  /** Makes the gateways respond to doctor's pushes as the real ones do. */
  function letDoctorPush() {
    const { stack } = site.server
    stack.apns.devices.set('0'.repeat(64), { environment: 'sandbox' })
    stack.apnsSandbox.devices.set('0'.repeat(64), { environment: 'production' })
    stack.fcm.devices.set('pigeonhole-doctor-no-such-device', 'INVALID_TOKEN')
  }

  test('health shows a gateway whose circuit breaker is open as a problem and never as passed', async () => {
    letDoctorPush()
    const page = await site.open(admin, { path: '/admin/health' })
    const gateways = page.getByRole('group').filter({ hasText: 'Push gateways' })
    await gateways.locator('summary').click()
    const passed = gateways.getByText('APNs (iOS)', { exact: true })
    await passed.waitFor()
    await site.query("INSERT INTO push_circuit_breakers (upstream, open) VALUES ('ios-sandbox', true)")
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('heading', { name: /^1 problem/ }).waitFor()
    const apns = listRow(page, 'Needs attention', 'APNs (iOS)')
    await apns.getByText('The circuit breaker is open (ios-sandbox)').waitFor()
    await apns.getByRole('heading', { name: 'Failed: APNs (iOS)' }).waitFor()
    await apns.getByRole('link', { name: 'Open broadcasts' }).waitFor()
    await gateways
      .getByRole('listitem')
      .filter({ hasText: /^APNs \(iOS\)\s*Failed$/ })
      .waitFor()
    await gateways
      .locator('summary')
      .filter({ hasText: /1 problem/ })
      .waitFor()
    await site.query('DELETE FROM push_circuit_breakers')
    await page.getByRole('button', { name: 'Check now' }).click()
    await apns.waitFor({ state: 'detached' })
  })

  test('one button checks everything, also what writes, and every finding says what to do', async () => {
    letDoctorPush()
    const page = await site.open(admin, { path: '/admin/health' })
    await page.getByText('store-bucket', { exact: true }).waitFor({ state: 'attached' })
    const deep = page.getByText('store-delete-objects', { exact: true })
    expect(await deep.count()).toBe(0)
    expect(await page.getByRole('button', { name: /check/i }).count()).toBe(1)
    await page.getByRole('button', { name: 'Check now' }).click()
    await deep.waitFor({ state: 'attached' })
    const problems = page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem')
    expect(await problems.filter({ hasNotText: /What to do: ./ }).count()).toBe(0)
    await page.getByText('Batches to send now').waitFor()
  })

  /** Makes the health page refetch its stale results, as it does when the browser is online again. */
  async function renewFindings(page: Page): Promise<void> {
    await page.clock.setFixedTime(Date.now() + 60_000)
    const renewed = page.waitForResponse(/\/api\/admin\/doctor/)
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await (await renewed).finished()
  }

  test('the results of checks that write stay when the others are renewed', async () => {
    letDoctorPush()
    const page = await site.open(admin, { path: '/admin/health', own: true })
    await page.getByRole('button', { name: 'Check now' }).click()
    const deep = page.getByText('store-delete-objects', { exact: true })
    await deep.waitFor({ state: 'attached' })
    await renewFindings(page)
    await page.getByText('store-bucket', { exact: true }).waitFor({ state: 'attached' })
    expect(await deep.count()).toBe(1)
  })

  test('the error of "Check now" disappears when newer results arrive', async () => {
    site.expectErrors(/net::ERR_FAILED/)
    const page = await site.open(admin, { path: '/admin/health', own: true })
    const shown = Promise.withResolvers<void>()
    await page.route(/\/api\/admin\/doctor/, async (route) => {
      if (route.request().method() === 'POST') return route.abort()
      // The page fetches newer results than those of its HTML.
      await shown.promise
      await route.continue()
    })
    await page.reload()
    await ready(page)
    await page.getByRole('button', { name: 'Check now' }).click()
    const error = page.getByRole('alert').filter({ hasText: 'Cannot reach the server' })
    await error.waitFor()
    shown.resolve()
    await renewFindings(page)
    await error.waitFor({ state: 'detached' })
  })

  test('health names the checks and says what to do in the reader’s language', async () => {
    await site.query(
      `INSERT INTO webhooks (id, url, events, secret, failing_since)
       VALUES (gen_random_uuid(), $1, '{}', 'x', now() - interval '1 day')`,
      [HOOK],
    )
    letDoctorPush()
    const page = await site.open(admin, { path: '/admin/health', locale: 'de-AT' })
    await page.getByRole('heading', { name: '2 Warnungen' }).waitFor()
    // The results that came with the HTML can be older than the webhook.
    await page.getByRole('button', { name: 'Jetzt prüfen' }).click()
    const webhooks = page.getByRole('listitem').filter({ hasText: 'Empfänger der Webhooks' })
    await webhooks.getByText('In den Zustellungen des Webhooks steht').waitFor()
    await page.getByRole('group').filter({ hasText: 'Datenbank' }).locator('summary').click()
    await page.getByText('Datenbankmigrationen').waitFor()
    await page.getByText('Nimmt Verbindungen an').waitFor()
    await site.query('DELETE FROM webhooks')
  })

  test('health lists the failing receivers as links to their webhooks, without IDs, and how many more there are', async () => {
    const failing = newIdOf(new Date())
    await site.query(
      `INSERT INTO webhooks (id, url, events, secret, failing_since, ended_at) VALUES
         ($1, 'https://old.example.com/', '{}', 'x', now() - interval '1 day', NULL),
         (gen_random_uuid(), 'https://gone.example.com/', '{}', 'x', NULL, now())`,
      [failing],
    )
    letDoctorPush()
    const page = await site.open(admin, { path: '/admin/health' })
    // The results that came with the HTML can be older than the webhooks.
    await page.getByRole('button', { name: 'Check now' }).click()
    const receivers = page.getByRole('list', { name: 'Webhook receivers' }).getByRole('listitem')
    await receivers.filter({ hasText: /^old\.example\.com Failing$/ }).waitFor()
    await receivers.filter({ hasText: /^gone\.example\.com Ended$/ }).waitFor()
    expect(await receivers.count()).toBe(2)
    const link = receivers.first().getByRole('link', { name: 'old.example.com' })
    expect(await link.getAttribute('href')).toBe(`/admin/webhooks/${failing}`)
    expect(await page.locator('main').innerText()).not.toMatch(/[\da-f]{8}-/)
    await site.query(
      `INSERT INTO webhooks (id, url, events, secret, ended_at)
       SELECT gen_random_uuid(), 'https://gone.example.com/', '{}', 'x', now() FROM generate_series(1, 3)`,
    )
    await page.getByRole('button', { name: 'Check now' }).click()
    const more = receivers.getByRole('link', { name: '2 more receivers' })
    await more.waitFor()
    expect(await more.getAttribute('href')).toBe('/admin/webhooks')
    expect(await receivers.count()).toBe(4)
    await site.query('DELETE FROM webhooks')
  })

  test('health starts with the text of its HTML when that is older than a few seconds', async () => {
    const page = await site.open(admin, { path: '/admin/health', own: true })
    const button = page.getByRole('button', { name: 'Check now' })
    await button.waitFor()
    await page.clock.setFixedTime(Date.now() + 60_000)
    await page.reload()
    // React reports text that differs as an error, which fails the test.
    await ready(page)
    await button.waitFor()
  })

  test('a webhook for a private address is rejected', async () => {
    site.expectErrors(/status of 400/)
    const page = await site.open(admin, { path: '/admin/webhooks' })
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('http://127.0.0.1/hooks')
    await page.getByLabel('A device was removed').check()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('Enter a public HTTPS URL').waitFor()
  })

  test('a new webhook’s secret is shown once', async () => {
    await site.query('DELETE FROM webhooks')
    const page = await site.open(admin, { path: '/admin/webhooks' })
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill(HOOK)
    await page.getByLabel('A device was removed').check()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const made = page.getByRole('region', { name: 'The new webhook’s secret' })
    await page.setViewportSize({ width: 320, height: 640 })
    const shown = made.getByRole('region', { name: 'Secret' })
    expect(await shown.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    const secret = (await made.getByRole('region', { name: 'Secret' }).innerText()).trim()
    expect(secret).toMatch(/^whsec_/)
    await made.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: HOOK }).click()
    await page.getByRole('heading', { name: 'backend.invalid' }).waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  /** Opens the page of a webhook with one failed delivery. */
  const ATTEMPTS = [
    { at: '2026-11-21T12:00:00.000Z', httpStatus: null, failure: 'connection refused', durationMs: 7 },
    {
      at: '2026-11-21T12:00:05.000Z',
      httpStatus: 302,
      failure: 'answered 302: redirects are not followed',
      durationMs: 61,
    },
    { at: '2026-11-21T12:00:35.000Z', httpStatus: 500, failure: 'answered 500', durationMs: 1234 },
  ]
  async function webhookPage(): Promise<{ page: Page; id: string }> {
    await site.query('DELETE FROM webhooks')
    const [webhook] = await site.query(
      `INSERT INTO webhooks (id, url, events, secret)
       VALUES (gen_random_uuid(), $1, '{device.removed}', 'whsec_x') RETURNING id`,
      [HOOK],
    )
    await site.query(
      `INSERT INTO webhook_deliveries
         (webhook_id, id, sequence, type, data, created_at, status, attempts, expires_at, last_attempt_at, http_status, failure, settled_at, history)
       VALUES ($1, gen_random_uuid(), 1, 'device.removed', '{}', now(), 'failed', 3, now(), now(), 500, 'answered 500', now(), $2)`,
      [webhook!.id, JSON.stringify(ATTEMPTS)],
    )
    const page = await site.open(admin, { path: `/admin/webhooks/${webhook!.id}` })
    return { page, id: webhook!.id }
  }
  const delivery = (page: Page) => listRow(page, 'Deliveries', 'device.removed')

  test('a delivery opens by keyboard and shows the attempts, the sent event, and what is not kept', async () => {
    const { page, id } = await webhookPage()
    await site.query(`UPDATE webhook_deliveries SET data = '{"deviceId": "d-4711"}' WHERE webhook_id = $1`, [
      id,
    ])
    await page.reload()
    const row = delivery(page)
    await row.waitFor()
    expect(await row.getByText('"deviceId": "d-4711"').isVisible()).toBe(false)
    await row.locator('summary').press('Enter')
    const sent = row.getByRole('region', { name: 'Sent event' })
    await sent.getByText('"deviceId": "d-4711"').waitFor()
    await sent.getByText('"type": "device.removed"').waitFor()
    await row.getByRole('definition').getByRole('button', { name: 'Copy ID' }).waitFor()
    const attempts = row.getByRole('list', { name: 'Attempts' }).getByRole('listitem')
    const texts = await attempts.allInnerTexts()
    expect(texts).toHaveLength(3)
    expect(texts[0]).toMatch(/^HTTP 500 The receiver reported an error[\s\S]*1\.2 s$/)
    expect(texts[1]).toMatch(/^HTTP 302 Redirects are not followed[\s\S]*61 ms$/)
    expect(texts[2]).toMatch(/^Connection refused[\s\S]*7 ms$/)
    await row.getByText('The latest 20 attempts are kept').waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('a failed delivery is repeated on request', async () => {
    const { page, id } = await webhookPage()
    await delivery(page).getByText('3 attempts').waitFor()
    await delivery(page).getByRole('button', { name: 'Deliver again: device.removed #1' }).click()
    await delivery(page).getByText('Retrying').waitFor()
    await until('another attempt', async () => {
      const [row] = await site.query('SELECT attempts FROM webhook_deliveries WHERE webhook_id = $1', [id])
      return row!.attempts > 3
    })
  })

  test('deliveries can be filtered by state', async () => {
    const { page } = await webhookPage()
    await delivery(page).waitFor()
    await page.getByLabel('Status').selectOption('Delivered')
    await page.getByText('No deliveries match these filters').waitFor()
    await page.getByLabel('Status').selectOption('Failed')
    await delivery(page).waitFor()
  })

  test('an inactive webhook cannot repeat deliveries', async () => {
    const { page } = await webhookPage()
    const again = delivery(page).getByRole('button', { name: /^Deliver again/ })
    await again.waitFor()
    await chooseAction(page, 'Deactivate')
    await page.getByText('Inactive', { exact: true }).first().waitFor()
    await again.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Activate' }).click()
    await again.waitFor()
  })

  test('a webhook is deleted after a confirmation', async () => {
    const { page } = await webhookPage()
    await chooseAction(page, 'Delete webhook')
    await page.getByRole('alertdialog').getByText(HOOK).waitFor()
    await confirmation(page, 'Delete webhook').click()
    await page.getByText('No webhooks yet').waitFor()
  })

  const rejected = (userId: string, count: number) =>
    site.query(
      `INSERT INTO audit_entries (id, action, actor, user_id, details)
       SELECT gen_random_uuid(), 'session.refused', NULL, $1, '{"method":"password"}' FROM generate_series(1, $2)`,
      [userId, count],
    )
  const entries = (page: Page) => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')

  test('the audit log can be filtered by user and by action', async () => {
    const { id } = await site.user()
    await rejected(id, 1)
    await rejected(admin.id, 1)
    const page = await site.open(admin, { path: `/admin/audit?user=${id}` })
    await entries(page).filter({ hasText: 'session.refused' }).waitFor()
    expect(await entries(page).count()).toBe(1)
    await page.getByLabel('User (email or ID)').fill(admin.email)
    await page.getByLabel('Action').selectOption('Admin API call')
    await entries(page).filter({ hasText: 'GET /api/admin/audit' }).first().waitFor()
    expect(await entries(page).filter({ hasText: 'session.refused' }).count()).toBe(0)
  })

  test('the audit log has a heading for each day, and its lines only the time', async () => {
    const { id } = await site.user()
    // The sweeper deletes older ones after 400 days.
    const noonAgo = (days: number) => new Date(new Date().setUTCHours(12, 0, 0, 0) - days * 86_400_000)
    for (const at of [noonAgo(11), noonAgo(11), noonAgo(10)])
      await site.query(
        `INSERT INTO audit_entries (id, at, action, user_id, details) VALUES ($1, $2, 'device.moved', $3, '{}')`,
        [newIdOf(at), at, id],
      )
    const page = await site.open(admin, { path: `/admin/audit?user=${id}` })
    await until('all are listed', async () => (await entries(page).count()) === 3)
    const days = page.getByRole('list', { name: 'Audit log' }).getByRole('heading', { level: 2 })
    const headings = await page.evaluate(
      (times) => {
        const yearOf = (time: number) => new Date(time).getUTCFullYear()
        return times.map((time) =>
          new Date(time).toLocaleDateString('en-GB', {
            timeZone: 'UTC',
            weekday: 'long',
            day: 'numeric',
            month: 'long',
            ...(yearOf(time) !== yearOf(Date.now()) && { year: 'numeric' }),
          }),
        )
      },
      [noonAgo(10).getTime(), noonAgo(11).getTime()],
    )
    expect(await days.allInnerTexts()).toEqual(headings)
    const times = await entries(page).locator('summary time').allInnerTexts()
    expect(times).toHaveLength(3)
    for (const time of times) expect(time).toMatch(/^\d\d:\d\d$/)
  })

  test('an entry of the audit log is a line with a name, which opens its other details and says whose IDs they are', async () => {
    const { id, email } = await site.user()
    const webhook = newIdOf(new Date())
    await site.query(
      `INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details) VALUES
         (gen_random_uuid(), 'admin.called', $1, $2, $3, '192.0.2.7', $4)`,
      [
        `user:${admin.id}`,
        id,
        webhook,
        { method: 'DELETE', path: `/api/admin/webhooks/${webhook}`, status: 204 },
      ],
    )
    const page = await site.open(admin, { path: `/admin/audit?user=${id}` })
    const entry = entries(page).filter({ hasText: 'Webhook deleted' })
    for (const text of [admin.email, '192.0.2.7']) await entry.locator('summary').getByText(text).waitFor()
    expect((await entry.locator('details').boundingBox())!.height).toBeLessThanOrEqual(48)
    const code = entry.getByText('admin.called')
    expect(await code.isVisible()).toBe(false)
    await entry.locator('summary').press('Enter')
    await code.waitFor()
    await entry.getByText(`DELETE /api/admin/webhooks/${webhook}`).waitFor()
    const link = entry.getByRole('link')
    expect(await link.evaluateAll((links) => links.map((one) => one.getAttribute('href')))).toEqual(
      [admin.id, id].map((user) => `/admin/users/${user}`),
    )
    const details = entry.locator('dl')
    for (const [label, value] of [
      ['Done by', `${admin.email}\n${admin.id}`],
      ['User', `${email}\n${id}`],
      ['Webhook ID', webhook],
    ])
      expect(await details.locator('div').filter({ hasText: label! }).first().innerText()).toBe(
        `${label}\n${value}`,
      )
    // The exact time names its zone, below it the one of the API.
    const exact = details.locator('div').filter({ hasText: 'Exact time' })
    expect(await exact.innerText()).toMatch(
      /^Exact time\n\d+ \w+ \d{4}, \d\d:\d\d:\d\d (UTC|GMT\S*|CES?T)\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    )
    // The line itself has these.
    for (const text of ['Webhook deleted', '192.0.2.7']) expect(await details.innerText()).not.toContain(text)
    // A deleted object has no page.
    expect(await entry.getByRole('link', { name: 'Open webhook' }).count()).toBe(0)
    await site.query(
      `UPDATE audit_entries SET action = 'webhook.changed', details = '{}' WHERE user_id = $1`,
      [id],
    )
    await page.reload()
    await entries(page).locator('summary').first().press('Enter')
    const object = entries(page).getByRole('link', { name: 'Open webhook' })
    expect(await object.getAttribute('href')).toBe(`/admin/webhooks/${webhook}`)
  })

  test('closed entries of the audit log take at most two lines on wide screens and show no IDs. Short details are not cut, and the opened entries have the IDs in one font', async () => {
    const user = await site.user({ email: 'one.line@example.com' })
    const ids = [newIdOf(new Date()), newIdOf(new Date())]
    const long = 'maintenance-of-the.northern@data/centre '.repeat(8).trim()
    for (const [action, actor, details] of [
      ['push.broadcast', `token:${ids[0]}`, { title: long, category: long, pushToken: ids[0] }],
      [
        'share.created',
        `user:${user.id}`,
        { fileId: ids[1], password: true, expiresAt: '2026-12-01T12:00:00.000Z' },
      ],
      ['admin.called', `key:${ids[0]}`, { method: 'PATCH', path: `/api/admin/users/${ids[1]}`, status: 403 }],
      ['device.moved', null, { to: ids[1] }],
    ] as const)
      await site.query(
        `INSERT INTO audit_entries (id, action, actor, user_id, subject_id, details) VALUES (gen_random_uuid(), $1, $2, $3, $4, $5)`,
        [action, actor, user.id, ids[1], details],
      )
    const page = await site.open(admin, {
      path: `/admin/audit?user=${user.id}`,
      viewport: { width: 1440, height: 900 },
    })
    await until('all are listed', async () => (await entries(page).count()) === 4)
    for (const line of await entries(page).locator('summary').all()) {
      expect((await line.boundingBox())!.height).toBeLessThanOrEqual(56)
      expect(await line.innerText()).not.toMatch(/[\da-f]{8}-/)
    }
    const call = entries(page).filter({ hasText: 'PATCH /api/admin/users/{id}' })
    await call.locator('summary').getByText('Revoked server key').waitFor()
    await call.locator('summary').press('Enter')
    await call.getByText(`PATCH /api/admin/users/${ids[1]}`).waitFor()
    const share = entries(page).filter({ hasText: 'Shared link created' })
    const action = share.locator('summary span', {
      hasText: /^Shared link created With password: yes Exp/,
    })
    const cut = await action.evaluate((one) => [
      one.scrollWidth > one.clientWidth + 1,
      one.scrollHeight > one.clientHeight + 1,
    ])
    expect(cut).toEqual([false, false])
    await share.locator('summary').press('Enter')
    const code = share.locator('dl code').getByText(ids[1]!)
    expect(await code.count()).toBe(2)
    const broadcast = entries(page).filter({ hasText: 'Broadcast created' })
    await broadcast.locator('summary').getByText('Deleted push token').waitFor()
    await broadcast.locator('summary').press('Enter')
    await until('it shows the whole title', async () => (await broadcast.boundingBox())!.height > 100)
  })

  test('details of the audit log lead to a new webhook, a shared file and the tokens of a user, and their IDs can be copied', async () => {
    const { id } = await site.user()
    const [webhook, file] = [newIdOf(new Date()), newIdOf(new Date())]
    await site.query(
      `INSERT INTO audit_entries (id, action, actor, user_id, subject_id, details) VALUES
         (gen_random_uuid(), 'admin.called', $2, $1, $3, $4),
         (gen_random_uuid(), 'share.created', $2, $1, gen_random_uuid(), $5),
         (gen_random_uuid(), 'push.token.created', 'admin', $1, gen_random_uuid(), '{}'),
         (gen_random_uuid(), 'server_key.created', 'admin', $1, gen_random_uuid(), '{}')`,
      [
        id,
        `user:${admin.id}`,
        webhook,
        { method: 'POST', path: '/api/admin/webhooks', status: 201 },
        { fileId: file },
      ],
    )
    const page = await site.open(admin, { path: `/admin/audit?user=${id}` })
    for (const [entry, name, href] of [
      ['Webhook created', 'Open webhook', `/admin/webhooks/${webhook}`],
      ['Shared link created', 'Open file', `/admin/files/${file}`],
      ['Push token created', 'Open push tokens', `/admin/push-tokens?user=${id}`],
      ['Server key created', 'Open server keys', '/admin/server-keys'],
    ]) {
      const row = entries(page).filter({ hasText: entry! })
      await row.locator('summary').press('Enter')
      expect(await row.getByRole('link', { name: name! }).getAttribute('href')).toBe(href)
      await row
        .getByRole('button', { name: /^Copy ID: / })
        .first()
        .waitFor()
    }
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('a title in the audit log that mentions an ID stays in the line', async () => {
    const { id } = await site.user()
    await site.query(
      `INSERT INTO audit_entries (id, action, user_id, details) VALUES (gen_random_uuid(), 'push.broadcast', $1, $2)`,
      [id, { title: `Ticket ${id}` }],
    )
    const page = await site.open(admin, { path: `/admin/audit?user=${id}` })
    await entries(page).locator('summary').getByText(`Ticket ${id}`).waitFor()
  })

  test('the audit log names users by email, leaves out API calls, and is filtered by actor and day', async () => {
    const [actor, other] = await Promise.all([site.user(), site.user()])
    for (const [at, action] of [
      ['2026-11-20T12:00:00Z', 'share.created'],
      ['2026-11-21T12:00:00Z', 'share.revoked'],
    ])
      await site.query(
        'INSERT INTO audit_entries (id, at, action, actor, user_id) VALUES ($1, $2, $3, $4, $5)',
        [newIdOf(new Date(at!)), at, action, `user:${actor.id}`, other.id],
      )
    const page = await site.open(admin, { path: '/admin/audit' })
    await page.getByRole('list', { name: 'Audit log' }).waitFor()
    expect(
      await entries(page).filter({ hasText: admin.email }).filter({ hasText: 'GET /api/admin/' }).count(),
    ).toBe(0)
    await openFilters(page)
    await page.getByLabel('Done by', { exact: true }).fill(actor.email)
    await page.keyboard.press('Enter')
    await until('both are listed', async () => (await entries(page).count()) === 2)
    await entries(page).first().locator('summary').click()
    for (const { email } of [actor, other])
      await entries(page).first().locator('summary').getByText(email).waitFor()
    await page.getByLabel('To', { exact: true }).fill('2026-11-20')
    await page.keyboard.press('Enter')
    await until('one is listed', async () => (await entries(page).count()) === 1)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const file = await (await download).path()
    const lines = readFileSync(file, 'utf8').trim().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`"share.created","user:${actor.id}","${actor.email}"`)
  })

  /** Returns the HTML of a page below /admin, without scripts and places where words wrap. */
  async function htmlOf(path: string): Promise<string> {
    const answer = await fetch(`${site.url}/admin/${path}`, {
      headers: { cookie: `next-auth.session-token=${admin.token}` },
    })
    expect(answer.status).toBe(200)
    return (await answer.text()).replaceAll(/<script[\s\S]*?<\/script>|<wbr\/>/g, '')
  }

  test.each(PAGES.filter((path) => path !== 'health'))(
    'the list of /admin/%s arrives with the HTML',
    async (path) => {
      await pushToken()
      const html = await htmlOf(path)
      expect(html).not.toContain('Loading…')
      if (['users', 'push-tokens', 'audit'].includes(path)) expect(html).toContain(user.email)
    },
  )

  test('a list for an email, app data or an action arrives with the HTML, and one by day says that it needs scripts', async () => {
    await pushToken()
    const [of, unknown] = [`user=${encodeURIComponent(user.email)}`, 'user=nobody%40example.com']
    for (const path of [
      `push-tokens?${of}`,
      `files?${of}&data=order%3DA1`,
      `audit?${of}&actor=admin&action=push.token_created&calls=on`,
    ])
      expect(await htmlOf(path), path).not.toContain('Loading…')
    for (const path of ['audit?from=2026-11-20', `files?${unknown}`]) {
      const page = await site.open(admin, {
        path: `/admin/${path}`,
        javaScriptEnabled: false,
        wait: (opened) => opened.getByText('This list needs JavaScript.').first().waitFor(),
      })
      expect(await page.getByText('Loading…').filter({ visible: true }).count(), path).toBe(0)
    }
  })

  test('a signed-out visitor returns to the same filters, and lists ignore invalid ones', async () => {
    const webhook = `webhooks/${newIdOf(new Date())}`
    for (const path of ['users', 'files', 'push-tokens', 'broadcasts', 'audit', webhook]) {
      const address = `/admin/${path}?query=a+b&user=c`
      const { headers } = await fetch(`${site.url}${address}`, { redirect: 'manual' })
      expect(new URL(headers.get('location')!, site.url).searchParams.get('callbackUrl')).toBe(address)
      // The page of a webhook loads its list itself.
      if (path === webhook) continue
      const html = await htmlOf(`${path}?from=garbage&to=2026-13-01&status=x&state=x&group=x&sort=x`)
      expect(html).not.toContain('Loading…')
      expect(html).not.toContain('Clear filters')
    }
  })

  test('addresses of earlier versions with userId show the entries of this user only', async () => {
    for (const path of ['audit', 'files', 'push-tokens']) {
      const page = await site.open(admin, { path: `/admin/${path}?userId=${user.id}` })
      await page.waitForURL(`**/admin/${path}?user=${user.id}`)
    }
  })

  test('a user and the state of the deployment arrive with the HTML', async () => {
    expect(await htmlOf(`users/${user.id}`)).toContain(user.email)
    const health = await htmlOf('health')
    expect(health).toContain('Batches to send now')
    // Results of doctor, so that nothing moves when scripts load.
    expect(health).toContain('NEXTAUTH_URL is plain http')
    expect(health).toContain('Database migrations')
    expect(health).not.toContain('Loading…')
  })

  test('the audit log is shown page by page, and keeps the focus', async () => {
    const { id } = await site.user()
    await rejected(id, 60)
    const page = await site.open(admin, { path: `/admin/audit?user=${id}` })
    await until('one page is loaded', async () => (await entries(page).count()) === 50)
    await page.getByRole('button', { name: 'Show more' }).press('Enter')
    await until('all are loaded', async () => (await entries(page).count()) === 60)
    await waitForAnyFocus(page)
  })

  test('a list that cannot be loaded reports it, and can be reloaded with the keyboard alone', async () => {
    site.expectErrors(/status of 400/)
    const page = await site.open(admin, { path: '/admin/audit' })
    await page.route(USERS_API, (route) =>
      route.fulfill({
        status: 400,
        json: { error: { code: 'BAD_REQUEST', message: 'no' }, requestId: 'abc' },
      }),
    )
    await links(page).first().press('Enter')
    await searchField(page).fill(admin.email)
    await searchField(page).press('Enter')
    await page.getByRole('alert').getByText('The server rejected this.').waitFor()
    await waitForFocus(searchField(page))
    await page.unroute(USERS_API)
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await listRow(page, 'Users', admin.email).waitFor()
    await waitForAnyFocus(page)
  })
})
