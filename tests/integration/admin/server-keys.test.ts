// Server keys: which calls they can make, which they cannot, and their entries in the audit log.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SERVER_KEY_SCOPES } from '../../../src/server/domain/accounts/server-key-schema.ts'
import { MAX_SERVER_KEYS } from '../../../src/server/domain/accounts/server-keys.ts'
import { startApiServer } from '../../support/app/api-server.ts'
import { ADMIN_SECRET, startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { until } from '../../support/until.ts'
import { createUser, type TestUser } from '../../support/users.ts'

let app: TestApp
let server: { url: string; close(): void }
let admin: TestUser
let user: TestUser
beforeAll(async () => {
  app = await startTestApp({})
  server = await startApiServer(app)
  admin = await createUser(app)
  user = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
})
afterAll(async () => {
  server.close()
  await app.close()
})

async function call(method: string, path: string, token: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

type Scope = (typeof SERVER_KEY_SCOPES)[number]

async function keyWith(...scopes: Scope[]): Promise<{ id: string; key: string; expiresAt: string }> {
  const { status, body } = await call('POST', '/api/admin/server-keys', ADMIN_SECRET, {
    name: 'shop',
    scopes,
  })
  expect(status).toBe(201)
  return body
}

const entriesOf = async (keyId: string) => {
  const { rows } = await app.db.query(
    `SELECT details FROM audit_entries WHERE actor = $1 AND action = 'admin.called' ORDER BY id`,
    [`key:${keyId}`],
  )
  return rows.map(({ details }) => details)
}

test('a key is `sk_` and 256 random bits, is returned once, and only its hash is stored', async () => {
  const before = Date.now()
  const created = await keyWith('users:read', 'files:verdict')
  expect(created.key).toMatch(/^sk_[\w-]{43}$/)
  expect(Date.parse(created.expiresAt) - before).toBeCloseTo(365 * 86_400_000, -5)
  const { body } = await call('GET', '/api/admin/server-keys', ADMIN_SECRET)
  expect(body.items[0]).toEqual({
    id: created.id,
    name: 'shop',
    scopes: ['users:read', 'files:verdict'],
    suffix: created.key.slice(-4),
    createdAt: expect.any(String),
    expiresAt: created.expiresAt,
    lastUsedAt: null,
  })
  const { rows } = await app.db.query('SELECT * FROM server_keys WHERE id = $1', [created.id])
  expect(JSON.stringify(rows)).not.toContain(created.key.slice(3))
  expect(rows[0].hash).toMatch(/^[0-9a-f]{64}$/)
})

test.each([
  [{ scopes: [] }, 'scopes'],
  [{ scopes: ['everything'] }, 'scopes.0'],
  [{ scopes: ['users:read', 'users:read'] }, 'scopes'],
  [{ name: ' ' }, 'name'],
  [{ expiresInDays: 0 }, 'expiresInDays'],
  [{ expiresInDays: 3651 }, 'expiresInDays'],
  [{ owner: 'me' }, 'owner'],
])('a key with %j is rejected, and the error names the field', async (wrong, field) => {
  const input = { name: 'shop', scopes: ['users:read'], ...wrong }
  const { status, body } = await call('POST', '/api/admin/server-keys', ADMIN_SECRET, input)
  expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, [field]])
})

