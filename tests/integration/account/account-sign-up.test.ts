import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { createUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
let app: HttpApp

beforeAll(async () => {
  app = await startHttpApp()
})
afterAll(() => app.close())

test('sign-up creates an account with a cleaned name, and a session', async () => {
  const input = { email: ' Grace@Example.com', password: PASSWORD, name: ' \u202eGrace\u2069 ' }
  const { data } = await app.call('account.signUp', input)
  expect(data.user).toEqual({ id: expect.any(String), email: 'grace@example.com', name: 'Grace' })
  const usage = await app.call('account.signOutEverywhere', undefined, {
    authorization: `Bearer ${data.token}`,
  })
  expect(usage.status).toBe(200)
  const again = await app.call('session.create', { email: 'grace@example.com', password: PASSWORD })
  expect(again.data.user).toEqual(data.user)
})

test('an email in use is a conflict in any spelling, and of two simultaneous sign-ups one succeeds', async () => {
  const both = await Promise.all(
    ['linus@example.com', ' LINUS@example.com'].map((email) =>
      app.call('account.signUp', { email, password: PASSWORD }),
    ),
  )
  expect(both.map((a) => a.code ?? 'OK').sort()).toEqual(['CONFLICT', 'OK'])
  const third = await app.call('account.signUp', { email: 'Linus@Example.com', password: PASSWORD })
  expect(third).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    data: { fieldErrors: { email: ['is taken'] } },
  })
})

test.each([
  ['password', { password: 'elevenchars' }],
  ['password', { password: 'x'.repeat(129) }],
  ['email', { email: 'nobody' }],
  ['email', { email: `${'x'.repeat(250)}@example.com` }],
  ['password', { password: `${PASSWORD} \ud800` }],
  ['email', { email: 'a\u0000b@example.com' }],
  ['email', { email: 'a\u200bda@example.com' }],
  ['email', { email: '\uff41da@example.com' }],
  ['email', { email: '"ada"@example.com' }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: 'a\nb' }],
  ['name', { name: 'a\ud800' }],
  ['admin', { admin: true }],
])('an invalid %s is rejected, and the error names it', async (field, input) => {
  const { status, data } = await app.call('account.signUp', {
    email: 'new@example.com',
    password: PASSWORD,
    ...input,
  })
  expect(status).toBe(400)
  expect(Object.keys(data.fieldErrors)).toEqual([field])
})

test('an unpaired surrogate, which hashing would turn into U+FFFD, is rejected explicitly', async () => {
  const { email } = await createUser(app.services, { password: `${PASSWORD} \ufffd` })
  const given = await app.call('session.create', { email, password: `${PASSWORD} \ud800` })
  expect(given.status).toBe(400)
  expect(given.data.fieldErrors).toEqual({ password: ['must not have unpaired surrogates'] })
  expect((await app.call('session.create', { email, password: `${PASSWORD} \ufffd` })).status).toBe(200)
})

test('a user whose email is no longer allowed for new accounts can still sign in', async () => {
  for (const email of ['"ada b"@example.com', 'a\u200bda@example.com', '\uff41da@example.com']) {
    await createUser(app.services, { email, password: PASSWORD })
    expect((await app.call('session.create', { email, password: PASSWORD })).data.user.email).toBe(email)
  }
})

test('passwords of 12 and 128 characters are accepted, even outside the Basic Multilingual Plane', async () => {
  for (const [email, password] of [
    ['p12@example.com', '🕊'.repeat(12)],
    ['p128@example.com', '🕊'.repeat(128)],
  ]) {
    expect((await app.call('account.signUp', { email, password })).status).toBe(200)
    expect((await app.call('session.create', { email, password })).status).toBe(200)
  }
})

test('composed and decomposed letters are the same password', async () => {
  const email = 'umlaut@example.com'
  await app.call('account.signUp', { email, password: 'ein schöner Tag'.normalize('NFC') })
  const { status } = await app.call('session.create', {
    email,
    password: 'ein schöner Tag'.normalize('NFD'),
  })
  expect(status).toBe(200)
})

test('if sign-up is closed, it is rejected with the reason', async () => {
  const closed = await startHttpApp({ ALLOW_SIGNUP: 'false' })
  try {
    const answer = await closed.call('account.signUp', { email: 'eve@example.com', password: PASSWORD })
    expect(answer).toMatchObject({ status: 403, code: 'FORBIDDEN', message: expect.stringMatching(/closed/) })
    expect((await closed.db.query('SELECT 1 FROM users')).rowCount).toBe(0)
  } finally {
    await closed.close()
  }
})
