// Administrators send with their own push tokens by ID, without the raw token.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendPushAsAdmin } from '../../../src/server/api/http/admin/push-tokens.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { until } from '../../support/until.ts'
import { createSession, createUser, type TestUser } from '../../support/users.ts'

const PER_MINUTE = 15
const MESSAGE = { title: 'Hello', body: 'World' }
const TOKEN_NOT_FOUND = { error: { code: 'NOT_FOUND', fieldErrors: { id: [expect.any(String)] } } }

let app: PushApp
let admin: TestUser
beforeAll(async () => {
  app = await startPushApp({ env: { PUSH_SEND_RATE_PER_MINUTE: String(PER_MINUTE) } })
  admin = await createAdmin()
})
afterAll(() => app.close())

async function createAdmin(): Promise<TestUser> {
  const user = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [user.id])
  return user
}

async function tokenIdOf(owner: TestUser, scopes = ['self', 'users', 'broadcast']) {
  const { id } = await app.services.push.tokens.create(
    { userId: owner.id, name: 'newsroom', expiresInDays: 1, scopes: scopes as ('self' | 'users')[] },
    { actor: 'admin', address: null },
  )
  return id
}

async function send(id: string, message: object, { key, headers = admin.headers }: SendOptions = {}) {
  const request = new Request(`${app.env.NEXTAUTH_URL}/api/admin/push-tokens/${id}/send`, {
    method: 'POST',
    body: JSON.stringify({ ...MESSAGE, ...message }),
    headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }), ...headers },
  })
  const response = await sendPushAsAdmin(request, app.services, { id })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
type SendOptions = { key?: string; headers?: Record<string, string> }

const auditOf = async (subjectId: string) =>
  (await app.db.query(`SELECT * FROM audit_entries WHERE subject_id = $1 ORDER BY id`, [subjectId])).rows

