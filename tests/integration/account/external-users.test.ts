// Users of AUTH_JWT_ISSUER in the app: created on first use, accepted where session tokens are, and kept apart.

import { randomUUID } from 'node:crypto'
import { type OidcEmulator, startOidc } from '@pigeonhole/emulators/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createManagedUserRepo } from '../../../src/server/adapters/postgres/accounts/managed-user-repo.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { downloadFile } from '../../../src/server/api/http/file-download.ts'
import { createPushToken } from '../../../src/server/api/http/push-tokens.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { ADMIN_SECRET, startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { createUser } from '../../support/users.ts'

const AUDIENCE = 'https://files.example.com'
let issuer: OidcEmulator
let app: TestApp
let db: Db

beforeAll(async () => {
  issuer = await startOidc({ clients: [], audience: AUDIENCE, algorithm: 'ES256' })
  app = await startTestApp(trusting(issuer))
  db = createDb(app.config.databaseUrl, 2)
})
afterAll(async () => {
  await db.close()
  await app.close()
  await issuer.close()
})

const trusting = ({ issuer }: OidcEmulator) => ({ AUTH_JWT_ISSUER: issuer, AUTH_JWT_AUDIENCE: AUDIENCE })
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const mint = (claims: object = {}) => issuer.mint({ sub: randomUUID(), ...claims })
const call = (token: string, procedure: string, input?: unknown, { services } = app) =>
  callProcedure((request) => handleTrpc(request, Promise.resolve(services)), bearer(token), procedure, input)
const files = (token: string) =>
  downloadFile(new Request('http://app.test/files/none', bearer(token)), app.services, 'none')
const usersOf = async (sub: string) =>
  (
    await app.db.query(
      'SELECT id, email, display_email, name, external_issuer, last_seen_at FROM users WHERE external_id = $1',
      [sub],
    )
  ).rows

test('a token is accepted wherever a session token is: procedures and files', async () => {
  const token = mint()
  expect((await call(token, 'account.usage')).status).toBe(200)
  expect((await call(token, 'devices.register', { platform: 'android', token: randomUUID() })).status).toBe(
    200,
  )
  // 404 shows that the caller is authenticated: without a valid token, it would be 401.
  expect((await files(token)).status).toBe(404)
  expect((await call(token, 'shares.list')).data).toEqual({ items: [] })
  expect((await call(token, 'shares.create', { fileId: 'none' })).status).toBe(404)
  expect((await files(`${token}x`)).status).toBe(401)
})

test('its user is created on first use, once for two parallel calls, and the audit log records it', async () => {
  const sub = randomUUID()
  const token = mint({ sub, email: ' Ada@Example.com', name: 'Ada\u202e\nL.' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(token, 'account.usage')))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  const users = await usersOf(sub)
  expect(users).toEqual([
    {
      id: expect.any(String),
      email: null,
      display_email: 'ada@example.com',
      name: 'Ada L.',
      external_issuer: issuer.issuer,
      last_seen_at: expect.any(Date),
    },
  ])
  const { rows } = await app.db.query('SELECT action, details FROM audit_entries WHERE user_id = $1', [
    users[0].id,
  ])
  expect(rows).toEqual([{ action: 'account.created', details: { method: 'jwt', issuer: issuer.issuer } }])
})

test('the user is recognized even with another email, and the profile follows the token', async () => {
  const sub = randomUUID()
  await call(mint({ sub, email: 'old@example.com', name: 'Ada' }), 'account.usage')
  const [before] = await usersOf(sub)
  await app.db.query(`UPDATE users SET last_seen_at = now() - interval '6 minutes' WHERE id = $1`, [
    before.id,
  ])
  await call(mint({ sub, email: 'new@example.com' }), 'account.usage')
  const after = await usersOf(sub)
  expect(after).toMatchObject([{ id: before.id, display_email: 'new@example.com', name: 'Ada' }])
  await call(mint({ sub, email: 'third@example.com' }), 'account.usage')
  expect(await usersOf(sub)).toEqual(after)
})

test('the email of a token gives access to no other account, internal or external', async () => {
  const here = await createUser(app.services)
  await app.db.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [here.id])
  const sub = randomUUID()
  for (const each of [sub, `${sub}-other`])
    expect(
      (await call(mint({ sub: each, email: here.email, email_verified: true }), 'account.usage')).status,
    ).toBe(200)
  const [one] = await usersOf(sub)
  const [two] = await usersOf(`${sub}-other`)
  expect(new Set([here.id, one.id, two.id]).size).toBe(3)
})

test('the same sub from two issuers identifies two users', async () => {
  const other = await startOidc({ clients: [], audience: AUDIENCE, algorithm: 'ES256' })
  const elsewhere = await startTestApp(trusting(other), app.config.databaseUrl)
  try {
    const sub = randomUUID()
    await call(mint({ sub }), 'account.usage')
    const token = other.mint({ sub })
    expect((await call(token, 'account.usage', undefined, elsewhere)).status).toBe(200)
    expect(await usersOf(sub)).toHaveLength(2)
    // Each app trusts only its own issuer.
    const rejected = await call(token, 'account.usage')
    expect(rejected).toMatchObject({ status: 401, error: { message: expect.stringMatching(/Wrong issuer/) } })
  } finally {
    await elsewhere.close()
    await other.close()
  }
})

