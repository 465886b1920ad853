// Push tokens and broadcasts of all users, health and doctor, for administrators only.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { startApiServer } from '../../support/app/api-server.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { createUser, type TestUser } from '../../support/users.ts'

const ID = '019aa6f6-7182-7394-a5a6-b0c1d2e3f405'
const FRIEND = 'https://app.example.org'

let app: PushApp
let server: { url: string; close(): void }
let admin: TestUser
let user: TestUser
beforeAll(async () => {
  app = await startPushApp({ idle: true, env: { CORS_ORIGINS: FRIEND } })
  server = await startApiServer(app)
  user = await createUser(app)
  admin = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
})
afterAll(async () => {
  server.close()
  await app.close()
})

type Headers = Record<string, string>
const secret: Headers = { authorization: `Bearer ${ADMIN_SECRET}` }
const cookieOf = ({ token }: TestUser): Headers => ({ cookie: `next-auth.session-token=${token}` })

async function call(method: string, path: string, headers: Headers, body?: unknown) {
  const response = await fetch(`${server.url}/api/admin${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  // The export of the audit log is CSV.
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : undefined }
}
const items = async (path: string) => (await call('GET', path, secret)).body.items

/** Method and path of every endpoint that a route file below /api/admin exports. */
const ENDPOINTS = readdirSync(join(ROOT, 'src/app/api/admin'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('route.ts'))
  .flatMap((file) => {
    const path = `/${file}`.replace('/route.ts', '').replace(/\[\w+\]/g, ID)
    const text = readFileSync(join(ROOT, 'src/app/api/admin', file), 'utf8')
    return [...text.matchAll(/export (?:const|async function) (GET|POST|PUT|PATCH|DELETE)\b/g)].map(
      ([, method]): [string, string] => [method!, path],
    )
  })

describe('every endpoint, every credential', () => {
  test('the endpoints are found', () => {
    expect(ENDPOINTS.length).toBeGreaterThanOrEqual(21)
    expect(ENDPOINTS).toContainEqual(['DELETE', `/push-tokens/${ID}`])
  })

  test.each(ENDPOINTS)('%s %s: for administrators only', async (method, path) => {
    const apiKey = (await app.mutate(user, 'apiKeys.create', { name: 'k', scopes: ['files:read'] })).data
    const pushToken = await app.tokenOf(admin.id)
    const rejected: [string, Headers, number][] = [
      ['nobody', {}, 401],
      ['a wrong secret', { authorization: 'Bearer wrong' }, 401],
      ['a push token of an administrator', { authorization: `Bearer ${pushToken}` }, 401],
      ['an API key', { authorization: `Bearer ${apiKey.token}` }, 403],
      ["another user's session", user.headers, 403],
      ["another user's cookie", { ...cookieOf(user), origin: app.env.NEXTAUTH_URL! }, 403],
      ["an administrator's cookie with another bearer token", { ...cookieOf(admin), ...user.headers }, 403],
    ]
    const isChange = method !== 'GET'
    // Without CORS headers, no page of another origin can read a response, so only changes matter.
    if (isChange)
      for (const origin of [FRIEND, 'https://evil.example', 'null'])
        rejected.push([`an administrator's cookie from ${origin}`, { ...cookieOf(admin), origin }, 401])
    const body = ['POST', 'PATCH'].includes(method) ? { no: 'such field' } : undefined
    for (const [who, headers, status] of rejected) {
      const answer = await call(
        method,
        path,
        { 'x-test-address': `192.0.2.${method.length}`, ...headers },
        body,
      )
      expect([who, answer.status]).toEqual([who, status])
    }
    // The query is invalid for the two endpoints that would take seconds.
    const asked = path === '/doctor' ? `${path}?no=such` : path
    for (const headers of [secret, admin.headers, { ...cookieOf(admin), origin: app.env.NEXTAUTH_URL! }])
      expect([401, 403, 405, 500]).not.toContain((await call(method, asked, headers, body)).status)
  })
})

describe('push tokens', () => {
  test('are created for a user, shown once, listed by user and page, and revoked, with the actor recorded', async () => {
    const owner = await createUser(app, { name: 'Ada' })
    const made = async (name: string) => {
      const answer = await call('POST', '/push-tokens', admin.headers, {
        userId: owner.id,
        name,
        scopes: ['self'],
      })
      expect(answer.status).toBe(201)
      return answer.body
    }
    const first = await made('first')
    const second = await made('second')
    expect((await app.send(first.token, { title: 't', body: 'b' })).status).toBe(200)

    const path = `/push-tokens?userId=${owner.id}`
    const { body } = await call('GET', `${path}&limit=1`, admin.headers)
    expect(body.items).toMatchObject([
      { id: second.id, scopes: ['self'], user: { email: owner.email, name: 'Ada' }, lastUsedAt: null },
    ])
    const next = await call('GET', `${path}&limit=1&cursor=${body.nextCursor}`, admin.headers)
    expect(next.body).toMatchObject({
      items: [{ id: first.id, lastUsedAt: expect.any(String), revokedAt: null }],
      nextCursor: null,
    })
    expect(JSON.stringify([body, next.body])).not.toContain(first.token)
    expect((await items('/push-tokens')).map(({ id }: { id: string }) => id)).toContain(first.id)

    for (let i = 0; i < 2; i++)
      expect((await call('DELETE', `/push-tokens/${first.id}`, admin.headers)).status).toBe(204)
    expect((await app.send(first.token, { title: 't', body: 'b' })).status).toBe(401)
    expect((await items(path))[1].revokedAt).toEqual(expect.any(String))
    const { rows } = await app.db.query(
      `SELECT action, actor FROM audit_entries WHERE subject_id = $1 AND action LIKE 'push.token.%' ORDER BY id`,
      [first.id],
    )
    expect(rows).toEqual([
      { action: 'push.token.created', actor: `user:${admin.id}` },
      { action: 'push.token.revoked', actor: `user:${admin.id}` },
    ])
  })

  test('return 404 for an unknown user or token, and 400 for an invalid cursor or field', async () => {
    const token = { userId: ID, name: 'n' }
    expect((await call('POST', '/push-tokens', secret, token)).status).toBe(404)
    for (const id of [ID, 'nonsense'])
      expect((await call('DELETE', `/push-tokens/${id}`, secret)).status).toBe(404)
    for (const query of ['cursor=x', 'user=x', 'limit=0'])
      expect((await call('GET', `/push-tokens?${query}`, secret)).status).toBe(400)
    expect(await items('/push-tokens?userId=nonsense')).toEqual([])
  })
})

