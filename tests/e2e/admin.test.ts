// The pages for administrators: who gets them, and what each of them does.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import type { TestUser } from '../support/users.ts'
import { describeSite, ready, until } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
const USERS_API = /\/api\/admin\/users(\?|$)/
const PAGES = ['users', 'push-tokens', 'broadcasts', 'webhooks', 'health', 'audit']
const links = (page: Page) => page.getByRole('navigation', { name: 'Administration' }).getByRole('link')
const row = (page: Page, list: string, text: string | RegExp) =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: text })
const dialogButton = (page: Page, name: string) =>
  page.getByRole('alertdialog').getByRole('button', { name, exact: true })

describeSite('pages for administrators', (site) => {
  let admin: TestUser
  let user: TestUser
  let database: pg.Client
  beforeAll(async () => {
    admin = await site.user({ name: 'Grace' })
    user = await site.user({ name: 'Ada' })
    database = new pg.Client({ connectionString: site.server.databaseUrl })
    await database.connect()
    await database.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
  })
  afterAll(() => database?.end())

  const api = async (method: string, path: string) =>
    (
      await fetch(`${site.url}/api/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_SECRET}` },
      })
    ).json()

  test('nobody else gets one: the server answers "not found", and there is no link', async () => {
    site.expectErrors(/status of 404/)
    for (const path of ['', ...PAGES, `users/${user.id}`, 'webhooks/x']) {
      const answer = await fetch(`${site.url}/admin/${path}`, {
        headers: { cookie: `next-auth.session-token=${user.token}` },
      })
      expect([path, answer.status]).toEqual([path, 404])
    }
    const page = await site.open(user, { path: '/admin/users' })
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.getByRole('link', { name: /Admin|Push tokens/ }).count()).toBe(0)
    const signedOut = await fetch(`${site.url}/admin/users`, { redirect: 'manual' })
    expect(signedOut.headers.get('location')).toContain('/signin?callbackUrl=%2Fadmin%2Fusers')
  })

  test('users: found, given another quota, disabled, enabled, and deleted after typing who; created with a password, quota and role; an email that is taken is said beside its field', async () => {
    const user = await site.user({ name: 'Zoe', password: PASSWORD })
    const page = await site.open(admin)
    await page.getByRole('navigation', { name: 'Main' }).first().getByRole('link', { name: 'Admin' }).click()
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
    await page.getByLabel('Part of email or name, or a whole id').fill('nobody at all')
    await page.keyboard.press('Enter')
    await page.getByText('No users found').waitFor()
    await page.getByLabel('Part of email or name, or a whole id').fill(user.email.toUpperCase())
    await page.getByRole('button', { name: 'Search' }).click()
    const found = row(page, 'Users', user.email)
    await found.getByText('0 bytes of 500 MB used').waitFor()
    await found.getByText('Zoe · 0 files, 0 devices').waitFor()
    await found.getByRole('link').click()
    await page.getByRole('heading', { name: user.email }).waitFor()

    await page.getByLabel('Quota in MB').fill('2.5')
    await page.getByRole('button', { name: 'Save quota' }).click()
    await page.getByText('0 bytes of 2.5 MB used').waitFor()
    expect((await site.server.ok(user, 'account.usage')).quota).toBe(2.5 * 1024 * 1024)
    await page.getByRole('button', { name: 'Back to the default, 500 MB' }).click()
    await page.getByText('0 bytes of 500 MB used').waitFor()

    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await dialogButton(page, 'Disable').click()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    await page.getByRole('main').getByText('Disabled', { exact: true }).waitFor()
    expect((await site.server.call(user, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor()
    const again = await site.server.call(null, 'session.create', { email: user.email, password: PASSWORD })
    expect(again.error).toBeUndefined()

    // Somebody else deletes the account while this page shows it.
    site.expectErrors(/status of 404/)
    await page.getByRole('button', { name: 'New push token' }).click()
    await page.getByLabel('Name of the token').fill('siren')
    await api('DELETE', `/users/${user.id}`)
    expect((await api('GET', `/users/${user.id}`)).error.code).toBe('NOT_FOUND')
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText('This does not exist any more. Somebody may have deleted it.').waitFor()

    const gone = await site.user()
    await links(page).filter({ hasText: 'Users' }).click()
    await page.getByLabel('Part of email or name, or a whole id').fill(gone.id)
    await page.keyboard.press('Enter')
    await row(page, 'Users', gone.email).getByRole('link').click()
    await page.getByRole('button', { name: 'Delete user' }).click()
    await page.getByRole('alertdialog').getByLabel('Type the name').fill('somebody else')
    await dialogButton(page, 'Delete user').click()
    await page.getByText('This is not the name of the account.').waitFor()
    expect((await api('GET', `/users/${gone.id}`)).email).toBe(gone.email)
    await page.getByRole('alertdialog').getByLabel('Type the name').fill(gone.email)
    await dialogButton(page, 'Delete user').click()
    await page.waitForURL(/\/admin\/users$/)
    expect((await api('GET', `/users/${gone.id}`)).error.code).toBe('NOT_FOUND')

    await row(page, 'Users', admin.email).getByRole('link').click()
    await page.getByText('This is you.').waitFor()

    site.expectErrors(/status of 409/)
    await page.goBack()
    await page.getByRole('button', { name: 'New user' }).press('Enter')
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'email')
    await page.keyboard.insertText(admin.email)
    // This server sends no mail.
    expect(await page.getByText('Mail an invitation').count()).toBe(0)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByText('There is a user with this email already.').waitFor()
    const email = `hopper-${Date.now()}@example.com`
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Name (optional)').fill('Admiral')
    await page.getByLabel('Quota in MB (optional)').fill('1.5')
    await page.getByLabel('Administrator').check()
    await page.getByRole('button', { name: 'Create user' }).press('Enter')
    await page.getByText(`${email} can sign in now.`).first().waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent === 'New user')
    const made = row(page, 'Users', email)
    await made.getByText('Admiral').waitFor()
    await made.getByText('Admin', { exact: true }).waitFor()
    const { data } = await site.server.call(null, 'session.create', { email, password: PASSWORD })
    const signedIn = { headers: { authorization: `Bearer ${data.token}` } }
    expect((await site.server.ok(signedIn, 'account.usage')).quota).toBe(1.5 * 1024 * 1024)
  })

  test('push tokens: made for a user, shown once with a command that works, and revoked', async () => {
    site.expectErrors(/status of 404/)
    const page = await site.open(admin, {
      path: '/admin/push-tokens',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByText('No push tokens yet').waitFor()
    await page.getByRole('button', { name: 'New push token' }).click()
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'owner')
    await page.keyboard.insertText('nobody@example.com')
    await page.getByLabel('Name of the token').fill('siren')
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText('There is no user with this email or id.').waitFor()
    await page.getByLabel('Owner: email or id').fill(user.email)
    await page.getByRole('button', { name: 'Make the token' }).click()
    const made = page.getByRole('region', { name: 'The new push token' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'The new push token')
    const token = (await made.getByRole('region', { name: 'Push token' }).innerText()).trim()
    expect(token).toMatch(/^ph_[\w-]{43}$/)
    await made.locator('figure').filter({ hasText: 'Send a message' }).getByRole('button').click()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).toContain(token)
    const { stdout } = await promisify(execFile)('bash', ['-c', command])
    expect(JSON.parse(stdout).status).toBe('completed')
    await made.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await ready(page)
    const listed = row(page, 'Push tokens', 'siren')
    await listed.getByText('May send to its owner').waitFor()
    await listed.getByText(/last used/).waitFor()
    expect(await page.content()).not.toContain(token)
    await listed.getByRole('button', { name: 'Revoke siren' }).click()
    await dialogButton(page, 'Revoke').click()
    await listed.getByText('Revoked').waitFor()
    expect((await site.server.post('/api/push/send', token, { title: 't', body: 'b' })).status).toBe(401)
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)
    await listed.getByRole('link', { name: user.email }).click()
    await page.getByRole('heading', { name: user.email }).waitFor()
    await row(page, 'Push tokens', 'siren').waitFor()
  })

  test('broadcasts: counts and progress, and a cancellation that asks; health: what answers, and what doctor finds, all of it when asked', async () => {
    await site.server.ok(user, 'devices.register', { platform: 'ios', token: 'ab'.repeat(32) })
    const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'siren' })
    const send = (more: object) =>
      site.server.post('/api/push/send', made.body.token, { body: 'b', all: true, ...more })
    await send({ title: 'Storm' })
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    const { body: later } = await send({ title: 'Tomorrow', sendAt })
    // One that has sent to 500 of 1,000 devices, whose rest nobody has begun with.
    const { body: half } = await send({ title: 'Half', sendAt })
    await database.query(
      `UPDATE push_messages SET scheduled = false, status = 'sending', user_id = NULL, audience_ios = 500, sent = 499,
       failed = 1, failures = '[{"deviceId":"x","platform":"ios","reason":"TopicDisallowed"}]' WHERE id = $1`,
      [half.id],
    )
    await database.query(
      `INSERT INTO push_message_chunks (message_id, upstream, last_id, due_at)
       VALUES ($1, 'ios', $1, now() + interval '1 hour')`,
      [half.id],
    )
    const page = await site.open(admin, { path: '/admin/broadcasts' })
    await row(page, 'Broadcasts', 'Storm').getByText('Completed').waitFor()
    await row(page, 'Broadcasts', 'Storm').getByText('1 iOS, 0 Android, 0 web · 1 sent').waitFor()
    const halfway = row(page, 'Broadcasts', 'Half')
    await halfway.getByText('TopicDisallowed').waitFor()
    const bar = halfway.getByRole('progressbar', { name: 'Progress of Half' })
    expect(await bar.getAttribute('aria-valuenow')).toBe('50')
    expect(await bar.getAttribute('aria-valuetext')).toBe('500 devices left (at most)')

    const tomorrow = row(page, 'Broadcasts', 'Tomorrow')
    await tomorrow.getByText('Scheduled').waitFor()
    await tomorrow.getByRole('button', { name: 'Cancel' }).click()
    await dialogButton(page, 'Cancel').click()
    const statusOfLater = async () =>
      (await api('GET', '/broadcasts')).items.find(({ id }: { id: string }) => id === later.id).status
    expect(await statusOfLater()).toBe('scheduled')
    await tomorrow.getByRole('button', { name: 'Cancel' }).click()
    await dialogButton(page, 'Cancel the message').click()
    await tomorrow.getByText('Cancelled').waitFor()
    expect(await statusOfLater()).toBe('cancelled')
    await database.query('DELETE FROM push_message_chunks WHERE message_id = $1', [half.id])

    const { stack } = site.server
    stack.apns.devices.set('0'.repeat(64), { environment: 'sandbox' })
    stack.apnsSandbox.devices.set('0'.repeat(64), { environment: 'production' })
    stack.fcm.devices.set('pigeonhole-doctor-no-such-device', 'INVALID_TOKEN')
    await links(page).filter({ hasText: 'Health' }).click()
    for (const name of ['Database', 'Object store', 'APNs (iOS)'])
      await row(page, 'State', name).getByText('OK').waitFor()
    await row(page, 'What doctor finds', 'database-migrations').getByText('OK').waitFor()
    const deep = row(page, 'What doctor finds', 'store-delete-objects')
    expect(await deep.count()).toBe(0)
    await page.getByRole('button', { name: 'Run all checks' }).click()
    await deep.waitFor()
  })

  test('webhooks: made with a secret shown once, deactivated, and their deliveries sent again', async () => {
    site.expectErrors(/status of 400/)
    const page = await site.open(admin, { path: '/admin/webhooks' })
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('http://127.0.0.1/hooks')
    await page.getByLabel('A device was removed').check()
    await page.getByRole('button', { name: 'Make the webhook' }).click()
    await page.getByText('This address cannot be called').waitFor()
    // No such host: deliveries fail and are repeated.
    await page.getByLabel('URL').fill('https://backend.invalid/hooks')
    await page.getByRole('button', { name: 'Make the webhook' }).click()
    const made = page.getByRole('region', { name: 'The new webhook’s secret' })
    expect((await made.getByRole('region', { name: 'Secret' }).innerText()).trim()).toMatch(/^whsec_/)
    await made.getByRole('button', { name: 'Done' }).click()

    const { id } = await site.server.ok(user, 'devices.register', {
      platform: 'android',
      token: 'soon-gone-1234567890',
    })
    await site.server.ok(user, 'devices.remove', { deviceId: id })
    await until('an attempt has failed', async () => {
      const { rows } = await database.query('SELECT 1 FROM webhook_deliveries WHERE attempts > 0')
      return rows.length > 0
    })
    await page.getByRole('link', { name: 'https://backend.invalid/hooks' }).click()
    await page.getByRole('heading', { name: 'backend.invalid' }).waitFor()
    const delivery = row(page, 'Deliveries', 'device.removed')
    await delivery.getByText(/[1-9]\d* attempt/).waitFor()
    await delivery.getByRole('button', { name: 'Deliver again: device.removed #1' }).click()
    await page.getByLabel('Show').selectOption('Delivered')
    await page.getByText('No deliveries').waitFor()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('Inactive', { exact: true }).first().waitFor()
    await page.getByLabel('Show').selectOption('All')
    await delivery.waitFor()
    expect(await delivery.getByRole('button').count()).toBe(0)
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByRole('button', { name: 'Deactivate' }).waitFor()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await dialogButton(page, 'Delete webhook').click()
    await page.getByText('No webhooks yet').waitFor()
  })

  test('the audit log: by user and action, page by page; a list that cannot be fetched says so and is fetched again; keyboard alone gets about', async () => {
    await database.query(
      `INSERT INTO audit_entries (id, action, actor, user_id, details)
       SELECT gen_random_uuid(), 'session.refused', NULL, $1, '{"method":"password"}' FROM generate_series(1, 60)`,
      [user.id],
    )
    const page = await site.open(admin, { path: `/admin/audit?userId=${user.id}` })
    await page.getByLabel('Action').fill('session.refused')
    await page.getByRole('button', { name: 'Search' }).click()
    const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
    const refusals = entries.filter({ hasText: 'session.refused' })
    await until('a page is there', async () => (await refusals.count()) === 50)
    expect(await entries.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).press('Enter')
    await until('all are there', async () => (await refusals.count()) >= 60)
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)
    await page.getByLabel('User: email or id').fill(admin.email)
    await page.getByLabel('Action').fill('admin.called')
    await page.getByLabel('Action').press('Enter')
    await entries.filter({ hasText: 'path: /api/admin/audit' }).first().waitFor()
    expect(await refusals.count()).toBe(0)

    site.expectErrors(/status of 400/)
    await page.route(USERS_API, (route) =>
      route.fulfill({
        status: 400,
        json: { error: { code: 'BAD_REQUEST', message: 'no' }, requestId: 'abc' },
      }),
    )
    await links(page).first().press('Enter')
    await page.getByRole('alert').getByText('The server did not accept this.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Users')
    await page.unroute(USERS_API)
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await row(page, 'Users', admin.email).waitFor()
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)
  })
})