/** Calls of the admin API, with the scope that a server key needs. Null: no server key can make the call. */
const CALLS: [method: string, path: string, scope: Scope | null][] = [
  ['GET', '/api/admin/users', 'users:read'],
  ['GET', '/api/admin/users/x', 'users:read'],
  ['POST', '/api/admin/users', 'users:write'],
  ['PATCH', '/api/admin/users/x', 'users:write'],
  ['DELETE', '/api/admin/users/x', 'users:write'],
  ['GET', '/api/admin/users/x/devices', 'users:read'],
  ['POST', '/api/admin/users/x/sign-out', 'users:write'],
  ['PUT', '/api/push/topics/news/users/x', 'topics:write'],
  ['DELETE', '/api/push/topics/news/users/x', 'topics:write'],
  ['GET', '/api/admin/files', 'files:read'],
  ['GET', '/api/admin/files/x', 'files:read'],
  ['POST', '/api/admin/files/x/url', 'files:read'],
  ['POST', '/api/admin/files/x/verdict', 'files:verdict'],
  ['DELETE', '/api/admin/files/x', 'files:delete'],
  ['POST', '/api/admin/user-tokens', 'user-tokens:create'],
  ['GET', '/api/admin/server-keys', null],
  ['POST', '/api/admin/server-keys', null],
  ['DELETE', '/api/admin/server-keys/x', null],
  ['GET', '/api/admin/webhooks', null],
  ['POST', '/api/admin/webhooks', null],
  ['GET', '/api/admin/push-tokens', null],
  ['POST', '/api/admin/push-tokens', null],
  ['GET', '/api/admin/audit', null],
  ['GET', '/api/admin/broadcasts', null],
  ['GET', '/api/admin/health', null],
  ['GET', '/api/admin/doctor', null],
  ['POST', '/api/push/token', null],
  ['GET', '/api/push/token?userId=x', null],
]

test('a key can make the calls of its scopes; others return 403, which names the missing scope', async () => {
  const all = await keyWith(...SERVER_KEY_SCOPES)
  for (const [method, path, scope] of CALLS) {
    const body = ['POST', 'PATCH'].includes(method) ? {} : undefined
    const { status } = await call(method, path, all.key, body)
    if (scope === null) expect([method, path, status]).toEqual([method, path, 403])
    else {
      expect([200, 400, 404], `${method} ${path}: ${status}`).toContain(status)
      const other = await keyWith(...SERVER_KEY_SCOPES.filter((one) => one !== scope))
      expect(await call(method, path, other.key, body), `${method} ${path}`).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN', message: expect.stringContaining(`lacks the scope ${scope}`) } },
      })
      await call('DELETE', `/api/admin/server-keys/${other.id}`, ADMIN_SECRET)
    }
  }
})

test('a key creates, changes and deletes users, but no administrators', async () => {
  const { key, id } = await keyWith('users:read', 'users:write')
  const role = 'admin'
  const wanted = { email: `${id}@example.com`, password: 'correct horse battery' }
  expect((await call('POST', '/api/admin/users', key, { ...wanted, role })).status).toBe(403)
  const created = await call('POST', '/api/admin/users', key, wanted)
  expect(created.status).toBe(201)
  const path = `/api/admin/users/${created.body.id}`
  expect((await call('PATCH', path, key, { name: 'Ada' })).status).toBe(200)
  expect((await call('DELETE', path, key)).status).toBe(202)

  const administrator = `/api/admin/users/${admin.id}`
  for (const change of [{ name: 'Eve' }, { disabled: true }, { password: 'correct horse battery' }])
    expect((await call('PATCH', administrator, key, change)).status).toBe(403)
  expect((await call('DELETE', administrator, key)).status).toBe(403)
  expect((await call('GET', administrator, key)).status).toBe(200)
})

test('a key identifies no user: procedures and files get 401 with what to send instead', async () => {
  const { key } = await keyWith(...SERVER_KEY_SCOPES)
  const calls = ['/api/trpc/files.list', '/api/trpc/account.usage', '/files/x'] as const
  for (const path of calls) {
    const { status, body } = await call('GET', path, key)
    expect([path, status]).toEqual([path, 401])
    expect(body.error.message).toContain('POST /api/admin/user-tokens')
  }
})

test('an API key gets 403 from the admin API, the push endpoints and the metrics, like a user token', async () => {
  const key = `pk_${randomBytes(32).toString('base64url')}`
  for (const [method, path] of [
    ['GET', '/api/admin/users'],
    ['POST', '/api/admin/user-tokens'],
    ['POST', '/api/push/token'],
    ['POST', '/api/push/send'],
    ['GET', '/api/push/messages'],
    ['GET', '/api/push/messages/x'],
    ['PUT', '/api/push/topics/a/users/x'],
    ['GET', '/api/metrics'],
  ] as const)
    expect([path, (await call(method, path, key, method === 'GET' ? undefined : {})).status]).toEqual([
      path,
      403,
    ])
})

