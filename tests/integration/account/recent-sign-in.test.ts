// Calls that create lasting access require a sign-in within the last 15 minutes, and ways to renew it.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPushTokenAsAdmin } from '../../../src/server/api/http/admin/push-tokens.ts'
import { createUser as createUserEndpoint, updateUser } from '../../../src/server/api/http/admin/users.ts'
import { createWebhook, updateWebhook } from '../../../src/server/api/http/admin/webhooks.ts'
import type { HttpApp } from '../../support/app/http-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import {
  type SignInProvider,
  signInWithOidc,
  startSignInProvider,
} from '../../support/browser/oidc-sign-in.ts'
import { createSession, createUser, type TestUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const AUDIENCE = 'nobody'
const MINUTE = 60_000
const KEY = { name: 'ci', scopes: ['files:read'] }
const REQUIRED = { status: 403, code: 'FORBIDDEN', data: { reason: 'reauthentication_required' } }

let provider: SignInProvider
let app: HttpApp
beforeAll(async () => {
  provider = await startSignInProvider()
  app = await provider.startApp({
    AUTH_JWT_ISSUER: provider.issuer,
    AUTH_JWT_AUDIENCE: AUDIENCE,
    SIGNIN_FAILURES_PER_15_MIN: '3',
  })
})
afterAll(async () => {
  await app.close()
  await provider.close()
})

type Headers = Record<string, string>
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE)
/** Returns the headers of a session whose user signed in then, as a replica of the previous version stores it. */
const signedIn = async (user: Pick<TestUser, 'id'>, minutes: number) =>
  bearer(await createSession(app, user.id, minutesAgo(minutes)))
const createKey = (headers: Headers) => app.call('apiKeys.create', KEY, headers)
const confirm = (password: string, headers: Headers) =>
  app.call('account.reauthenticate', { password }, { 'x-pigeonhole-address': randomUUID(), ...headers })

