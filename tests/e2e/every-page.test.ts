// What holds for every page and its states: accessible to programs, keyboards, narrow phones, people whom motion makes
// ill and those who choose the colours. A page that is in no table fails the first test. Those that need mail are in
// tests/e2e/mail.test.ts.

import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { createSession, type TestUser } from '../support/users.ts'
import { png } from './support/files.ts'
import { fileRow } from './support/page.ts'
import { faultsOfAll, pageFaults } from './support/page-checks.ts'
import { FAULT_PAGES, PAGES, type PageEntry, type Reader, type Subjects } from './support/page-table.ts'
import { describeSite, ready, type Site, until } from './support/site.ts'

test('every page of the app is in the table of pages', () => {
  const pages = globSync('**/{page,error,not-found}.tsx', { cwd: join(ROOT, 'src/app') })
  const listed = [...PAGES.flatMap(({ files }) => files), ...FAULT_PAGES]
  expect(pages.filter((file) => !listed.includes(file))).toEqual([])
  expect(listed.filter((file) => !existsSync(join(ROOT, 'src/app', file)))).toEqual([])
})

describeSite('every page', (site) => {
  let users: Record<Reader, TestUser | null>
  let subjects: Subjects
  let database: pg.Client
  beforeAll(async () => {
    database = new pg.Client({ connectionString: site.server.databaseUrl })
    await database.connect()
    const user = await site.user({ name: 'Ada' })
    // Without a letter that the account button could show.
    const newcomer = await site.user({ email: '4711@example.com' })
    const admin = await site.user({ name: 'Grace' })
    await database.query('UPDATE users SET email_verified_at = now()')
    await database.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
    users = { nobody: null, user, newcomer, admin }
    subjects = await prepare(site, user, database)
  })
  afterAll(() => database?.end())

  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor()
  const pathOf = ({ path }: PageEntry) => (typeof path === 'string' ? path : path(subjects))
  const what = 'axe, 320 pixels, reduced motion, keyboard and forced colours'

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

  // One after the other in the same document, by the app's own navigation: each page that is loaded costs half a
  // second, and axe-core as much again to start.
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
        const faults = await faultsOfAll(page, entry)
        if (faults.length > 0) found.push([pathOf(entry), ...faults])
      }
      expect(found).toEqual([])
    },
  )

  test('pages that failed are as good as any', async () => {
    site.expectErrors(/status of 500/, /Server Components render/, /React error #441/)
    const page = await site.open(users.user, { path: '/settings' })
    const failing = async (table: string, path: string) => {
      await database.query(`ALTER TABLE ${table} RENAME TO ${table}_away`)
      await page.goto(site.url + path)
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await database.query(`ALTER TABLE ${table}_away RENAME TO ${table}`)
      return pageFaults(page)
    }
    expect(await failing('push_messages', '/messages')).toEqual([])
    expect(await failing('sessions', '/signin')).toEqual([])
  })

  test('keyboard alone: a file is renamed, deleted, brought back', async () => {
    const page = await site.open(users.user)
    await fileRow(page, 'photo.png').waitFor()
    const { press, tabTo } = keys(page)
    await tabTo('Actions for photo.png')
    await press('Enter')
    await focusOn(page, 'Preview')
    await press('ArrowDown')
    await press('ArrowUp')
    await focusOn(page, 'Preview')
    await press('Escape')
    await focusOn(page, 'Actions for photo.png')
    await press('Enter')
    await focusOn(page, 'Preview')
    // The last one.
    await press('ArrowUp')
    await focusOn(page, 'Delete')
    await press('Enter')
    await fileRow(page, 'photo.png').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await tabTo('Undo')
    await press('Enter')
    await fileRow(page, 'photo.png').waitFor()
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)

    await tabTo(/^Account/)
    await press('Enter')
    await tabTo('Appearance')
    await press('Escape')
    await focusOn(page, /^Account/)
  })

  test('keyboard alone: a message is written, tried and sent', async () => {
    const user = users.user!
    const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'keys' })
    const page = await site.open(user, { path: '/messages/new' })
    const { press, tabTo, type } = keys(page)
    await tabTo('Title')
    await type('Storm')
    await tabTo('Text')
    await type('Stay inside')
    await tabTo('More options')
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
    // To everyone.
    for (let i = 0; i < 3; i++) await press('ArrowDown')
    await focusOn(page, 'Everyone')
    await tabTo('Send')
    await press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo(/^Send to/)
    await press('Enter')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await delivery.getByText(/^Sent to \d/).waitFor()
    await focusOn(page, 'Send')
  })

  test('keyboard alone: an administrator makes a push token, and revokes it', async () => {
    const page = await site.open(users.admin, { path: '/admin/push-tokens' })
    const { press, tabTo, type } = keys(page)
    await tabTo('New push token')
    await press('Enter')
    await tabTo('Owner: email or id')
    await type(users.user!.email)
    await tabTo('Name of the token')
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
    await until('the focus is somewhere', () => page.evaluate(() => document.activeElement !== document.body))
  })

  test('forced colours: what is on does not look like what is off', async () => {
    const page = await site.open(users.user, { path: '/settings', forcedColors: 'active' })
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

/** Something of everything: a file with a link, devices, messages, topics, a webhook that fails. */
async function prepare(site: Site, user: TestUser, database: pg.Client): Promise<Subjects> {
  const { server } = site
  const bytes = png(64, [11, 106, 99], [240, 195, 106])
  const photo = { filename: 'photo.png', mimeType: 'image/png', size: bytes.length }
  const { fileId, uploadUrl, headers } = await server.ok(user, 'upload.requestUploadUrl', photo)
  await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(bytes) })
  await server.ok(user, 'upload.confirmUpload', { fileId })
  const { url } = await server.ok(user, 'shares.create', { fileId, password: 'a swallow' })
  for (const [platform, token, name] of [
    ['ios', 'ef'.repeat(32), 'My iPhone'],
    ['android', 'android-token-12345678', undefined],
  ])
    await server.ok(user, 'devices.register', { platform, token, name })
  await createSession(
    { config: { databaseUrl: server.databaseUrl, sessionSecret: server.env.NEXTAUTH_SECRET! } },
    user.id,
  )
  await server.ok(user, 'topics.subscribe', { topic: 'news' })
  await server.ok(user, 'preferences.update', { mutedCategories: ['builds'] })
  const { body: made } = await server.post('/api/push/token', ADMIN_SECRET, {
    userId: user.id,
    name: 'siren',
  })
  const message = { title: 'Hello', body: 'World', data: { a: 'b'.repeat(200) }, link: 'myapp://orders/42' }
  server.stack.apns.faults.add({ device: 'ef'.repeat(32), do: { kind: 'reject', reason: 'PayloadEmpty' } })
  await server.post('/api/push/send', made.token, message)
  const sendAt = new Date(Date.now() + 86_400_000).toISOString()
  await server.post('/api/push/send', made.token, { ...message, all: true, sendAt })
  const { rows } = await database.query(
    `INSERT INTO webhooks (id, url, events, secret, failing_since)
     VALUES (gen_random_uuid(), 'https://backend.invalid/hooks/of/pigeonhole', '{device.removed}', 'whsec_x', now())
     RETURNING id`,
  )
  await database.query(
    `INSERT INTO webhook_deliveries
       (webhook_id, id, sequence, type, data, created_at, status, attempts, expires_at, last_attempt_at, http_status, failure, settled_at)
     VALUES ($1, gen_random_uuid(), 1, 'device.removed', '{}', now(), 'failed', 3, now(), now(), 500, 'the receiver answered 500', now())`,
    [rows[0].id],
  )
  return { userId: user.id, webhookId: rows[0].id, lockedShare: new URL(url).pathname }
}

/** Goes there without loading the document again, as a link of the app does. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const { next } = window as unknown as { next: { router: { push(path: string): void } } }
    next.router.push(to)
  }, path)
  await page.waitForURL((url) => url.pathname === path)
}

/** The words of what has the focus: its label, or its text. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const one = document.activeElement as HTMLInputElement | null
    const label = one?.getAttribute('aria-label') ?? one?.labels?.[0]?.querySelector('span')?.textContent
    return (label ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? '').trim()
  })

const matches = (words: string, name: string | RegExp) =>
  typeof name === 'string' ? words === name : name.test(words)

async function focusOn(page: Page, name: string | RegExp): Promise<void> {
  await until(`the focus is on ${name}`, async () => matches(await focused(page), name))
}

/** A keyboard without a mouse. */
function keys(page: Page) {
  return {
    press: (key: string) => page.keyboard.press(key),
    type: (text: string) => page.keyboard.insertText(text),
    async tabTo(name: string | RegExp): Promise<void> {
      const seen: string[] = []
      for (let i = 0; i < 80; i++) {
        const words = await focused(page)
        if (matches(words, name)) return
        seen.push(words)
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not reach ${name}, but ${seen.join(' | ')}`)
    },
  }
}
