import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import { createUser, sessionOf } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const COOKIE = 'next-auth.session-token'
let app: HttpApp
let browser: Browser

beforeAll(async () => {
  app = await startHttpApp({ SIGNIN_FAILURES_PER_15_MIN: '2' })
})
beforeEach(() => {
  browser = new Browser()
})
afterAll(() => app.close())

const signIn = (email: string, password: string, more: Record<string, string> = {}) =>
  browser.postAuth(app.url, 'callback/credentials', { email, password, ...more })

test('signing in with email and password creates a cookie session, which tRPC accepts and sign-out ends', async () => {
  const user = await createUser(app.services, { name: 'Ada', password: PASSWORD })
  const response = await signIn(user.email, PASSWORD, { callbackUrl: '/files' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ url: `${app.url}/files` })
  const { value } =
    /next-auth.session-token=(?<value>[^;]+); Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax/.exec(
      response.headers.getSetCookie().join('\n'),
    )!.groups!
  const session = await browser.session(app.url)
  expect(session).toEqual({
    user: { id: user.id, email: user.email, name: 'Ada' },
    expires: expect.stringMatching(/Z$/),
  })
  const headers = { cookie: browser.cookieHeader(), origin: app.url }
  expect((await app.call('account.changePassword', {}, headers)).status).toBe(400)
  expect((await app.call('account.changePassword', {}, { authorization: `Bearer ${value}` })).status).toBe(
    400,
  )

  await browser.signOut(app.url)
  expect(browser.cookies.has(COOKIE)).toBe(false)
  expect(await browser.session(app.url)).toEqual({})
})

test('a session that a page requests is renewed, except after a password check', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  await signIn(user.email, PASSWORD)
  const before = browser.cookies.get(COOKIE)!
  await browser.session(app.url)
  const after = browser.cookies.get(COOKIE)!
  expect(after).not.toBe(before)
  const sessions = [before, after].map((token) => sessionOf(app.services, { cookie: `${COOKIE}=${token}` }))
  const [old, renewed] = await Promise.all(sessions)
  expect(renewed!.id).toBe(user.id)
  expect(renewed!.signedInAt).toEqual(old!.signedInAt)
})

test('an ended session and its cookie are removed from the page', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  await signIn(user.email, PASSWORD)
  await app.call('account.signOutEverywhere', undefined, {
    authorization: `Bearer ${browser.cookies.get(COOKIE)}`,
  })
  expect(await browser.session(app.url)).toEqual({})
  expect(browser.cookies.has(COOKIE)).toBe(false)
})

test('an internal error keeps the cookie and shows no detail', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  await signIn(user.email, PASSWORD)
  await app.db.query('ALTER TABLE users RENAME TO users_away')
  try {
    for (const response of [
      await browser.fetch(`${app.url}/api/auth/session`),
      await signIn(user.email, PASSWORD),
    ]) {
      expect(response.status).toBe(500)
      expect(await response.text()).not.toMatch(/users|prisma|relation/i)
    }
  } finally {
    await app.db.query('ALTER TABLE users_away RENAME TO users')
  }
  expect(browser.cookies.has(COOKIE)).toBe(true)
  expect((await browser.session(app.url)).user.id).toBe(user.id)
})

test('wrong passwords are rejected identically and counted together with session.create', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const wrong = await signIn(user.email, 'wrong')
  expect(wrong.status).toBe(401)
  expect(new URL((await wrong.json()).url).searchParams.get('error')).toBe('CredentialsSignin')
  expect((await app.call('session.create', { email: user.email, password: 'wrong' })).status).toBe(401)

  const rejected = await signIn(user.email, PASSWORD)
  expect(rejected.status).toBe(429)
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(800)
  expect(new URL((await rejected.json()).url).searchParams.get('error')).toBe('TooManyRequests')
  expect(browser.cookies.has(COOKIE)).toBe(false)
})

test('a form posted by another site (without the CSRF token) signs no one in', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const response = await browser.fetch(`${app.url}/api/auth/callback/credentials`, {
    method: 'POST',
    body: new URLSearchParams({ email: user.email, password: PASSWORD }),
  })
  expect(response.headers.get('location')).toContain('csrf=true')
  expect(browser.cookies.has(COOKIE)).toBe(false)
})

test.each(['https://evil.example/', '//evil.example/', 'javascript:alert(1)', '\\\\evil.example', 'http://'])(
  'signing in never redirects to %s',
  async (callbackUrl) => {
    const user = await createUser(app.services, { password: PASSWORD })
    const { url } = await (await signIn(user.email, PASSWORD, { callbackUrl })).json()
    expect(new URL(url).origin).toBe(app.url)
  },
)

test('unusual POST requests get a harmless response', async () => {
  const post = (path: string, type: string, body: string) =>
    browser.fetch(`${app.url}/api/auth/${path}`, { method: 'POST', headers: { 'content-type': type }, body })
  expect((await post('_log', 'application/json', '{"level":"error","code":"X"}')).status).toBe(204)
  expect((await post('session', 'application/json', '{"data":{"user":"x"}')).status).toBe(400)
  expect((await post('callback/credentials', 'application/json', 'x'.repeat(20_000))).status).toBe(413)
  expect((await post('callback/nobody', 'text/plain', 'x')).status).toBe(400)
})

test('the sign-in page is the app’s, and the list of providers shows what is configured', async () => {
  const response = await browser.fetch(`${app.url}/api/auth/signin?callbackUrl=${app.url}/files`)
  expect(response.headers.get('location')).toBe(
    `/signin?callbackUrl=${encodeURIComponent(`${app.url}/files`)}`,
  )
  const providers = await (await browser.fetch(`${app.url}/api/auth/providers`)).json()
  expect(Object.keys(providers)).toEqual(['credentials'])
})
