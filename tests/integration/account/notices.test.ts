// Emails to users about events that someone with a stolen password or session could cause.

import { randomUUID } from 'node:crypto'
import type { ReceivedEmail } from '@pigeonhole/emulators/mailbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateUser } from '../../../src/server/api/http/admin/users.ts'
import { type MailApp, PASSWORD, startMailApp } from '../../support/app/mail-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import { createSoftwarePasskey } from '../../support/software-authenticator.ts'
import { until } from '../../support/until.ts'
import { createUser, type TestUser } from '../../support/users.ts'

const NEW_PASSWORD = 'staple battery horse'
const SIGN_IN = 'New sign-in to your account'
const API_KEY = 'New API key'
const CHANGED = 'Your password was changed'
const KEY = { name: 'ci', scopes: ['files:read'] }

let app: MailApp
beforeAll(async () => {
  app = await startMailApp()
})
afterAll(() => app.close())

async function createVerified(): Promise<TestUser> {
  const user = await createUser(app, { password: PASSWORD })
  await app.db.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id])
  return user
}
const signIn = (browser: Browser, { email }: TestUser) =>
  browser.postAuth(app.url, 'callback/credentials', { email, password: PASSWORD })
const is =
  (subject: string, { email }: Pick<TestUser, 'email'>) =>
  (mail: ReceivedEmail) =>
    mail.subject === subject && mail.to.includes(email)
const arrival = (subject: string, user: TestUser) => app.mailbox.waitFor(is(subject, user))
/** Waits for this many emails to the user and for those of later sign-ups, and returns the subjects of all. */
async function subjectsTo(user: TestUser, count: number): Promise<string[]> {
  const subjects = () =>
    app.mailbox.emails.filter(({ to }) => to.includes(user.email)).map(({ subject }) => subject)
  await until(`${count} emails`, () => subjects().length >= count)
  // The outbox starts emails in order, so further ones would have arrived by now.
  for (let i = 0; i < 2; i++) await app.link('verify-email', (await app.signUp()).email)
  return subjects()
}

describe('a sign-in', () => {
  test('in a browser that the user has not used before is emailed, once', async () => {
    const user = await createVerified()
    const browser = new Browser()
    await signIn(browser, user)
    const mail = await arrival(SIGN_IN, user)
    expect(mail.text).toMatch(/Time: .* UTC\./)
    expect(mail.text).toContain(`\n${app.url}/settings/security\n`)
    expect(mail.text).toContain('Forgot your password?')
    await browser.signOut(app.url)
    await signIn(browser, user)
    expect((await browser.session(app.url)).user.id).toBe(user.id)
    expect(await subjectsTo(user, 1)).toEqual([SIGN_IN])
    await signIn(new Browser(), user)
    await app.mailbox.waitFor((one) => one !== mail && is(SIGN_IN, user)(one))
  })

  test('in a browser that another user has used is emailed, and each browser remembers both', async () => {
    const [ada, bob] = [await createVerified(), await createVerified()]
    const browser = new Browser()
    for (const user of [ada, bob, ada, bob]) {
      await signIn(browser, user)
      await browser.signOut(app.url)
    }
    expect(await subjectsTo(ada, 1)).toEqual([SIGN_IN])
    expect(await subjectsTo(bob, 1)).toEqual([SIGN_IN])
  })

  test('with an invented mark in the cookie is emailed', async () => {
    const user = await createVerified()
    const browser = new Browser()
    browser.cookies.set('pigeonhole.browser', `${'A'.repeat(43)}.x.${user.id}`)
    await signIn(browser, user)
    await arrival(SIGN_IN, user)
  })

  test('of a script is emailed for each new address, at most five times an hour', async () => {
    const user = await createVerified()
    const input = { email: user.email, password: PASSWORD }
    const same = { 'x-pigeonhole-address': randomUUID() }
    for (let i = 0; i < 3; i++) await app.call('session.create', input, same)
    expect(await subjectsTo(user, 1)).toEqual([SIGN_IN])
    const { rows } = await app.db.query("SELECT max(expire) FROM rate_limits WHERE key LIKE 'known-client:%'")
    expect((Number(rows[0].max) - Date.now()) / 86_400_000).toBeCloseTo(365, 1)
    for (let i = 0; i < 6; i++) await app.from('session.create', input)
    expect(await subjectsTo(user, 5)).toEqual(Array(5).fill(SIGN_IN))
  })

  test('is not emailed to an address that no one has verified', async () => {
    const user = await createUser(app, { password: PASSWORD })
    await signIn(new Browser(), user)
    await app.from('session.create', { email: user.email, password: PASSWORD })
    expect(await subjectsTo(user, 0)).toEqual([])
  })

  test('is emailed in the language of the user’s last session, not in that of the caller', async () => {
    const user = await createVerified()
    const input = { email: user.email, password: PASSWORD }
    await app.from('session.create', input, { 'accept-language': 'de' })
    const german = 'Neue Anmeldung bei Ihrem Konto'
    await arrival(german, user)
    await app.from('session.create', input, { 'accept-language': 'en' })
    expect(await subjectsTo(user, 2)).toEqual([german, german])
  })
})