describe('broadcasts', () => {
  test('of all tokens are listed with their remaining devices, and cancelled, with the actor recorded', async () => {
    await seedDevices(app.db, 4)
    const token = await app.tokenOf(user.id, { name: 'siren' })
    await app.send(token, { title: 'to one', body: 'b' })
    const all = (await app.send(token, { title: 'to all', body: 'b', all: true })).data.id
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const later = (await app.send(token, { title: 'later', body: 'b', all: true, sendAt })).data.id
    const some = (await app.send(token, { title: 'to some', body: 'b', userIds: [user.id] })).data.id

    const listed = await items('/broadcasts')
    expect(listed).toMatchObject([
      // As in the inbox, scheduled messages are sorted by their time.
      { id: later, title: 'later', toAll: true, status: 'scheduled', sendAt, remaining: 0 },
      { id: some, title: 'to some', toAll: false, status: 'completed' },
      {
        id: all,
        title: 'to all',
        toAll: true,
        status: 'queued',
        body: 'b',
        link: null,
        category: 'general',
        completedAt: null,
        pushToken: { name: 'siren', userId: user.id },
      },
    ])
    // Two platforms, one range of at most 500 devices each.
    expect(listed[2].remaining).toBe(1000)
    const { body } = await call('GET', '/broadcasts?limit=2', admin.headers)
    expect(body.nextCursor).toBe(some)
    const page = await call('GET', `/broadcasts?cursor=${body.nextCursor}`, admin.headers)
    expect(page.body.items).toMatchObject([{ id: all }])

    for (const id of [all, later])
      expect((await call('DELETE', `/broadcasts/${id}`, admin.headers)).status).toBe(204)
    const after = await items('/broadcasts')
    expect(after.map(({ status, remaining }: { status: string; remaining: number }) => [status, remaining]))
      // The broadcast to the user without devices was completed at once.
      .toEqual([
        ['cancelled', 0],
        ['completed', 0],
        ['cancelled', 0],
      ])
    expect((await call('DELETE', `/broadcasts/${some}`, admin.headers)).status).toBe(409)
    expect((await call('DELETE', `/broadcasts/${ID}`, admin.headers)).status).toBe(404)
    expect((await call('GET', '/broadcasts?cursor=x', admin.headers)).status).toBe(400)
    const { rows } = await app.db.query(
      `SELECT actor FROM audit_entries WHERE action = 'push.cancelled' AND subject_id = ANY ($1)`,
      [[all, later]],
    )
    expect(rows).toEqual([{ actor: `user:${admin.id}` }, { actor: `user:${admin.id}` }])
  })

  test('are found by an index that contains nothing else', async () => {
    const { rows } = await app.db
      .query(
        `SET enable_seqscan = off; EXPLAIN SELECT id FROM push_messages
       WHERE (user_id IS NULL OR user_id = id) AND id < '${ID}' ORDER BY id DESC LIMIT 50`,
      )
      .then((results) => (results as unknown as { rows: { 'QUERY PLAN': string }[] }[])[1]!)
    expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('push_messages_broadcasts_idx')
  })
})

describe('health', () => {
  test('says what is configured, what fails, and what waits', async () => {
    await app.db.query(`INSERT INTO push_circuit_breakers (upstream, open) VALUES ('ios-sandbox', true)`)
    const { status, body } = await call('GET', '/health', admin.headers)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'ready',
      checks: { database: 'ok', apns: 'ok', fcm: 'ok' },
      gateways: [
        { platform: 'ios', configured: true, openCircuitBreakers: ['ios-sandbox'] },
        { platform: 'android', configured: true, openCircuitBreakers: [] },
        { platform: 'web', configured: true, openCircuitBreakers: [] },
      ],
      queue: { due: expect.any(Number), scheduled: 0 },
      webhooks: { pending: 0, failing: 0 },
    })
  })

  test('doctor runs read-only checks without a push, and all checks with a push to a device that cannot exist', async () => {
    app.apns.devices.set('0'.repeat(64), { environment: 'sandbox' })
    app.sandbox.devices.set('0'.repeat(64), { environment: 'production' })
    app.fcm.devices.set('pigeonhole-doctor-no-such-device', 'INVALID_TOKEN')
    const statuses = async (method: string) => {
      const { status, body } = await call(method, '/doctor', admin.headers)
      expect(status).toBe(200)
      return Object.fromEntries(
        body.findings.map((finding: { check: string; status: string }) => [finding.check, finding.status]),
      )
    }
    const quick = await statuses('GET')
    expect(quick).toMatchObject({ 'database-migrations': 'ok', 'store-bucket': 'FAIL', 'web-push': 'ok' })
    expect(Object.keys(quick)).not.toContain('fcm')
    expect(await statuses('POST')).toMatchObject({ ...quick, 'apns-production': 'ok', fcm: 'ok' })
  })
})