test('unknown, expired and revoked keys get 401', async () => {
  const expired = await keyWith('users:read')
  const revoked = await keyWith('users:read')
  await app.db.query('UPDATE server_keys SET expires_at = now() WHERE id = $1', [expired.id])
  expect((await call('GET', '/api/admin/users', revoked.key)).status).toBe(200)
  const { body } = await call('GET', '/api/admin/server-keys', ADMIN_SECRET)
  expect(body.items.find((one: { id: string }) => one.id === revoked.id).lastUsedAt).not.toBeNull()
  expect((await call('DELETE', `/api/admin/server-keys/${revoked.id}`, ADMIN_SECRET)).status).toBe(204)
  expect((await call('DELETE', `/api/admin/server-keys/${revoked.id}`, ADMIN_SECRET)).status).toBe(404)
  const unknown = `sk_${randomBytes(32).toString('base64url')}`
  for (const key of [expired.key, revoked.key, unknown])
    expect((await call('GET', '/api/admin/users', key)).status).toBe(401)
})

test('an administrator needs a recent sign-in to create a key', async () => {
  const input = { name: 'shop', scopes: ['users:read'] }
  expect((await call('POST', '/api/admin/server-keys', admin.token, input)).status).toBe(201)
  await app.db.query(`UPDATE sessions SET created_at = now() - interval '1 day' WHERE user_id = $1`, [
    admin.id,
  ])
  expect((await call('POST', '/api/admin/server-keys', admin.token, input)).status).toBe(403)
})

test('the audit log has every call with its key: each change separately, and equal reads as one entry with a count', async () => {
  const { key, id } = await keyWith('users:read', 'topics:write')
  for (let i = 0; i < 3; i++) await call('GET', `/api/admin/users/${user.id}`, key)
  for (const name of ['a', 'b', 'c']) await call('GET', `/api/admin/webhooks/${name}`, key)
  const subscription = `/api/push/topics/news/users/${user.id}`
  expect((await call('PUT', subscription, key)).status).toBe(204)
  expect((await call('PUT', subscription, key)).status).toBe(204)
  const puts = { method: 'PUT', path: subscription, status: 204 }
  const single = (await entriesOf(id)).filter(({ calls }) => calls === undefined)
  expect(single).toEqual([puts, puts])
  await until('the counted calls are stored', async () => {
    const counted = (await entriesOf(id)).filter(({ calls }) => calls !== undefined)
    const reads = counted.filter(({ path }) => path === '/api/admin/users/{id}')
    const calls = reads.reduce((sum, entry) => sum + entry.calls, 0)
    const rejected = counted.filter(({ status }) => status === 403)
    expect(rejected.every(({ path }) => path === '/api/admin/webhooks/{id}')).toBe(true)
    return calls === 3 && rejected.reduce((sum, entry) => sum + entry.calls, 0) === 3
  })
  const { rows } = await app.db.query(
    `SELECT action, actor FROM audit_entries WHERE user_id = $1 AND action LIKE 'topic.%'`,
    [user.id],
  )
  expect(rows).toEqual([{ action: 'topic.subscribed', actor: `key:${id}` }])
  const { rows: changes } = await app.db.query(
    `SELECT action, actor FROM audit_entries WHERE subject_id = $1 AND action LIKE 'server_key.%'`,
    [id],
  )
  expect(changes).toEqual([{ action: 'server_key.created', actor: 'admin' }])
})

test(`at most ${MAX_SERVER_KEYS} keys are active, including parallel creation; expired ones do not count`, async () => {
  await app.db.query('DELETE FROM server_keys')
  await app.db.query(
    `INSERT INTO server_keys (id, hash, name, scopes, suffix, expires_at)
     SELECT gen_random_uuid(), gen_random_uuid(), 'n', '{users:read}', 'abcd', now() + interval '1 day'
     FROM generate_series(1, $1)`,
    [MAX_SERVER_KEYS - 2],
  )
  const create = () =>
    call('POST', '/api/admin/server-keys', ADMIN_SECRET, { name: 'shop', scopes: ['users:read'] })
  const answers = await Promise.all(Array.from({ length: 8 }, create))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(6).fill(409)])
  await app.db.query(`UPDATE server_keys SET expires_at = now() WHERE name = 'n'`)
  expect((await create()).status).toBe(201)
})