test('a new API key is emailed to its user', async () => {
  const user = await createVerified()
  expect((await app.from('apiKeys.create', KEY, user.headers)).status).toBe(200)
  const { text } = await arrival(API_KEY, user)
  expect(text).toContain('revoke the key')
  expect(text).toContain(`\n${app.url}/settings/api-keys\n`)
})

describe('a new password is emailed to its user', () => {
  test('who changes it', async () => {
    const user = await createVerified()
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    expect((await app.from('account.changePassword', change, user.headers)).status).toBe(200)
    expect((await arrival(CHANGED, user)).text).toContain('choose to revoke API keys and shared links')
  })

  test('who resets it with a mailed link', async () => {
    const user = await createVerified()
    await app.from('account.requestPasswordReset', { email: user.email })
    const token = await app.link('reset-password', user.email)
    await app.from('account.resetPassword', { token, password: NEW_PASSWORD })
    await arrival(CHANGED, user)
  })

  test('for whom an administrator sets it', async () => {
    const user = await createVerified()
    const request = new Request(`${app.url}/api/admin/users/${user.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${ADMIN_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify({ password: NEW_PASSWORD }),
    })
    expect((await updateUser(request, app.services, { id: user.id })).status).toBe(200)
    await arrival(CHANGED, user)
  })
})

test('a new passkey is emailed to its user, and so is a sign-in with it in a new browser', async () => {
  const user = await createVerified()
  const passkey = createSoftwarePasskey(app.url)
  const headers = { ...user.headers, 'accept-language': 'de' }
  const { data: registration } = await app.from('passkeys.registrationOptions', undefined, headers)
  await app.from('passkeys.register', { response: passkey.register(registration) }, headers)
  await arrival('Neuer Passkey', user)
  const { data: options } = await app.from('session.passkeyOptions')
  const form = { passkey: JSON.stringify(passkey.signIn(options)) }
  const browser = new Browser()
  await browser.postAuth(app.url, 'callback/credentials', form)
  expect((await browser.session(app.url)).user.id).toBe(user.id)
  await arrival(SIGN_IN, user)
  const script = (await app.from('session.passkeyOptions')).data
  await app.from('session.createWithPasskey', { response: passkey.signIn(script) })
  expect(await subjectsTo(user, 3)).toEqual(['Neuer Passkey', SIGN_IN, SIGN_IN])
})

test('no request waits for the mail server', async () => {
  const user = await createVerified()
  app.mailbox.faults.add({ at: 'rcpt', do: 'hang', recipient: user.email, times: 1 })
  expect((await app.from('apiKeys.create', KEY, user.headers)).status).toBe(200)
  await until('the mail server hangs', () => app.mailbox.faults.hanging === 1)
})