async function readyFile(userId: string): Promise<string> {
  const id = randomUUID()
  await app.db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
     VALUES ($1, $2, 'a.png', 'image/png', 1, $3, 'READY')`,
    [id, userId, randomUUID()],
  )
  return id
}

describe('a session', () => {
  test('creates API keys and shared links until 15 minutes after its sign-in, which needs no other step', async () => {
    const user = await createUser(app)
    const fileId = await readyFile(user.id)
    const share = (headers: Headers) => app.call('shares.create', { fileId }, headers)
    for (const recent of [user.headers, await signedIn(user, 14)]) {
      expect((await createKey(recent)).status).toBe(200)
      expect((await share(recent)).status).toBe(200)
    }
    const old = await signedIn(user, 16)
    for (const rejected of [await createKey(old), await share(old)]) {
      expect(rejected).toMatchObject(REQUIRED)
      expect(rejected.message).toMatch(/last 15 minutes.*account\.reauthenticate/)
    }
    expect((await app.call('apiKeys.list', undefined, old)).data.items).toHaveLength(2)
    expect((await app.call('shares.list', { fileId }, old)).data.items).toHaveLength(2)
  })

  test('makes files public only with a recent sign-in', async () => {
    const user = await createUser(app)
    const fileId = await readyFile(user.id)
    const make = (visibility: string, headers: Headers) =>
      app.call('files.setVisibility', { fileId, visibility }, headers)
    const old = await signedIn(user, 16)
    expect(await make('public', old)).toMatchObject(REQUIRED)
    // The next check is that this server has no public files.
    for (const accepted of [await make('private', old), await make('public', user.headers)])
      expect(accepted.data.fieldErrors.visibility).toEqual([expect.stringContaining('S3_PUBLIC_URL')])
  })

  test('counts as recent again after its user has confirmed the password', async () => {
    const user = await createUser(app, { password: PASSWORD })
    const [old, other] = [await signedIn(user, 60), await signedIn(user, 60)]
    expect((await app.call('account.signInMethods', undefined, old)).data).toEqual({
      password: true,
      providers: [],
      passkey: false,
    })
    expect((await confirm(PASSWORD, old)).data).toEqual({ success: true })
    expect((await createKey(old)).status).toBe(200)
    // Only the session that confirmed it counts as recent.
    expect(await createKey(other)).toMatchObject(REQUIRED)
    const { rows } = await app.db.query(
      "SELECT details FROM audit_entries WHERE user_id = $1 AND action = 'session.renewed'",
      [user.id],
    )
    expect(rows).toEqual([{ details: { method: 'password' } }])
  })

  test('is not renewed by wrong passwords, which count as failed sign-ins', async () => {
    const user = await createUser(app, { password: PASSWORD })
    const old = await signedIn(user, 60)
    for (let i = 0; i < 3; i++)
      expect(await confirm('wrong', old)).toMatchObject({
        status: 403,
        data: { fieldErrors: { password: ['is wrong'] } },
      })
    expect((await confirm(PASSWORD, old)).status).toBe(429)
    const signIn = { email: user.email, password: PASSWORD }
    expect((await app.call('session.create', signIn)).status).toBe(429)
    expect(await createKey(old)).toMatchObject(REQUIRED)
  })

  test('of a user without a password cannot be renewed with one', async () => {
    const user = await createUser(app)
    const rejected = await confirm(PASSWORD, user.headers)
    expect(rejected).toMatchObject({ status: 403, message: expect.stringContaining('provider') })
  })

  test('still ends 90 days after it began, however often it is renewed', async () => {
    const user = await createUser(app, { password: PASSWORD })
    const startedAt = minutesAgo(80 * 24 * 60)
    const headers = bearer(await createSession(app, user.id, startedAt))
    await app.db.query(
      `UPDATE sessions SET last_seen_at = now() - interval '1 hour', expires_at = now() + interval '1 hour'
       WHERE user_id = $1 AND created_at = $2`,
      [user.id, startedAt],
    )
    await confirm(PASSWORD, headers)
    await app.db.query(`UPDATE sessions SET last_seen_at = now() - interval '1 hour' WHERE user_id = $1`, [
      user.id,
    ])
    await app.call('account.usage', undefined, headers)
    const { rows } = await app.db.query(
      'SELECT expires_at FROM sessions WHERE user_id = $1 AND created_at = $2',
      [user.id, startedAt],
    )
    expect(rows[0].expires_at.getTime() - startedAt.getTime()).toBe(90 * 24 * 60 * MINUTE)
  })
})

describe('signing in again in the same browser', () => {
  const sessionsOf = async (userId: string) =>
    (await app.db.query('SELECT id FROM sessions WHERE user_id = $1', [userId])).rows
  const age = (userId: string) =>
    app.db.query(
      `UPDATE sessions SET created_at = created_at - interval '1 hour', authenticated_at = NULL WHERE user_id = $1`,
      [userId],
    )
  const headersOf = (browser: Browser) => ({ cookie: browser.cookieHeader(), origin: app.url })

  test('through the provider renews the session, and the account names that provider', async () => {
    const browser = new Browser()
    const ada = { sub: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: true }
    const { user } = await signInWithOidc(app, provider, ada, browser)
    expect((await createKey(headersOf(browser))).status).toBe(200)
    await age(user.id)
    expect(await createKey(headersOf(browser))).toMatchObject(REQUIRED)
    const methods = await app.call('account.signInMethods', undefined, headersOf(browser))
    expect(methods.data).toEqual({ password: false, providers: ['oidc'], passkey: false })
    const before = await sessionsOf(user.id)

    await signInWithOidc(app, provider, ada, browser)
    expect((await createKey(headersOf(browser))).status).toBe(200)
    expect(await sessionsOf(user.id)).toEqual(before)
  })

  test('as another user starts another session and leaves the first one old', async () => {
    const browser = new Browser()
    const [ada, bob] = [
      await createUser(app, { password: PASSWORD }),
      await createUser(app, { password: PASSWORD }),
    ]
    const signIn = ({ email }: TestUser) =>
      browser.postAuth(app.url, 'callback/credentials', { email, password: PASSWORD })
    await signIn(ada)
    const adas = headersOf(browser)
    await age(ada.id)
    await signIn(bob)
    expect((await browser.session(app.url)).user.id).toBe(bob.id)
    expect((await createKey(headersOf(browser))).status).toBe(200)
    expect(await createKey(adas)).toMatchObject(REQUIRED)
  })
})

describe('a token of another issuer', () => {
  const secondsAgo = (minutes: number) => Math.floor(minutesAgo(minutes).getTime() / 1000)

  test.each<[string, number, object]>([
    ['counts from `auth_time`', 403, { auth_time: secondsAgo(16) }],
    [
      'with a recent `auth_time` is accepted, however old it is',
      200,
      {
        auth_time: secondsAgo(1),
        iat: secondsAgo(30),
        exp: secondsAgo(-30),
      },
    ],
    ['without `auth_time` counts from `iat`', 403, { iat: secondsAgo(16), exp: secondsAgo(-30) }],
    ['that was just issued is accepted', 200, {}],
    ['that states neither is rejected', 403, { iat: undefined }],
  ])('%s', async (_, status, claims) => {
    const token = provider.mint({ sub: randomUUID(), ...claims })
    const answer = await createKey(bearer(token))
    expect(answer.status).toBe(status)
    if (status === 403) {
      expect(answer).toMatchObject(REQUIRED)
      expect(answer.message).toContain('`auth_time`, or else its `iat`')
    }
  })
})

describe('an administrator', () => {
  const send = async (method: string, path: string, body: object, headers: Headers) => {
    const request = new Request(`${app.url}/api/admin/users${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
    const response =
      method === 'POST'
        ? await createUserEndpoint(request, app.services)
        : await updateUser(request, app.services, { id: path.slice(1) })
    return { status: response.status, body: await response.json() }
  }
  const rejection = {
    status: 403,
    body: { error: { code: 'FORBIDDEN', reason: 'reauthentication_required' } },
  }
  const newEmail = () => `${randomUUID()}@example.com`
  async function createAdmin(): Promise<TestUser> {
    const user = await createUser(app, { password: PASSWORD })
    await app.db.query(`UPDATE users SET role = 'admin', email_verified_at = now() WHERE id = $1`, [user.id])
    return user
  }

  test('creates administrators only with a recent sign-in, and other users with any', async () => {
    const admin = await createAdmin()
    const old = await signedIn(admin, 16)
    const email = newEmail()
    expect(await send('POST', '', { email, role: 'admin' }, old)).toMatchObject(rejection)
    expect((await send('POST', '', { email: newEmail(), role: 'user' }, old)).status).toBe(201)
    await confirm(PASSWORD, old)
    expect((await send('POST', '', { email, role: 'admin' }, old)).status).toBe(201)
  })

  test('sets passwords of others only with a recent sign-in', async () => {
    const admin = await createAdmin()
    const change = { password: 'staple battery horse' }
    const old = await signedIn(admin, 16)
    for (const target of [await createAdmin(), await createUser(app, { password: PASSWORD })]) {
      expect(await send('PATCH', `/${target.id}`, change, old)).toMatchObject(rejection)
      expect((await app.call('session.create', { email: target.email, password: PASSWORD })).status).toBe(200)
      expect((await send('PATCH', `/${target.id}`, { name: 'Ada' }, old)).status).toBe(200)
      expect((await send('PATCH', `/${target.id}`, change, admin.headers)).status).toBe(200)
    }
  })

  test('creates push tokens and webhooks, and changes a webhook’s URL, only with a recent sign-in', async () => {
    const admin = await createAdmin()
    const old = await signedIn(admin, 16)
    const request = (body: object, headers: Headers) =>
      new Request(app.url, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
    const token = { userId: admin.id, name: 'ci', expiresInDays: 3650 }
    const webhook = { url: 'https://example.com/hook', events: ['file.held'] }
    const createHook = (headers: Headers) => createWebhook(request(webhook, headers), app.services)
    for (const create of [
      (headers: Headers) => createPushTokenAsAdmin(request(token, headers), app.services),
      createHook,
    ]) {
      const rejected = await create(old)
      expect({ status: rejected.status, body: await rejected.json() }).toMatchObject(rejection)
      expect((await create(admin.headers)).status).toBe(201)
      expect((await create(bearer(ADMIN_SECRET))).status).toBe(201)
    }
    const params = { id: (await (await createHook(admin.headers)).json()).id }
    const change = (body: object, headers: Headers) =>
      updateWebhook(request(body, headers), app.services, params)
    expect((await change({ url: 'https://example.org/' }, old)).status).toBe(403)
    expect((await change({ url: 'https://example.org/' }, admin.headers)).status).toBe(200)
    expect((await change({ active: false }, old)).status).toBe(200)
  })

  test('with the admin secret needs no sign-in', async () => {
    const body = { email: newEmail(), role: 'admin' }
    expect((await send('POST', '', body, bearer(ADMIN_SECRET))).status).toBe(201)
  })
})
