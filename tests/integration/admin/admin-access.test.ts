// Who can call the admin API, what it rejects, and what the audit log records.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApiServer } from '../../support/app/api-server.ts'
import { ADMIN_SECRET, startTestApp, type TestApp } from '../../support/app/test-app.ts'
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

async function call(path: string, headers: Record<string, string>, init: RequestInit = {}) {
  const response = await fetch(server.url + path, {
    ...init,
    headers: { ...(init.body != null && { 'content-type': 'application/json' }), ...headers },
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}
const secret = { authorization: `Bearer ${ADMIN_SECRET}` }
const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) })
const cookieOf = ({ token }: TestUser) => ({ cookie: `next-auth.session-token=${token}` })

test('the admin secret and administrators’ sessions authenticate as a bearer token, or as the cookie of our own pages', async () => {
  for (const headers of [secret, admin.headers, cookieOf(admin)])
    expect(await call('/api/admin/webhooks', headers)).toMatchObject({ status: 200, body: { items: [] } })
})

test("another user's session gets 403, and other credentials 401 with WWW-Authenticate", async () => {
  expect(await call('/api/admin/webhooks', user.headers)).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  })
  const pushToken = `ph_${randomBytes(32).toString('base64url')}`
  for (const headers of [
    {},
    { authorization: `Bearer ${pushToken}` },
    { authorization: 'Bearer eyJ.a.b.c.d' },
  ]) {
    const answer = await call('/api/admin/webhooks', headers as Record<string, string>)
    expect(answer).toMatchObject({
      status: 401,
      body: { error: { code: 'UNAUTHORIZED' }, requestId: expect.any(String) },
    })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  }
})

test('an API key gets 403, whatever its scopes and owner', async () => {
  const key = `pk_${randomBytes(32).toString('base64url')}`
  expect((await call('/api/admin/webhooks', { authorization: `Bearer ${key}` })).status).toBe(403)
})

test('a change with the cookie from a page of another origin is rejected', async () => {
  const headers = { ...cookieOf(admin), origin: 'https://evil.example' }
  expect((await call('/api/admin/webhooks', headers, post({}))).status).toBe(401)
  const own = { ...cookieOf(admin), origin: app.env.NEXTAUTH_URL! }
  expect((await call('/api/admin/webhooks', own, post({}))).status).toBe(400)
})

test('a user who loses the role or is disabled loses access', async () => {
  const second = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [second.id])
  expect((await call('/api/admin/webhooks', second.headers)).status).toBe(200)
  await app.db.query(`UPDATE users SET role = 'user' WHERE id = $1`, [second.id])
  expect((await call('/api/admin/webhooks', second.headers)).status).toBe(403)
})

