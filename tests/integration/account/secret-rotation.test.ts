import { afterAll, beforeAll, expect, test } from 'vitest'
import { handleNextAuth } from '../../../src/server/api/http/next-auth/handler.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { ADMIN_SECRET, startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import { createUser, type TestUser } from '../../support/users.ts'

const COOKIE = 'next-auth.session-token'
const NEW_SECRET = 'another-secret-that-is-long-enough-for-tests'
const NEW_ADMIN_SECRET = 'another-admin-secret-that-is-long-enough'
/** Before the rotation, while it lasts, and after it. */
let before: HttpApp
let during: TestApp
let after: TestApp
let user: TestUser

beforeAll(async () => {
  before = await startHttpApp()
  const env = {
    NEXTAUTH_URL: before.url,
    NEXTAUTH_SECRET: NEW_SECRET,
    PUSH_TOKEN_ADMIN_SECRET: NEW_ADMIN_SECRET,
  }
  const previous = {
    NEXTAUTH_SECRET_PREVIOUS: before.env.NEXTAUTH_SECRET!,
    PUSH_TOKEN_ADMIN_SECRET_PREVIOUS: ADMIN_SECRET,
  }
  during = await startTestApp({ ...env, ...previous }, before.config.databaseUrl)
  after = await startTestApp(env, before.config.databaseUrl)
  user = await createUser(before.services, { password: 'correct horse battery' })
})
afterAll(async () => {
  await Promise.all([during.close(), after.close()])
  await before.close()
})

async function isAlive(app: TestApp, token: string): Promise<boolean> {
  const request = new Request(before.url, { headers: { authorization: `Bearer ${token}` } })
  return (await app.services.authenticate(request)) !== null
}

test('NEXTAUTH_SECRET_PREVIOUS: users stay signed in, and renewed cookies use the new secret', async () => {
  expect(await isAlive(during, user.token)).toBe(true)
  expect(await isAlive(after, user.token)).toBe(false)

  const page = new Request(`${before.url}/api/auth/session`, {
    headers: { cookie: `${COOKIE}=${user.token}` },
  })
  const response = await handleNextAuth(page, Promise.resolve(during.services))
  expect((await response.json()).user.id).toBe(user.id)
  const renewed = /session-token=([^;]+)/.exec(response.headers.getSetCookie().join('\n'))![1]!
  expect(await isAlive(after, renewed)).toBe(true)
  expect(await isAlive(before, renewed)).toBe(false)
})

test('NEXTAUTH_SECRET_PREVIOUS: signing out with an old cookie ends the session', async () => {
  const browser = new Browser()
  const fields = { email: user.email, password: 'correct horse battery' }
  await browser.postAuth(before.url, 'callback/credentials', fields)
  const token = browser.cookies.get(COOKIE)!
  const ask = (path: string, cookies: string[], body?: string) =>
    handleNextAuth(
      new Request(`${before.url}/api/auth/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { cookie: cookies.join('; '), 'content-type': 'application/x-www-form-urlencoded' },
        body,
      }),
      Promise.resolve(during.services),
    )
  const csrf = await ask('csrf', [])
  const cookies = [...csrf.headers.getSetCookie().map((c) => c.split(';')[0]!), `${COOKIE}=${token}`]
  const { csrfToken } = await csrf.json()
  expect((await ask('signout', cookies, `csrfToken=${csrfToken}&json=true`)).status).toBe(200)
  expect(await isAlive(before, token)).toBe(false)
})

test('PUSH_TOKEN_ADMIN_SECRET_PREVIOUS: both secrets give access to the endpoints and the metrics, and no other does', async () => {
  const opens = async (app: TestApp, secret: string) => {
    const gates = [app.services.pushAccess.admin, app.services.metricsGate]
    const results = await Promise.allSettled(gates.map((gate) => gate(secret, 'test')))
    return results.map(({ status }) => status === 'fulfilled')
  }
  for (const secret of [ADMIN_SECRET, NEW_ADMIN_SECRET])
    expect(await opens(during, secret)).toEqual([true, true])
  expect(await opens(after, ADMIN_SECRET)).toEqual([false, false])
  expect(await opens(during, `${ADMIN_SECRET}x`)).toEqual([false, false])
})
