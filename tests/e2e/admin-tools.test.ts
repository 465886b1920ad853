// What administrators do on their pages: sort, filter, reset passwords, change roles, test webhooks, find failures.

import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { seedFiles } from '../support/seed-files.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { waitForFocus } from './support/focus.ts'
import { chooseAction, closeWithEscape, confirmation, listRow, openFilters } from './support/page.ts'
import { ageSessions, describeSite, ready } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'

/** Returns the last character of each line of the element, except of the last line. */
const lineEnds = (element: Locator) =>
  element.evaluate((node) => {
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    let ends = ''
    let previous: { character: string; bottom: number } | undefined
    while (texts.nextNode()) {
      const text = texts.currentNode as Text
      for (let i = 0; i < text.length; i++) {
        range.setStart(text, i)
        range.setEnd(text, i + 1)
        const { bottom } = range.getBoundingClientRect()
        if (previous && bottom > previous.bottom + 4) ends += previous.character
        previous = { character: text.data[i]!, bottom }
      }
    }
    return ends
  })

describeSite('the tools of administrators', (site) => {
  let admin: TestUser
  beforeAll(async () => {
    admin = await site.admin({ name: 'Grace', password: PASSWORD })
  })

  const roleOf = async ({ id }: TestUser) =>
    (await site.query('SELECT role FROM users WHERE id = $1', [id]))[0]!.role

  test('users are sorted by the column heads, on phones by a select; each shows its storage, in a meter if it uses any, and says only once that it was never seen', async () => {
    const user = await site.user()
    // Otherwise, the first one could be first because it is the newest.
    const empty = await site.user()
    await site.query('UPDATE users SET used_bytes = 1e12, last_seen_at = NULL WHERE id = $1', [user.id])
    const page = await site.open(admin, { path: '/admin/users' })
    const head = (name: string) => page.getByRole('button', { name, exact: true })
    await head('Created').and(page.locator('[aria-pressed=true]')).waitFor()
    const first = page.getByRole('list', { name: 'Users' }).getByRole('listitem').first()
    await head('Storage').press('Enter')
    await first.getByRole('link', { name: user.email }).waitFor()
    expect(await first.getByRole('meter').getAttribute('aria-valuetext')).toContain('of 500\u00a0MB')
    const unused = listRow(page, 'Users', empty.email)
    await unused.getByText('0 bytes of 500\u00a0MB used').waitFor()
    expect(await unused.getByRole('meter').count()).toBe(0)
    await first.getByText(/^Last seen Never$/).waitFor()
    expect(await first.getByText('Not seen yet').count()).toBe(0)
    await head('Created').press('Enter')
    await first.getByRole('link', { name: user.email }).waitFor({ state: 'detached' })
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByLabel('Sort by').selectOption('Storage used')
    await first.getByRole('link', { name: user.email }).waitFor()
    await site.query('DELETE FROM users WHERE id = $1', [user.id])
  })

  test('a search, whose field phones show at once, says how many users it found, and marks a sign-up with the email of another user as unverified', async () => {
    const [owner, claim] = [await site.user(), await site.user()]
    await site.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [owner.id])
    await site.query(
      'UPDATE users SET email = NULL, claimed_email = $1, email_verified_at = NULL WHERE id = $2',
      [owner.email, claim.id],
    )
    for (const [locale, search, all, found, label] of [
      ['en-US', 'Email, name or ID', /^\d+ users$/, '2 users', 'Email not verified'],
      ['de-DE', 'E-Mail, Name oder ID', /^\d+ Konten$/, '2 Konten', 'E-Mail unbestätigt'],
    ] as const) {
      const page = await site.open(admin, { path: '/admin/users', locale })
      await page.getByRole('status').filter({ hasText: all }).waitFor()
      const asked = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      await page.route(/\/api\/admin\/users\?/, async (route) => {
        asked.resolve()
        await held.promise
        await route.continue()
      })
      await page.getByLabel(search).fill(owner.email)
      await page.keyboard.press('Enter')
      await asked.promise
      // The previous number is not that of the search.
      expect(await page.getByRole('status').filter({ hasText: /\d/ }).count()).toBe(0)
      held.resolve()
      const rows = page.getByRole('listitem').filter({ hasText: owner.email })
      await until('both are listed', async () => (await rows.count()) === 2)
      await page.getByRole('status').filter({ hasText: found }).waitFor()
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await page.getByLabel(search).isVisible()).toBe(true)
      const marked = rows.filter({ hasText: label })
      await marked.waitFor()
      expect(await marked.getByRole('link').getAttribute('href')).toBe(`/admin/users/${claim.id}`)
      expect(await violationsInBothSchemes(page)).toEqual([])
    }
  })

  test('users are filtered by role and status', async () => {
    const word = randomUUID().slice(0, 8)
    const user = await site.user({ email: `off.${word}@example.com` })
    const other = await site.user({ email: `on.${word}@example.com` })
    await site.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id])
    await site.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [other.id])
    const page = await site.open(admin, { path: '/admin/users' })
    await page.getByLabel('Email, name or ID').fill(word)
    await page.keyboard.press('Enter')
    await page
      .getByRole('status')
      .filter({ hasText: /^2 users?$/ })
      .waitFor()
    const show = page.getByLabel('Users to show')
    for (const [label, email] of [
      ['Disabled', user.email],
      ['Administrators', other.email],
    ] as const) {
      await show.selectOption({ label })
      await page
        .getByRole('status')
        .filter({ hasText: /^1 users?$/ })
        .waitFor()
      const links = page.getByRole('list', { name: 'Users' }).getByRole('link')
      await until(`only ${email} is listed`, async () => (await links.allInnerTexts()).join() === email)
    }
    await show.selectOption({ label: 'All users' })
    await page
      .getByRole('status')
      .filter({ hasText: /^2 users?$/ })
      .waitFor()
    await site.query(`UPDATE users SET role = 'user' WHERE id = $1`, [other.id])
  })

  test('a user becomes an administrator after a confirmation and a recent sign-in, and can lose the role again', async () => {
    site.expectErrors(/status of 403/)
    const user = await site.user()
    await site.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id])
    await ageSessions(site, admin)
    const page = await site.open(admin, { path: `/admin/users/${user.id}` })
    await chooseAction(page, 'Make administrator')
    const dialog = page.getByRole('alertdialog', { name: 'Make this user an administrator?' })
    await dialog.getByText(user.email).waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await confirmation(page, 'Make administrator').click()
    const question = page.getByRole('alertdialog', { name: 'Confirm your identity' })
    await question.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    // Between the two dialogs, neither is announced for a moment.
    await until('the role is stored', async () => (await roleOf(user)) === 'admin')
    // A locator by role ignores dialogs that are hidden from screen readers.
    await page.locator('[role=alertdialog]').waitFor({ state: 'detached' })
    await chooseAction(page, 'Remove administrator role')
    await confirmation(page, 'Remove administrator role').click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect(await roleOf(user)).toBe('user')
  })

  test('a user without a verified email does not become an administrator, and the dialog says why', async () => {
    site.expectErrors(/status of 409/)
    const user = await site.user()
    await site.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [user.id])
    const page = await site.open(admin, { path: `/admin/users/${user.id}` })
    await chooseAction(page, 'Make administrator')
    await confirmation(page, 'Make administrator').click()
    await page.getByRole('alertdialog').getByText('has not verified their email').waitFor()
    expect(await roleOf(user)).toBe('user')
  })

  test('an administrator sets a user’s password, and the form says next to the field what is wrong', async () => {
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(admin, { path: `/admin/users/${user.id}` })
    await chooseAction(page, 'Set password')
    const field = page.getByLabel('New password', { exact: true })
    await waitForFocus(field)
    await page.keyboard.press('Enter')
    // The error replaces the hint with the rule.
    await page.getByText('Enter a password of 12 to 128 characters.').waitFor()
    await field.pressSequentially('short')
    await page.keyboard.press('Enter')
    await page.getByText('Use 12 to 128 characters, not just spaces.').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('another password for tests')
    await page.keyboard.press('Enter')
    await waitForFocus(page.getByRole('button', { name: 'More actions' }))
    const signedIn = await site.server.call(null, 'session.create', {
      email: user.email,
      password: 'another password for tests',
    })
    expect(signedIn.data?.token).toEqual(expect.any(String))
  })

  test('the form for a new user says next to each field what is wrong, in the page’s language', async () => {
    const page = await site.open(admin, { path: '/admin/users', locale: 'de-DE' })
    await page.getByRole('button', { name: 'Neues Konto' }).click()
    await page.getByLabel('Kontingent in MB (optional)').fill('-1')
    await page.getByRole('button', { name: 'Konto erstellen' }).click()
    await page.getByText('Geben Sie eine E-Mail-Adresse ein.').waitFor()
    await page.getByText('Geben Sie eine Zahl ab 0 ein.').waitFor()
    await waitForFocus(page.getByLabel('E-Mail', { exact: true }))
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('push tokens are filtered by owner and status, and show their last characters', async () => {
    const [user, other] = [await site.user(), await site.user()]
    const create = async (userId: string) =>
      site.server.post('/api/push/token', ADMIN_SECRET, { userId, name: 'siren' })
    await create(other.id)
    const { body } = await create(user.id)
    const page = await site.open(admin, { path: '/admin/push-tokens' })
    await page.getByLabel('Owner’s email or ID').fill(user.email)
    await page.getByLabel('Status').selectOption('Active')
    const rows = page.getByRole('list', { name: 'Push tokens' }).getByRole('listitem')
    await until('one is listed', async () => (await rows.count()) === 1)
    await rows.getByText(`ph_…${body.token.slice(-4)}`).waitFor()
    await page.getByLabel('Status').selectOption('Revoked')
    await page.getByText('No push tokens match these filters').waitFor()
  })

  test('broadcasts are filtered by topic and status, and list the devices that failed with their users', async () => {
    const user = await site.user()
    const { body } = await site.server.post('/api/push/token', ADMIN_SECRET, {
      userId: user.id,
      name: 'siren',
    })
    const topic = `storm-${randomUUID()}`
    const sent = await site.server.post('/api/push/send', body.token, { title: 'Storm', body: 'b', topic })
    await site.query(`UPDATE push_messages SET audience_ios = 1, failed = 1 WHERE id = $1`, [sent.body.id])
    await site.query(
      `INSERT INTO push_failures (message_id, device_id, user_id, platform, reason) VALUES ($1, $2, $2, 'ios', 'TopicDisallowed')`,
      [sent.body.id, user.id],
    )
    const page = await site.open(admin, { path: '/admin/broadcasts' })
    await openFilters(page)
    await page.getByLabel('Topic').fill(topic)
    await page.keyboard.press('Enter')
    const row = listRow(page, 'Broadcasts', topic)
    expect(await violationsInBothSchemes(page)).toEqual([])
    await row.getByRole('link', { name: 'Storm' }).click()
    const devices = page.getByRole('group').filter({ hasText: 'Failed devices' })
    expect(await devices.getByRole('listitem').count()).toBe(0)
    await devices.getByText('Failed devices').click()
    const failure = listRow(page, 'Failed devices', user.email)
    await failure.getByText('TopicDisallowed').waitFor()
    await failure.getByText('The device belongs to another app, project or environment.').waitFor()
    expect(await failure.getByRole('link', { name: user.email }).getAttribute('href')).toBe(
      `/admin/users/${user.id}`,
    )
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.goBack()
    await page.getByRole('heading', { name: 'Broadcasts' }).waitFor()
    await page.getByLabel('Status').selectOption('Scheduled')
    await page.getByText('No messages match these filters').waitFor()
    await page.getByRole('link', { name: 'New message' }).press('Enter')
    await page.waitForURL('**/messages/new')
  })

  test('rare filters are behind one button, which counts the active ones. They show at once if one is active or there are no scripts', async () => {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, 1)
    const viewport = { width: 390, height: 844 }
    const page = await site.open(admin, { path: `/admin/files?user=${user.id}`, viewport })
    const [first, rare] = [page.getByLabel('File name'), page.getByLabel('Owner', { exact: true })]
    const toggle = page.getByRole('button', { name: /^Filters/ })
    const expanded = (text: string, isExpanded: boolean) =>
      toggle.and(page.getByText(text, { exact: true })).and(page.locator(`[aria-expanded=${isExpanded}]`))
    await expanded('Filters (1)', true).waitFor()
    expect(await rare.inputValue()).toBe(user.id)
    await page.getByLabel('Upload policy').fill('invoice')
    await page.getByLabel('Upload policy').press('Enter')
    await expanded('Filters (2)', true).press('Enter')
    await expanded('Filters (2)', false).waitFor()
    expect([await rare.isVisible(), await first.isVisible()]).toEqual([false, true])
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.getByText('No files match these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
    await waitForFocus(first)
    await expanded('Filters', false).press('Enter')
    expect(await rare.inputValue()).toBe('')
    expect(await violationsInBothSchemes(page)).toEqual([])
    // An invalid field is shown, although it is behind the button.
    await page.getByLabel('App data').fill('A1')
    await expanded('Filters', true).press('Enter')
    await first.press('Enter')
    await waitForFocus(page.getByLabel('App data'))

    const plain = await site.open(admin, {
      path: '/admin/files',
      viewport,
      javaScriptEnabled: false,
      wait: (opened) => opened.getByRole('heading', { name: 'Files', exact: true }).waitFor(),
    })
    expect(await plain.getByLabel('Owner', { exact: true }).first().isVisible()).toBe(true)
    expect(await plain.getByRole('button', { name: /^Filters/ }).count()).toBe(0)
    // The browser sends the form, and the list arrives with the page.
    await plain.getByLabel('File name').fill(`no-${user.id}`)
    await plain.getByLabel('File name').press('Enter')
    await plain.getByText('No files match these filters').waitFor()
  })

  test('filters take effect at once, texts on Enter or on leaving the field; the address keeps them, the back button undoes them, and nothing moves', async () => {
    const user = await site.user({ email: `filter.${randomUUID()}@example.com` })
    const page = await site.open(admin, { path: '/admin/users' })
    const [text, group] = [page.getByLabel('Email, name or ID'), page.getByLabel('Users to show')]
    const status = page.getByRole('status').filter({ hasText: /user/ })
    const clear = page.getByRole('button', { name: 'Clear filters' })
    const top = async () => (await page.getByRole('list', { name: 'Users' }).boundingBox())!.y
    const address = () => page.evaluate(() => location.search)
    const before = await top()
    await text.fill(` ${user.email} `)
    expect(await address()).toBe('')
    await text.press('Tab')
    await waitForFocus(group)
    await status.getByText('1 user', { exact: true }).waitFor()
    expect([await address(), await top()]).toEqual([`?${new URLSearchParams({ query: user.email })}`, before])
    await group.selectOption('Disabled')
    await page.getByText('No users match these filters').waitFor()
    expect(await address()).toContain('group=disabled')
    // Only the one that replaces the list.
    expect(await clear.count()).toBe(1)
    await page.reload()
    await ready(page)
    await page.getByText('No users match these filters').waitFor()
    expect([await text.inputValue(), await group.inputValue()]).toEqual([user.email, 'disabled'])
    await page.goBack()
    await listRow(page, 'Users', user.email).waitFor()
    expect([await text.inputValue(), await group.inputValue()]).toEqual([user.email, ''])
    await page.goForward()
    await page.getByText('No users match these filters').waitFor()
    // What is typed right after it stays: Next has not yet reported the filter.
    const typed = await clear.evaluate((button: HTMLElement) => {
      button.click()
      const field = document.activeElement as HTMLInputElement
      const emptied = field.value === ''
      field.value = 'x'
      return emptied
    })
    expect(typed).toBe(true)
    await status.getByText(/^[^0]/).waitFor()
    expect(await text.inputValue()).toBe('x')
    await text.fill('')
    await waitForFocus(text)
    expect([await address(), await text.inputValue(), await group.inputValue()]).toEqual(['', '', ''])
    // A link to a file and back again shows the same filter, not the page's first list.
    await text.fill(user.email)
    await text.press('Enter')
    await listRow(page, 'Users', user.email).getByRole('link').click()
    await page.getByRole('heading', { name: user.email }).waitFor()
    await page.goBack()
    await status.getByText('1 user', { exact: true }).waitFor()
    expect(await text.inputValue()).toBe(user.email)
  })

  test('an invalid filter keeps no other filter from taking effect, shows itself, and loses its error when the filters are cleared or undone', async () => {
    await seedFiles(site.server.databaseUrl, admin.id, 1)
    const page = await site.open(admin, { path: '/admin/files' })
    const [data, status] = [page.getByLabel('App data'), page.getByLabel('Status')]
    const toggle = page.getByRole('button', { name: /^Filters/ })
    const invalid = page.locator('[aria-invalid=true]')
    const typeAndHide = async () => {
      await data.fill('A1')
      await toggle.press('Enter')
      await data.waitFor({ state: 'hidden' })
    }
    const expectReset = async () => {
      await invalid.waitFor({ state: 'detached' })
      expect([await data.inputValue(), await status.inputValue()]).toEqual(['', ''])
    }
    await openFilters(page)
    await typeAndHide()
    await status.selectOption('HELD')
    await page.waitForURL('**/admin/files?state=HELD')
    await invalid.waitFor()
    // Then its button replaces the one beside the filters.
    await page.getByText('No files match these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
    await page.waitForURL('**/admin/files')
    await expectReset()
    await typeAndHide()
    await status.selectOption('HELD')
    await page.waitForURL('**/admin/files?state=HELD')
    await invalid.waitFor()
    await page.goBack()
    await expectReset()
  })

  test('a text stays that is typed while the list follows an earlier change', async () => {
    const page = await site.open(admin, { path: '/admin/users?query=abc' })
    const text = page.getByLabel('Email, name or ID')
    // On slow devices, Next reports the new address after the next keys. Here it always does.
    await text.evaluate((input) => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!
      for (const value of ['', 'robert']) {
        set!.call(input, value)
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }
    })
    await page.getByRole('button', { name: 'Clear filters' }).first().waitFor({ state: 'detached' })
    expect(await text.inputValue()).toBe('robert')
    await text.press('Enter')
    await page.waitForURL('**/admin/users?query=robert')
    await page.goBack()
    await page.waitForURL('**/admin/users?query=abc')
    await until('the field follows', async () => (await text.inputValue()) === 'abc')
  })

  test('a date takes effect on Enter or on leaving its field, the back button undoes each Enter, and the steps of one choice are one entry of the history', async () => {
    const page = await site.open(admin, { path: '/admin/audit' })
    const entries = () => page.evaluate(() => history.length)
    await openFilters(page)
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
    const before = await entries()
    await from.fill('2026-11-20')
    await from.fill('2026-11-21')
    expect(await page.evaluate(() => location.search)).toBe('')
    await from.press('Enter')
    await page.waitForURL('**/admin/audit?from=2026-11-21')
    await from.fill('2026-11-22')
    await from.press('Enter')
    await page.waitForURL('**/admin/audit?from=2026-11-22')
    await page.goBack()
    await page.waitForURL('**/admin/audit?from=2026-11-21')
    await until('the date follows', async () => (await from.inputValue()) === '2026-11-21')
    await from.fill('2026-11-22')
    await to.focus()
    await page.waitForURL('**/admin/audit?from=2026-11-22')
    expect(await entries()).toBe(before + 2)
    const action = page.getByLabel('Action', { exact: true })
    await action.focus()
    for (const value of ['share.created', 'share.revoked']) {
      await action.selectOption(value)
      await page.waitForURL(`**/admin/audit?from=2026-11-22&action=${value}`)
    }
    expect(await entries()).toBe(before + 3)
    await page.goBack()
    await page.waitForURL('**/admin/audit?from=2026-11-22')
    await until('the choice follows', async () => (await action.inputValue()) === '')
    // The entry before is not replaced.
    await action.selectOption('share.created')
    await page.waitForURL('**/admin/audit?from=2026-11-22&action=share.created')
    await page.goBack()
    await page.waitForURL('**/admin/audit?from=2026-11-22')
    await until('the choice follows', async () => (await action.inputValue()) === '')
    // Before the page has reacted to the choice.
    await action.evaluate((select: HTMLSelectElement) => {
      select.value = 'share.revoked'
      select.dispatchEvent(new Event('change', { bubbles: true }))
      history.back()
    })
    await until('the choice follows', async () => (await action.inputValue()) === '')
    await page.waitForURL('**/admin/audit?from=2026-11-22')
  })

  test('a date that is typed in part is called incomplete, and two dates are below each other on a phone', async () => {
    const page = await site.open(admin, { path: '/admin/audit', viewport: { width: 390, height: 844 } })
    await openFilters(page)
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
    const [one, other] = [(await from.boundingBox())!, (await to.boundingBox())!]
    expect([other.x, other.y > one.y]).toEqual([one.x, true])
    await from.press('1')
    await from.press('Enter')
    await page.getByRole('alert').getByText('The date is incomplete or does not exist.').waitFor()
    await waitForFocus(from)
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('broadcasts are filtered by a push token chosen by its name, and an empty page has one button for a new message', async () => {
    const user = await site.user()
    const create = async (name: string) =>
      (await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name })).body
    const [one, other] = [await create('lighthouse'), await create('foghorn')]
    for (const [token, title] of [
      [one.token, 'From the lighthouse'],
      [other.token, 'From the foghorn'],
    ])
      await site.server.post('/api/push/send', token, { title, body: 'b', topic: 'nobody-listens' })
    const page = await site.open(admin, { path: `/admin/broadcasts?pushTokenId=${one.id}` })
    const rows = page.getByRole('list', { name: 'Broadcasts' }).getByRole('listitem')
    const field = page.getByRole('combobox', { name: 'Push token' })
    expect(await field.locator('option:checked').innerText()).toBe(`lighthouse (…${one.token.slice(-4)})`)
    await until('only its broadcast is listed', async () => (await rows.count()) === 1)
    await rows.filter({ hasText: 'From the lighthouse' }).waitFor()
    await field.selectOption({ label: `foghorn (…${other.token.slice(-4)})` })
    await rows.filter({ hasText: 'From the foghorn' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
    await until('both are listed', async () => (await rows.count()) >= 2)
    await waitForFocus(page.getByLabel('Title'))
    await page.keyboard.insertText('LIGHTHOUSE')
    await page.keyboard.press('Enter')
    await until('it is found by its title', async () => (await rows.count()) === 1)
    await rows.filter({ hasText: 'From the lighthouse' }).waitFor()
    await page.route(/\/api\/admin\/broadcasts(\?|$)/, (route) =>
      route.fulfill({ json: { items: [], nextCursor: null } }),
    )
    await page.reload()
    await ready(page)
    await page.getByLabel('Status').selectOption({ label: 'Sending' })
    await page.getByText('No messages match these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await page.getByText('No broadcasts yet').waitFor()
    await page.getByRole('link', { name: 'New message' }).press('Enter')
    await page.waitForURL('**/messages/new')
  })

  test('an empty list has filters only after one was active', async () => {
    for (const table of ['push_messages', 'push_tokens']) await site.query(`DELETE FROM ${table}`)
    for (const [path, empty] of [
      ['push-tokens', 'No push tokens yet'],
      ['broadcasts', 'No broadcasts yet'],
    ] as const) {
      const page = await site.open(admin, { path: `/admin/${path}` })
      await page.getByText(empty).waitFor()
      expect(await page.getByRole('search').count(), path).toBe(0)
      await page.close()
    }
    const page = await site.open(admin, { path: '/admin/broadcasts?status=sending' })
    await page.getByText('No messages match these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().press('Enter')
    await page.getByText('No broadcasts yet').waitFor()
    await waitForFocus(page.getByLabel('Title'))
  })

  async function webhookPage(url: string): Promise<Page> {
    await site.query('DELETE FROM webhooks')
    const id = randomUUID()
    await site.query(
      `INSERT INTO webhooks (id, url, events, secret) VALUES ($1, $2, '{file.ready,file.held,device.removed}', $3)`,
      [id, url, `whsec_${Buffer.alloc(32).toString('base64')}`],
    )
    return site.open(admin, { path: `/admin/webhooks/${id}` })
  }

  test('a webhook names its events and state, and sends a test event, whose attempt shows in the list and on its page', async () => {
    // Its attempts fail at once.
    const url = 'https://127.0.0.1/hooks'
    await webhookPage(url)
    const page = await site.open(admin, { path: '/admin/webhooks' })
    await page.getByText('No delivery yet').waitFor()
    const row = listRow(page, 'Webhooks', url)
    // The usual state is plain text.
    const usual = row.getByText('Active', { exact: true })
    expect(await usual.evaluate((one) => getComputedStyle(one).borderRadius)).toBe('0px')
    const types = ['A file is ready', 'A file is waiting to be checked', 'A device was removed']
    expect(await row.getByRole('list', { name: 'Events' }).getByRole('listitem').allInnerTexts()).toEqual(
      types,
    )
    await page.getByRole('link', { name: url }).click()
    await page.getByRole('heading', { name: '127.0.0.1' }).waitFor()
    await page.getByTitle('file.held').getByText('A file is waiting to be checked').waitFor()
    await chooseAction(page, 'Send test event')
    const delivery = listRow(page, 'Deliveries', 'webhook.test')
    await delivery.getByText('Test', { exact: true }).waitFor()
    const cause = 'The host has an address that is not public'
    await page.getByRole('region', { name: 'Subscription' }).getByText(cause).waitFor()
    // Its badge; the delivery itself is retried.
    await page.getByText('Failing', { exact: true }).waitFor()
    await delivery.getByText('Retrying').waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.getByRole('link', { name: 'All webhooks' }).click()
    await row.getByText(cause).waitFor()
    await row.getByText('Failing', { exact: true }).waitFor()
    await site.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, type, data, sequence, status, created_at, expires_at)
       SELECT gen_random_uuid(), id, 'file.ready', '{}', 1000 + i, (CASE i WHEN 1 THEN 'failed' ELSE 'delivered' END)::delivery_status, now(), now()
       FROM webhooks, generate_series(1, 3) AS i WHERE url = $1`,
      [url],
    )
    await page.reload()
    // Rounded down: 100% means that nothing failed.
    await row.getByText('66%').waitFor()
    await row.getByText('of 3 finished deliveries').waitFor()
    const meter = row.getByRole('meter', { name: 'Delivered' })
    expect(await meter.getAttribute('aria-valuetext')).toBe('66% of 3 finished deliveries')
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('a webhook that a 410 ended says so in the list and on its page, where it can be activated again', async () => {
    const url = 'https://gone.invalid/hooks'
    const page = await webhookPage(url)
    await site.query('UPDATE webhooks SET active = false, ended_at = now()')
    await page.goto(`${site.url}/admin/webhooks`)
    const row = listRow(page, 'Webhooks', url)
    await row.getByText('Ended', { exact: true }).waitFor()
    await row.getByText('Ended: the receiver responded with 410 Gone').waitFor()
    // Only the share of deliveries is empty.
    expect(await row.getByText('–', { exact: true }).count()).toBe(1)
    await row.getByRole('link', { name: url }).click()
    const reason = page.getByText(
      /^Ended: the receiver responded with 410 Gone on .+\. Activate the webhook once/,
    )
    await reason.waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    const activate = page.getByRole('button', { name: 'Activate' })
    await activate.press('Enter')
    await waitForFocus(page.getByRole('button', { name: 'More actions' }))
    await reason.waitFor({ state: 'detached' })
    const [stored] = await site.query('SELECT active, ended_at FROM webhooks')
    expect(stored).toEqual({ active: true, ended_at: null })
  })

  test('a webhook has one visible action, and a menu of the others', async () => {
    const page = await webhookPage('https://backend.invalid/hooks')
    const actions = page.getByRole('button', { name: 'More actions' }).locator('..').getByRole('button')
    const names = async () => {
      const items = page.getByRole('menuitem')
      await items.first().waitFor()
      return [
        ...(await actions.evaluateAll((all) => all.map((one) => one.textContent || one.ariaLabel))),
        ...(await items.allInnerTexts()),
      ]
    }
    await actions.last().press('Enter')
    expect(await names()).toEqual([
      'Edit webhook',
      'More actions',
      'Send test event',
      'Deactivate',
      'Delete webhook',
    ])
    await page.getByRole('menuitem', { name: 'Deactivate' }).press('Enter')
    await page.getByRole('button', { name: 'Activate' }).waitFor()
    await actions.last().press('Enter')
    expect(await names()).toEqual(['Activate', 'More actions', 'Edit webhook', 'Delete webhook'])
    await page.getByRole('menuitem', { name: 'Edit webhook' }).press('Enter')
    await waitForFocus(page.getByLabel('URL'))
    await page.getByRole('button', { name: 'Cancel' }).press('Enter')
    await waitForFocus(actions.last())
    await site.query('DELETE FROM webhooks')
  })

  test('the URL, events and description of a webhook can be changed', async () => {
    const page = await webhookPage('https://backend.invalid/hooks')
    const edit = page.getByRole('button', { name: 'Edit webhook' })
    await edit.press('Enter')
    const url = page.getByLabel('URL')
    await waitForFocus(url)
    expect(await url.inputValue()).toBe('https://backend.invalid/hooks')
    await url.fill('https://other.invalid/hooks')
    await page.getByLabel('Description (optional)').fill('Stock service')
    await page.getByLabel('A file is waiting to be checked').uncheck()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await url.press('Enter')
    await waitForFocus(edit)
    await page.getByRole('heading', { name: 'other.invalid' }).waitFor()
    await page.getByText('Stock service').waitFor()
    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
    expect(await events.allInnerTexts()).toEqual(['A file is ready', 'A device was removed'])
  })

  test('long emails and URLs wrap after a dot, slash or "@", never within a word; a row of the users is one line on wide screens, and its title has the whole email', async () => {
    const email = `grace.brewster.murray.hopper.of.the.navy.${randomUUID().slice(0, 8)}@compilers.research.department.of.the.united.states.naval.reserve.example.org`
    const user = await site.user({ email })
    const url = 'https://backend.of-the-northern-data-centre.invalid/hooks/pigeonhole'
    await site.query('DELETE FROM webhooks')
    await site.query(
      `INSERT INTO webhooks (id, url, events, secret, description)
       VALUES (gen_random_uuid(), $1, '{file.ready}', 'x', 'Stock service')`,
      [url],
    )
    const page = await site.open(admin, { path: `/admin/users/${user.id}` })
    for (const width of [1440, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      const heading = page.getByRole('heading', { level: 1, name: email })
      expect(await lineEnds(heading), `${width}`).toMatch(/^[.@]+$/)
    }
    // The email moves to the next line as a whole.
    const short = await site.user({ email: 'elise.k@example.com' })
    await page.goto(`${site.url}/admin/users/${short.id}`)
    await ready(page)
    for (const item of ['Make administrator', 'Delete user']) {
      await page.getByRole('button', { name: 'More actions' }).press('Enter')
      await page.getByRole('menuitem', { name: item }).press('Enter')
      const names = page.getByRole('alertdialog').locator('bdi', { hasText: short.email })
      await names.first().waitFor()
      for (const name of await names.all()) expect(await lineEnds(name)).toBe('')
      await closeWithEscape(page.getByRole('alertdialog'))
    }
    await page.goto(`${site.url}/admin/users`)
    const link = page.getByRole('link', { name: email })
    for (const width of [1440, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await link.getAttribute('title')).toBe(email)
      expect(await lineEnds(link), `${width}`).toMatch(width < 640 ? /^[.@]+$/ : /^$/)
    }
    await page.goto(`${site.url}/admin/webhooks`)
    expect(await lineEnds(page.getByRole('link', { name: url }))).toMatch(/^[./-]+$/)
    await page.getByText('Stock service').waitFor()
    await site.query('DELETE FROM webhooks')
  })

  test('the filters of every list have the same place and fit on one line of wide screens', async () => {
    await seedFiles(site.server.databaseUrl, admin.id, 1)
    const token = { userId: admin.id, name: 'siren' }
    const { body } = await site.server.post('/api/push/token', ADMIN_SECRET, token)
    await site.server.post('/api/push/send', body.token, { title: 'Storm', body: 'b', all: true })
    for (const list of ['users', 'files', 'push-tokens', 'broadcasts', 'audit']) {
      const page = await site.open(admin, { path: `/admin/${list}`, viewport: { width: 1440, height: 900 } })
      const search = page.getByRole('search')
      const boxes = await search
        .locator('input:visible, select:visible, button:visible')
        .evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect()).map(({ x, y, height }) => [x, y + height / 2]),
        )
      const middles = boxes.map(([, middle]) => Math.round(middle!))
      expect(new Set(middles).size, list).toBe(1)
      expect(Math.round(boxes[0]![0]!), list).toBe(150)
    }
  })

  test('the header of administrators fits in German at every width', async () => {
    const page = await site.open(admin, { path: '/admin/users', locale: 'de-DE' })
    for (const width of [640, 700, 767, 768, 900, 1023, 1024]) {
      await page.setViewportSize({ width, height: 800 })
      const header = page.getByRole('banner')
      const nav = (await header.getByRole('link', { name: 'Verwaltung' }).boundingBox())!
      const menu = (await header.getByRole('button').last().boundingBox())!
      expect(nav.x + nav.width, `${width}`).toBeLessThanOrEqual(menu.x)
      expect((await header.getByRole('link').first().boundingBox())!.height, `${width}`).toBeLessThan(40)
    }
  })

  test('no value in the row of a user reaches into the next column in German', async () => {
    const user = await site.user()
    await site.query(
      'UPDATE users SET email = NULL, claimed_email = email, email_verified_at = NULL WHERE id = $1',
      [user.id],
    )
    const page = await site.open(admin, { path: '/admin/users', locale: 'de-DE' })
    const row = listRow(page, 'Konten', user.email)
    const right = async (text: string) => {
      const { x, width } = (await row.getByText(text, { exact: true }).boundingBox())!
      return x + width
    }
    for (const width of [1024, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      const [status, storage] = [row.getByText('E-Mail unbestätigt'), row.getByText(/belegt$/)]
      expect(await right('Standardkonto'), `${width}`).toBeLessThan((await status.boundingBox())!.x)
      expect(await right('E-Mail unbestätigt'), `${width}`).toBeLessThan((await storage.boundingBox())!.x)
    }
  })

  test('the details of audit entries are in the page’s language, with names instead of codes', async () => {
    const user = await site.user()
    await site.query(
      `INSERT INTO audit_entries (id, action, actor, user_id, details) VALUES
         (gen_random_uuid(), 'session.refused', NULL, $1, '{"method":"recovery_code","leftOut":3}'),
         (gen_random_uuid(), 'user.role.changed', 'admin', $1, '{"field":"role","old":"user","new":"admin"}'),
         (gen_random_uuid(), 'user.changed', 'admin', $1, '{"field":"quotaBytes","old":null,"new":1048576}'),
         (gen_random_uuid(), 'file.rejected', 'admin', $1, '{"reason":"self-made virus"}'),
         (gen_random_uuid(), 'push.token.created', 'admin', $1, '{"scopes":["self","users"]}'),
         (gen_random_uuid(), 'server_key.created', 'admin', $1, '{"scopes":"users:read,files:verdict"}'),
         (gen_random_uuid(), 'api_key.created', 'admin', $1, '{"scopes":"uploads:write"}')`,
      [user.id],
    )
    for (const [locale, texts] of [
      [
        'de-DE',
        [
          'Verfahren: Wiederherstellungscode',
          'Rolle: Standardkonto → Admin',
          'Kontingent: – → 1\u00a0MB',
          'Berechtigungen: Konten auflisten, Zurückgehaltene Dateien freigeben oder ablehnen',
          'Berechtigungen: Dateien hochladen',
        ],
      ],
      [
        'en-US',
        [
          'Method: recovery code',
          'Role: user → admin',
          'Quota: – → 1\u00a0MB',
          'Reason: self-made virus',
          'Permissions: its owner, individual users',
          'Permissions: List users, Accept or reject held files',
        ],
      ],
    ] as const) {
      const page = await site.open(admin, { path: `/admin/audit?user=${user.id}`, locale })
      for (const text of texts) await page.locator('summary').getByText(text).waitFor()
      expect(await violationsInBothSchemes(page)).toEqual([])
    }
  })

  test('times of the audit log stay whole on the narrowest phones, and IDs wrap only at their hyphens', async () => {
    const user = await site.user()
    await site.query(
      `INSERT INTO audit_entries (id, action, actor, user_id, subject_id, details) VALUES
         (gen_random_uuid(), 'device.moved', $2, $1, $3, '{"to":"01234567-0123-7123-8123-012345678901"}')`,
      [user.id, `user:${admin.id}`, randomUUID()],
    )
    const page = await site.open(admin, {
      path: `/admin/audit?user=${user.id}`,
      viewport: { width: 305, height: 640 },
    })
    await page.locator('summary').getByText('Device moved').click()
    const details = page.locator('dl')
    await details.getByText('Exact time').waitFor()
    const { times, codes } = await details.evaluate((list) => {
      /** The texts of an element's lines. */
      const linesOf = (element: Element) => {
        const tops = new Map<number, string>()
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
        for (let text = texts.nextNode(); text; text = texts.nextNode())
          for (let at = 0; at < text.nodeValue!.length; at++) {
            const range = document.createRange()
            range.setStart(text, at)
            range.setEnd(text, at + 1)
            const top = Math.round(range.getBoundingClientRect().top)
            tops.set(top, (tops.get(top) ?? '') + text.nodeValue![at])
          }
        return [...tops.values()]
      }
      const linesOfAll = (selector: string) => [...list.querySelectorAll(selector)].map(linesOf)
      return { times: linesOfAll('time'), codes: linesOfAll('code') }
    })
    const ids = codes.filter((one) => /^[\da-f]{8}-/.test(one[0]!))
    expect(ids).toHaveLength(4)
    for (const id of ids) for (const line of id.slice(0, -1)) expect(line).toMatch(/[- ]$/)
    expect(times).not.toEqual([])
    for (const time of times) expect(time).toHaveLength(1)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(305)
  })

  test('long file names are cut in their middle, so that the type stays visible', async () => {
    const user = await site.user()
    const name = `${'minutes of the annual general meeting '.repeat(5)}2026.pdf`
    await site.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
       VALUES (gen_random_uuid(), $1, $2, 'application/pdf', 1, $3, 'READY')`,
      [user.id, name, randomUUID()],
    )
    const page = await site.open(admin, { path: `/admin/files?user=${user.id}` })
    // Screen readers get the whole name once.
    const link = page.getByRole('link', { name, exact: true })
    for (const width of [1440, 768, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const end = (await link.getByText('2026.pdf', { exact: true }).boundingBox())!
      const box = (await link.boundingBox())!
      expect(end.x + end.width, `${width}`).toBeLessThanOrEqual(Math.min(box.x + box.width + 1, width))
      expect(box.height, `${width}`).toBeLessThan(50)
    }
    await site.query('DELETE FROM files WHERE user_id = $1', [user.id])
  })

  test('one checkbox chooses all events of a webhook, and is mixed while some are chosen', async () => {
    site.expectErrors(/status of 400/)
    await site.query('DELETE FROM webhooks')
    const page = await site.open(admin, { path: '/admin/webhooks' })
    await page.getByRole('button', { name: 'New webhook' }).click()
    const all = page.getByRole('checkbox', { name: 'All events' })
    const boxes = page.getByRole('group', { name: 'Events' }).getByRole('checkbox')
    const state = () => all.evaluate((box: HTMLInputElement) => (box.indeterminate ? 'mixed' : box.checked))
    expect(await state()).toBe(false)
    await all.check()
    expect(await boxes.and(page.locator(':checked')).count()).toBe(9)
    await page.getByLabel('A file was deleted').uncheck()
    expect(await state()).toBe('mixed')
    expect(await violationsInBothSchemes(page)).toEqual([])
    await all.check()
    await page.getByLabel('URL').fill('https://backend.invalid/all')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    const [webhook] = await site.query('SELECT cardinality(events) AS count FROM webhooks')
    expect(webhook!.count).toBe(8)
    await listRow(page, 'Webhooks', 'https://backend.invalid/all').getByText('All events').waitFor()
    await page.getByRole('link', { name: 'https://backend.invalid/all' }).click()
    await page.getByRole('button', { name: 'Edit webhook' }).click()
    expect(await state()).toBe(true)
    await all.uncheck()
    await page.getByRole('button', { name: 'Save webhook' }).click()
    await page.getByText('Choose at least one event.').waitFor()
    await site.query('DELETE FROM webhooks')
  })

  test('files show the email of their owner', async () => {
    const user = await site.user()
    await site.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
       VALUES (gen_random_uuid(), $1, 'a.png', 'image/png', 1, $2, 'READY')`,
      [user.id, randomUUID()],
    )
    const page = await site.open(admin, { path: `/admin/files?user=${user.id}` })
    await listRow(page, 'Files', 'a.png').getByRole('link', { name: user.email }).waitFor()
    await site.query('DELETE FROM files WHERE user_id = $1', [user.id])
  })
})
