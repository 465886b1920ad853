import { randomUUID } from 'node:crypto'
import type { OidcUser } from '@pigeonhole/emulators/oidc'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { HttpApp } from '../../support/app/http-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import {
  beginOidc,
  finishOidc,
  type SignInProvider,
  signInWithOidc,
  startSignInProvider,
} from '../../support/browser/oidc-sign-in.ts'
import { createUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
let provider: SignInProvider
let app: HttpApp

beforeAll(async () => {
  provider = await startSignInProvider()
  app = await provider.startApp()
})
beforeEach(() => {
  provider.faults.idToken = {}
})
afterAll(async () => {
  await app.close()
  await provider.close()
})

const signInAs = (user: OidcUser, target = app) => signInWithOidc(target, provider, user)
const begin = (user: OidcUser, browser: Browser) => beginOidc(app, provider, user, browser)
const finish = (callback: string, browser: Browser) => finishOidc(app, callback, browser)

const oidcUser = (more: Partial<OidcUser> = {}): OidcUser => ({
  sub: randomUUID(),
  email: `${randomUUID()}@example.com`,
  email_verified: true,
  name: 'Ada',
  ...more,
})

test('a new user gets an account, and gets the same one when returning with another email', async () => {
  const ada = oidcUser()
  const first = await signInAs(ada)
  expect(first.user).toEqual({ id: expect.any(String), email: ada.email, name: 'Ada' })
  expect(first.location).toBe(`${app.url}/files`)
  const again = await signInAs({ ...ada, email: 'other@example.com' })
  expect(again.user).toEqual(first.user)
})

test('the request to the provider carries state, nonce and a PKCE challenge', async () => {
  const { asked } = await begin(oidcUser(), new Browser())
  expect(Object.fromEntries(asked)).toMatchObject({
    state: expect.stringMatching(/.{20,}/),
    nonce: expect.stringMatching(/.{20,}/),
    code_challenge: expect.stringMatching(/.{40,}/),
    code_challenge_method: 'S256',
    scope: 'openid email profile',
  })
})

test('a user gets the account with that email if the provider has verified the email', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  await app.db.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id])
  const { user: entered } = await signInAs(oidcUser({ email: user.email.toUpperCase() }))
  expect(entered.id).toBe(user.id)
  // The operator knew the owner, so the password stays valid.
  expect((await app.call('session.create', { email: user.email, password: PASSWORD })).status).toBe(200)
})

test.each([[false], [undefined], ['no' as unknown as boolean]])(
  'a user does not get the account with that email if email_verified is %s',
  async (email_verified) => {
    const user = await createUser(app.services)
    const answer = await signInAs(oidcUser({ email: user.email, email_verified }))
    expect(answer).toMatchObject({ user: undefined, error: 'OAuthAccountNotLinked' })
    expect((await app.db.query('SELECT 1 FROM accounts WHERE user_id = $1', [user.id])).rowCount).toBe(0)
  },
)

test('a user who signed up with another user’s email loses the account to the one who verifies it', async () => {
  const email = `${randomUUID()}@example.com`
  const squatter = (await app.call('account.signUp', { email, password: PASSWORD })).data
  await app.db.query(
    "INSERT INTO devices (id, user_id, platform, token, token_hash) VALUES ($1, $2, 'android', 'phone', 'hash')",
    [randomUUID(), squatter.user.id],
  )
  const { user } = await signInAs(oidcUser({ email }))
  expect(user.id).toBe(squatter.user.id)
  const bearer = { authorization: `Bearer ${squatter.token}` }
  expect((await app.call('account.signOutEverywhere', undefined, bearer)).status).toBe(401)
  expect((await app.call('session.create', { email, password: PASSWORD })).status).toBe(401)
  expect((await app.db.query('SELECT 1 FROM devices WHERE user_id = $1', [user.id])).rowCount).toBe(0)
})

test('an unverified email that is not taken creates an account, without verifying it', async () => {
  const { user } = await signInAs(oidcUser({ email_verified: false }))
  const { rows } = await app.db.query('SELECT email_verified_at FROM users WHERE id = $1', [user.id])
  expect(rows).toEqual([{ email_verified_at: null }])
})

test('the email can come from the userinfo endpoint', async () => {
  provider.faults.idToken = { email: undefined, email_verified: undefined, name: undefined }
  const ada = oidcUser()
  expect((await signInAs(ada)).user.email).toBe(ada.email)
})

test('without an email no account is created', async () => {
  expect(await signInAs(oidcUser({ email: undefined }))).toMatchObject({
    user: undefined,
    error: 'EmailMissing',
  })
})

test('if sign-up is closed, an unknown user is rejected and a known one signs in', async () => {
  const closed = await provider.startApp({ ALLOW_SIGNUP: 'false' })
  try {
    const rejected = await signInAs(oidcUser(), closed)
    expect(rejected).toMatchObject({ user: undefined, error: 'SignUpDisabled' })
    expect((await closed.db.query('SELECT 1 FROM users')).rowCount).toBe(0)
    const known = await createUser(closed.services)
    expect((await signInAs(oidcUser({ email: known.email }), closed)).user.id).toBe(known.id)
  } finally {
    await closed.close()
    process.env.NEXTAUTH_URL = app.url
  }
})

test('two simultaneous sign-ins of a new user create one account', async () => {
  const ada = oidcUser()
  const [one, two] = await Promise.all([signInAs(ada), signInAs(ada)])
  expect(one.user).toBeDefined()
  expect(two.user).toEqual(one.user)
})

test.each([
  ['another nonce', { nonce: 'replayed' }],
  ['another audience', { aud: 'another client' }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['an expiry in the past', { exp: 1 }],
])('an ID token with %s signs no one in', async (_, change) => {
  provider.faults.idToken = change
  expect(await signInAs(oidcUser())).toMatchObject({ user: undefined, error: 'OAuthCallback' })
})

test('a callback into a browser that did not start it (with a stolen code) signs no one in', async () => {
  const { callback } = await begin(oidcUser(), new Browser())
  expect((await finish(callback, new Browser())).user).toBeUndefined()
  // One browser's response does not match another's request either.
  const victim = new Browser()
  await begin(oidcUser(), victim)
  expect((await finish(callback, victim)).user).toBeUndefined()
})

test('an account created by a provider can be deleted by a user who has just signed in', async () => {
  const browser = new Browser()
  const { callback } = await begin(oidcUser(), browser)
  const { user } = await finish(callback, browser)
  const headers = { cookie: browser.cookieHeader(), origin: app.url }
  expect((await app.call('account.delete', {}, headers)).data).toEqual({ success: true })
  expect((await app.db.query('SELECT 1 FROM users WHERE id = $1', [user.id])).rowCount).toBe(0)
  expect(await browser.session(app.url)).toEqual({})
})
