// Daily limits of calls that leave rows or audit entries behind.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { androidToken, type PushApp, startPushApp } from '../../support/app/push-app.ts'
import type { TestUser } from '../../support/users.ts'

let app: PushApp
beforeAll(async () => {
  app = await startPushApp({ idle: true })
})
afterAll(() => app.close())

async function insertFile(userId: string): Promise<string> {
  const id = randomUUID()
  await app.db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
     VALUES ($1, $2, 'a.png', 'image/png', 1, $3, 'READY')`,
    [id, userId, randomUUID()],
  )
  return id
}

async function auditEntriesOf({ id }: TestUser): Promise<number> {
  const query = 'SELECT count(*)::int AS count FROM audit_entries WHERE user_id = $1'
  return (await app.db.query(query, [id])).rows[0].count
}

test.each([
  {
    procedure: 'shares.create',
    counter: 'new-shares',
    max: 1000,
    input: async (user: TestUser) => ({ fileId: await insertFile(user.id) }),
    undo: (user: TestUser, { id }: { id: string }) => app.mutate(user, 'shares.revoke', { id }),
  },
  {
    procedure: 'apiKeys.create',
    counter: 'new-api-keys',
    max: 1000,
    input: async () => ({ name: 'a', scopes: ['files:read'] }),
    undo: (user: TestUser, { id }: { id: string }) => app.mutate(user, 'apiKeys.revoke', { id }),
  },
  {
    procedure: 'topics.subscribe',
    counter: 'new-topics',
    max: 5000,
    input: async () => ({ topic: 'news' }),
    undo: (user: TestUser) => app.mutate(user, 'topics.unsubscribe', { topic: 'news' }),
  },
  {
    procedure: 'messages.sendTest',
    counter: 'push-tests-of-day',
    max: 500,
    input: async () => ({ title: 't', body: 'b' }),
    undo: undefined,
  },
])('$procedure succeeds $max times a day for each user, then returns 429', async (limit) => {
  const { procedure, counter, max, undo } = limit
  const user = await app.user()
  const call = async (by: TestUser) => app.mutate(by, procedure, await limit.input(by))
  const callAndUndo = async () => {
    const answer = await call(user)
    expect(answer.status).toBe(200)
    if (undo) expect((await undo(user, answer.data)).status).toBe(200)
  }
  await callAndUndo()
  const key = `${counter}:${user.id}`
  const query = 'UPDATE rate_limits SET points = $2 WHERE key = $1 AND points = 1'
  expect((await app.db.query(query, [key, max - 1])).rowCount).toBe(1)
  await callAndUndo()

  const entries = await auditEntriesOf(user)
  const rejected = await call(user)
  expect(rejected.status).toBe(429)
  expect(rejected.data.error.data.code).toBe('TOO_MANY_REQUESTS')
  expect(rejected.data.error.message).toContain(String(max))
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(86_000)
  expect(await auditEntriesOf(user)).toBe(entries)
  expect((await call(await app.user())).status).toBe(200)
})

test('topics that a user already follows do not count again', async () => {
  const user = await app.user()
  const subscribe = (topic: string) => app.mutate(user, 'topics.subscribe', { topic })
  await subscribe('known')
  await app.db.query('UPDATE rate_limits SET points = 5000 WHERE key = $1', [`new-topics:${user.id}`])
  expect((await subscribe('known')).status).toBe(200)
  expect((await subscribe('unknown')).status).toBe(429)
})

test('a device that moves between two users counts as new each time', async () => {
  const [ann, bob] = [await app.user(), await app.user()]
  const device = { platform: 'android', token: androidToken() }
  const register = async (user: TestUser) => (await app.mutate(user, 'devices.register', device)).status
  expect([await register(ann), await register(bob), await register(ann)]).toEqual([200, 200, 200])
  const query = 'UPDATE rate_limits SET points = 1000 WHERE key = $1 AND points = 1'
  expect((await app.db.query(query, [`new-devices:${bob.id}`])).rowCount).toBe(1)
  expect(await register(bob)).toBe(429)
  // The device still belongs to Ann.
  expect(await register(ann)).toBe(200)
  expect((await app.query(bob, 'devices.list')).data.items).toMatchObject([
    { disabledReason: 'SIGNED_IN_ELSEWHERE' },
  ])
})