test('wrong admin secrets are limited by address; other credentials and addresses are unaffected', async () => {
  const at = { 'x-test-address': '192.0.2.77' }
  for (let i = 0; i < 25; i++)
    expect((await call('/api/admin/webhooks', { authorization: 'Bearer eyJ.a.b.c.d', ...at })).status).toBe(
      401,
    )
  for (let i = 0; i < 20; i++)
    expect((await call('/api/admin/webhooks', { authorization: `Bearer wrong-${i}`, ...at })).status).toBe(
      401,
    )
  const blocked = await call('/api/admin/webhooks', { ...secret, ...at })
  expect([blocked.status, Number(blocked.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await call('/api/admin/webhooks', secret)).status).toBe(200)
  const { rows } = await app.db.query(
    `SELECT count(*)::int AS n FROM audit_entries WHERE action = 'admin.refused'`,
  )
  expect(rows).toEqual([{ n: 20 }])
})

test.each([
  [{}, ['url', 'events']],
  [{ url: 'https://example.com/', events: [] }, ['events']],
  [{ url: 'https://example.com/', events: ['file.read'] }, ['events.0']],
  [{ url: 'https://example.com/', events: ['file.ready', 'file.ready'] }, ['events']],
  [{ url: 'https://example.com/', events: ['file.ready'], event: 'x' }, ['event']],
  [{ url: 'http://example.com/', events: ['file.ready'] }, ['url']],
  [{ url: 'ftp://example.com/', events: ['file.ready'] }, ['url']],
  [{ url: 'https://me:secret@example.com/', events: ['file.ready'] }, ['url']],
  [{ url: 'https:me@example.com/', events: ['file.ready'] }, ['url']],
  [{ url: 'https://example.com/#a', events: ['file.ready'] }, ['url']],
  [{ url: 'https://example.com/#', events: ['file.ready'] }, ['url']],
  [{ url: 'https://127.0.0.1/', events: ['file.ready'] }, ['url']],
  [{ url: 'https://[::ffff:10.0.0.1]/', events: ['file.ready'] }, ['url']],
  [{ url: 'https://169.254.169.254/', events: ['file.ready'] }, ['url']],
])('POST /api/admin/webhooks %j returns 400, which names the fields', async (body, fields) => {
  const answer = await call('/api/admin/webhooks', secret, post(body))
  expect([answer.status, Object.keys(answer.body.error.fieldErrors)]).toEqual([400, fields])
})

test('a webhook shows the normalized URL that is called, not the one that was entered', async () => {
  const typed = { url: ' HTTPS://EXAMPLE.com:443/a/../b?x=y z', events: ['file.ready'] }
  const { id } = (await call('/api/admin/webhooks', secret, post(typed))).body
  const path = `/api/admin/webhooks/${id}`
  expect((await call(path, secret)).body.url).toBe('https://example.com/b?x=y%20z')
  const change = { ...post({ url: 'https://bücher.example' }), method: 'PATCH' }
  expect((await call(path, secret, change)).body.url).toBe('https://xn--bcher-kva.example/')
  await app.db.query('DELETE FROM webhooks')
})

test('an unknown ID returns 404, a body that is too large 413, and one webhook too many 409', async () => {
  const id = '019aa6f6-7182-7394-a5a6-b0c1d2e3f405'
  for (const path of ['', '/deliveries'])
    for (const one of [id, 'nonsense'])
      expect((await call(`/api/admin/webhooks/${one}${path}`, secret)).status).toBe(404)
  expect((await call('/api/admin/nothing', secret)).status).toBe(404)
  expect(
    (await call('/api/admin/webhooks', secret, { method: 'POST', body: ' '.repeat(300_000) })).status,
  ).toBe(413)
  const webhook = { url: 'https://example.com/', events: ['file.ready'] }
  const { status, body } = await call('/api/admin/webhooks', secret, post(webhook))
  expect(status).toBe(201)
  expect(
    (await call(`/api/admin/webhooks/${body.id}/deliveries/${id}/redeliver`, secret, post({}))).status,
  ).toBe(404)
  expect((await call(`/api/admin/webhooks/${body.id}/deliveries?cursor=x`, secret)).status).toBe(400)
  await app.db.query(
    `INSERT INTO webhooks (id, url, events, secret) SELECT gen_random_uuid(), 'https://example.com/', '{}', 'x'
     FROM generate_series(1, 99)`,
  )
  expect((await call('/api/admin/webhooks', secret, post(webhook))).status).toBe(409)
  await app.db.query('DELETE FROM webhooks')
})

test('the audit log has every call with its caller, action, address and result', async () => {
  await app.db.query('DELETE FROM audit_entries')
  await call('/api/admin/webhooks', admin.headers)
  await call('/api/admin/webhooks/nonsense', secret, { method: 'DELETE' })
  await call('/api/admin/webhooks/a%00b', secret, { method: 'DELETE' })
  const { rows } = await app.db.query(
    'SELECT action, actor, user_id, subject_id, address, details FROM audit_entries ORDER BY id',
  )
  expect(rows).toEqual([
    {
      action: 'admin.called',
      actor: `user:${admin.id}`,
      user_id: admin.id,
      subject_id: null,
      address: '192.0.2.1',
      details: { method: 'GET', path: '/api/admin/webhooks', status: 200 },
    },
    {
      action: 'admin.called',
      actor: 'admin',
      user_id: null,
      subject_id: 'nonsense',
      address: '192.0.2.1',
      details: { method: 'DELETE', path: '/api/admin/webhooks/nonsense', status: 404 },
    },
    // PostgreSQL cannot store NUL.
    {
      action: 'admin.called',
      actor: 'admin',
      user_id: null,
      subject_id: 'a\ufffdb',
      address: '192.0.2.1',
      details: { method: 'DELETE', path: '/api/admin/webhooks/a%00b', status: 404 },
    },
  ])
})