describe('an administrator', () => {
  test('sends with one of their push tokens by its ID, and the audit log names the administrator and the token', async () => {
    const friend = await createUser(app)
    await seedDevices(app.db, 1, { userId: friend.id, platform: 'ios' })
    const id = await tokenIdOf(admin)
    const sent = await send(id, { userId: friend.id })
    expect(sent).toMatchObject({ status: 200, body: { status: 'completed', sent: 1 } })
    const actor = `user:${admin.id}`
    expect(await auditOf(sent.body.id)).toMatchObject([
      { action: 'push.sent', actor, details: { userId: friend.id, pushToken: id } },
    ])
    expect(await auditOf(id)).toContainEqual(
      expect.objectContaining({
        action: 'admin.called',
        actor,
        details: { method: 'POST', path: `/api/admin/push-tokens/${id}/send`, status: 200 },
      }),
    )
    const list = await app.services.push.sentMessages.list({ id: admin.id, isAdmin: true }, { limit: 10 })
    expect(list.items).toMatchObject([{ id: sent.body.id, tokenName: 'newsroom' }])
    expect((await app.query(admin, 'messages.status', { messageId: sent.body.id })).data).toMatchObject({
      status: 'completed',
      sent: 1,
    })
  })

  test('broadcasts with 202, and the audit log has that status', async () => {
    const id = await tokenIdOf(admin)
    const sent = await send(id, { all: true, sendAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect(sent).toMatchObject({ status: 202, body: { status: 'scheduled' } })
    expect((await auditOf(id)).at(-1)).toMatchObject({ details: { status: 202 } })
    expect(await auditOf(sent.body.id)).toMatchObject([
      { action: 'push.broadcast', actor: `user:${admin.id}`, details: { pushToken: id } },
    ])
  })

  test('cannot exceed the scopes and the rate of the token', async () => {
    const id = await tokenIdOf(admin, ['self'])
    expect((await send(id, { all: true })).status).toBe(403)
    const last = await send(id, { dryRun: true })
    expect(last.headers.get('ratelimit-remaining')).toBe(String(PER_MINUTE - 2))
    for (let sends = 2; sends < PER_MINUTE; sends++) await send(id, { dryRun: true })
    expect((await send(id, {})).status).toBe(429)
  })

  test('sends once for the same idempotency key', async () => {
    const id = await tokenIdOf(admin)
    const [first, second] = await Promise.all([send(id, {}, { key: 'one' }), send(id, {}, { key: 'one' })])
    expect(second.body).toEqual(first.body)
    expect((await send(id, { body: 'Other' }, { key: 'one' })).status).toBe(409)
  })

  test('needs a recent sign-in to send, but not to count recipients', async () => {
    const id = await tokenIdOf(admin)
    const old = await createSession(app, admin.id, new Date(Date.now() - 16 * 60_000))
    const headers = { authorization: `Bearer ${old}` }
    expect(await send(id, {}, { headers })).toMatchObject({
      status: 403,
      body: { error: { reason: 'reauthentication_required' } },
    })
    expect((await send(id, { dryRun: true }, { headers })).status).toBe(200)
  })

  test('counts recipients while typing: the audit log has the first count at once, and few entries for the others', async () => {
    const id = await tokenIdOf(admin)
    const path = `/api/admin/push-tokens/${id}/send`
    const counts = async (): Promise<{ calls?: number }[]> =>
      (await auditOf(id)).map(({ details }) => details).filter((details) => details.path === path)
    const count = { method: 'POST', path, status: 200 }
    await send(id, { dryRun: true })
    expect(await counts()).toEqual([count])
    const topics = ['n', 'ne', 'new', 'news', 'newsr', 'newsro', 'newsroo', 'newsroom']
    for (const topic of topics) await send(id, { topic, dryRun: true })
    const called = async () => (await counts()).reduce((sum, { calls = 1 }) => sum + calls, 0)
    await until('the others are stored', async () => (await called()) === 1 + topics.length)
    // Counting restarts every 5 seconds.
    expect((await counts()).length).toBeLessThan(topics.length)
  })

  test('sends twice in a second: each send has its entry', async () => {
    const id = await tokenIdOf(admin)
    for (let i = 0; i < 2; i++) await send(id, { topic: 'nobody' })
    const entries = (await auditOf(id)).filter(({ action }) => action === 'admin.called')
    expect(entries).toHaveLength(2)
  })

  test.each([
    ['another administrator’s', async () => tokenIdOf(await createAdmin())],
    [
      'a revoked',
      async () => {
        const id = await tokenIdOf(admin)
        await app.services.push.tokens.revoke(id, { actor: 'admin', address: null })
        return id
      },
    ],
    [
      'an expired',
      async () => {
        const id = await tokenIdOf(admin)
        await app.db.query(`UPDATE push_tokens SET expires_at = now() WHERE id = $1`, [id])
        return id
      },
    ],
    ['an unknown', async () => 'no such token'],
  ])('cannot send with %s token', async (_, token) => {
    expect(await send(await token(), {})).toMatchObject({ status: 404, body: TOKEN_NOT_FOUND })
  })

  test('with the admin secret owns no token to send with', async () => {
    const headers = { authorization: `Bearer ${ADMIN_SECRET}` }
    expect(await send(await tokenIdOf(admin), {}, { headers })).toMatchObject({
      status: 404,
      body: TOKEN_NOT_FOUND,
    })
  })
})

describe('a list of keys', () => {
  test('shows the last four characters of keys and tokens, and null for those of earlier releases', async () => {
    const raw = await app.tokenOf(admin.id)
    const apiKey = (await app.mutate(admin, 'apiKeys.create', { name: 'ci', scopes: ['files:read'] })).data
    const keys = async () => (await app.query(admin, 'apiKeys.list')).data.items
    const [token] = await app.services.push.tokens.list(admin.id)
    expect([token!.suffix, (await keys())[0].suffix]).toEqual([raw.slice(-4), apiKey.token.slice(-4)])
    // As a replica of the previous version stores them.
    await app.db.query(`UPDATE push_tokens SET suffix = NULL WHERE id = $1`, [token!.id])
    await app.db.query(`UPDATE api_keys SET suffix = NULL WHERE id = $1`, [apiKey.id])
    const { items } = await app.services.push.tokens.listAll({ userId: admin.id, limit: 1 })
    expect([items[0]!.suffix, (await keys())[0].suffix]).toEqual([null, null])
  })
})
