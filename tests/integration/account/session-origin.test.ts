import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { createUser } from '../../support/users.ts'

let app: HttpApp
let cookie: string

beforeAll(async () => {
  app = await startHttpApp({
    NEXTAUTH_URL: 'https://files.example.com',
    CORS_ORIGINS: 'https://app.example.org',
  })
})
afterAll(() => app.close())

/** Requests a change as a new user, with the cookie and these headers. */
async function change(headers: Record<string, string>) {
  const user = await createUser(app.services)
  cookie = `__Host-next-auth.session-token=${user.token}`
  return app.call('account.signOutEverywhere', undefined, { cookie, ...headers })
}

test.each([
  ['our own page', { origin: 'https://files.example.com' }],
  ['a page of CORS_ORIGINS', { origin: 'https://app.example.org' }],
  ['our own page, by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
  ['our own page, by Referer', { referer: 'https://files.example.com/files?x' }],
  ['a script with a cookie file', {}],
])('a change from %s is accepted with the cookie', async (_, headers) => {
  expect((await change(headers)).status).toBe(200)
})

test.each([
  ['a foreign page', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['another scheme', { origin: 'http://files.example.com' }],
  ['a similar host', { origin: 'https://evil.files.example.com' }],
  [
    'a foreign page that claims our Referer',
    { origin: 'https://evil.example', referer: 'https://files.example.com/' },
  ],
  ['a foreign page, by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
  ['a page of the same site, by Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }],
  ['a foreign page, by Referer', { referer: 'https://evil.example/x' }],
])('a change from %s is rejected, with the reason', async (_, headers) => {
  const { status, code, message } = await change(headers)
  expect({ status, code }).toEqual({ status: 401, code: 'UNAUTHORIZED' })
  expect(message).toContain('https://files.example.com')
  // Nothing was changed: the session is still valid.
  const request = new Request(app.url, { headers: { cookie } })
  expect(await app.services.authenticate(request)).not.toBeNull()
})

test('a bearer token is accepted from any page', async () => {
  const user = await createUser(app.services)
  const headers = { ...user.headers, origin: 'https://evil.example' }
  expect((await app.call('account.signOutEverywhere', undefined, headers)).status).toBe(200)
})

test('the cookie of a plain http origin is ignored if the service uses https', async () => {
  const user = await createUser(app.services)
  const headers = { cookie: `next-auth.session-token=${user.token}` }
  expect((await app.call('account.signOutEverywhere', undefined, headers)).status).toBe(401)
})

test('a GET cannot change anything', async () => {
  const user = await createUser(app.services)
  const response = await fetch(`${app.url}/api/trpc/account.signOutEverywhere`, { headers: user.headers })
  expect(response.status).toBe(405)
})