test('AUTH_JWT_PROVISION=false: only existing users are accepted', async () => {
  const closed = await startTestApp(
    { ...trusting(issuer), AUTH_JWT_PROVISION: 'false' },
    app.config.databaseUrl,
  )
  try {
    const sub = randomUUID()
    const rejected = await call(mint({ sub }), 'account.usage', undefined, closed)
    expect(rejected).toMatchObject({
      status: 401,
      error: { message: expect.stringMatching(/has no account here/) },
    })
    expect(await usersOf(sub)).toEqual([])
    await call(mint({ sub }), 'account.usage')
    expect((await call(mint({ sub }), 'account.usage', undefined, closed)).status).toBe(200)
  } finally {
    await closed.close()
  }
})

test('a disabled user is rejected at once, with the reason', async () => {
  const sub = randomUUID()
  await call(mint({ sub }), 'account.usage')
  const [{ id }] = await usersOf(sub)
  const by = { actor: 'admin', userId: null, address: null, at: new Date() }
  await createManagedUserRepo(db).update(id, { disabled: true }, by)
  const rejected = await call(mint({ sub }), 'account.usage')
  expect(rejected).toMatchObject({
    status: 401,
    error: { message: expect.stringMatching(/user is disabled/) },
  })
  expect((await files(mint({ sub }))).status).toBe(401)
  await createManagedUserRepo(db).update(id, { disabled: false }, by)
  expect((await call(mint({ sub }), 'account.usage')).status).toBe(200)
})

test('tokens of a deleted account do not restore it, but create a new one', async () => {
  const sub = randomUUID()
  await call(mint({ sub, email: 'gone@example.com' }), 'account.usage')
  const [{ id }] = await usersOf(sub)
  await app.services.accountDeletion.deleteAccount(id, 'test')
  expect(await usersOf(sub)).toEqual([])
  await call(mint({ sub }), 'account.usage')
  expect((await usersOf(sub))[0].id).not.toBe(id)
})

test('account.delete requires a token of a user who has just signed in at the issuer', async () => {
  const sub = randomUUID()
  const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds
  await call(mint({ sub }), 'account.usage')
  const [{ id }] = await usersOf(sub)
  for (const claims of [
    { iat: ago(301) },
    { iat: undefined },
    // This token was refreshed without signing in.
    { iat: ago(0), auth_time: ago(301) },
    { iat: ago(0), auth_time: 'now' },
    { iat: ago(0), auth_time: ago(-3600) },
  ]) {
    const rejected = await call(mint({ sub, ...claims }), 'account.delete', {})
    expect(rejected).toMatchObject({
      status: 403,
      error: {
        code: 'FORBIDDEN',
        message: expect.stringMatching(/Sign in again with your identity provider/),
      },
    })
  }
  expect(await usersOf(sub)).toHaveLength(1)
  expect((await call(mint({ sub, auth_time: ago(240) }), 'account.delete', {})).data).toEqual({
    success: true,
  })
  expect(await usersOf(sub)).toEqual([])
  const { rows } = await app.db.query(
    `SELECT actor FROM audit_entries WHERE action = 'account.deleted' AND user_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ actor: `user:${id}` }])
  const other = randomUUID()
  await call(mint({ sub: other }), 'account.usage')
  expect((await call(mint({ sub: other }), 'account.delete', {})).status).toBe(200)
})

test.each([
  ['account.changePassword', { newPassword: 'correct horse battery' }],
  ['account.sessions', undefined],
  ['account.revokeSession', { id: randomUUID() }],
  ['account.signOutEverywhere', undefined],
])(
  '%s needs a session, and says why a token of another issuer does not count as one',
  async (procedure, input) => {
    const rejected = await call(mint(), procedure, input)
    expect(rejected).toMatchObject({
      status: 403,
      error: { code: 'FORBIDDEN', message: expect.stringMatching(/needs a session of this service/) },
    })
  },
)

test('without AUTH_JWT_ISSUER, tokens are rejected', async () => {
  const plain = await startTestApp({}, app.config.databaseUrl)
  try {
    expect((await call(mint(), 'account.usage', undefined, plain)).status).toBe(401)
  } finally {
    await plain.close()
  }
})

test('a push token is created for an externalUserId', async () => {
  const sub = randomUUID()
  const create = async (body: object, { services } = app) => {
    const headers = { authorization: `Bearer ${ADMIN_SECRET}`, 'content-type': 'application/json' }
    const request = new Request('http://app.test/', { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await createPushToken(request, Promise.resolve(services))
    return { status: response.status, body: await response.json() }
  }
  const input = { externalUserId: sub, name: 'ci' }
  expect(await create(input)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
  await call(mint({ sub }), 'account.usage')
  const made = await create(input)
  expect(made.status).toBe(200)
  const { rows } = await app.db.query('SELECT user_id FROM push_tokens WHERE id = $1', [made.body.id])
  expect(rows).toEqual([{ user_id: (await usersOf(sub))[0].id }])
  expect((await create({ ...input, externalUserId: 'a\0b' })).status).toBe(404)
  for (const wrong of [{ name: 'ci' }, { ...input, userId: randomUUID() }])
    expect((await create(wrong)).status).toBe(400)
  const plain = await startTestApp({}, app.config.databaseUrl)
  const rejected = await create(input, plain)
  await plain.close()
  // Without an issuer, external IDs are the app's own.
  expect(rejected.status).toBe(404)
})

test('a token does not sign in as a user whom a backend created before the issuer was configured', async () => {
  const sub = randomUUID()
  const { rows } = await app.db.query(
    `INSERT INTO users (id, external_issuer, external_id) VALUES (gen_random_uuid(), 'backend', $1) RETURNING id`,
    [sub],
  )
  await call(mint({ sub }), 'account.usage')
  const ids = (await usersOf(sub)).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect(ids).toContain(rows[0].id)
})
