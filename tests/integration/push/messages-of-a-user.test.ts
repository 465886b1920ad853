// What signed-in users can do with messages without a push token: read them, list and cancel those that their tokens
// sent, send test messages to their own devices, and save templates.

import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { saveUser } from '../../../src/server/adapters/postgres/accounts/save-user.ts'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { CLIENT_ADDRESS_HEADER } from '../../../src/server/api/http/request-info.ts'
import { MAX_UNREAD } from '../../../src/server/domain/push/inbox/inbox.ts'
import { TESTS_PER_MINUTE } from '../../../src/server/domain/push/messages/send-test.ts'
import { MAX_TEMPLATES_PER_USER } from '../../../src/server/domain/push/messages/templates.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { until } from '../../support/until.ts'
import { sessionOf, type TestUser } from '../../support/users.ts'

const hello = { title: 'Hello', body: 'World' }

let app: PushApp
beforeAll(async () => {
  app = await startPushApp()
})
afterEach(() => app.apns.faults.reset())
afterAll(() => app.close())

const codeOf = (answer: { data: { error?: { data: { code: string } } } }) => answer.data.error?.data.code
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

/** Creates a user with one iPhone. */
async function userWithPhone(): Promise<TestUser & { device: string }> {
  const user = await app.user()
  const { tokens } = await seedDevices(app.db, 1, { userId: user.id, platform: 'ios' })
  return { ...user, device: tokens[0]! }
}

const audit = async (action: string, userId: string) =>
  (
    await app.db.query(
      'SELECT actor, subject_id, address, details FROM audit_entries WHERE action = $1 AND user_id = $2 ORDER BY at, id',
      [action, userId],
    )
  ).rows

describe('received messages', () => {
  const unread = async (user: TestUser) => (await app.query(user, 'messages.unread')).data.count
  const list = async (user: TestUser) => (await app.query(user, 'messages.list')).data.items
  const markRead = (user: TestUser, messageId: string) => app.mutate(user, 'messages.markRead', { messageId })

  test('include subtitle, picture and link', async () => {
    const user = await app.user()
    const more = { subtitle: 'Counter 3', imageUrl: 'https://a.example/b.png', link: 'myapp://orders/42' }
    await app.send(await app.tokenOf(user.id), { ...hello, ...more })
    expect(await list(user)).toEqual([expect.objectContaining({ ...hello, ...more })])
    await app.send(await app.tokenOf(user.id), hello)
    expect(await list(user)).toMatchObject([{ subtitle: null, imageUrl: null, link: null }, {}])
  })

  test('are unread until they or a later one is read, and never become unread again', async () => {
    const [user, other] = [await app.user(), await app.user()]
    const token = await app.tokenOf(user.id)
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.push((await app.send(token, hello)).data.id)
    expect(await unread(user)).toBe(3)
    expect((await list(user)).map((m: { unread: boolean }) => m.unread)).toEqual([true, true, true])
    expect((await markRead(user, ids[1]!)).data).toEqual({ success: true })
    for (const id of [ids[1]!, ids[0]!]) expect((await markRead(user, id)).status).toBe(200)
    expect(await unread(user)).toBe(1)
    expect((await list(user)).map((m: { unread: boolean }) => m.unread)).toEqual([true, false, false])
    const toAll = await app.send(token, { ...hello, all: true })
    const toSome = await app.send(token, { ...hello, userIds: [user.id] })
    expect(await unread(user)).toBe(3)
    for (const { data } of [toAll, toSome]) expect((await markRead(user, data.id)).status).toBe(200)
    expect(await unread(user)).toBe(0)
    expect(await unread(other)).toBe(1)
  })

  test('that are unknown or sent to other users cannot be marked as read', async () => {
    const [user, other] = [await app.user(), await app.user()]
    const { data } = await app.send(await app.tokenOf(other.id), hello)
    for (const id of [data.id, randomUUID(), 'no id'])
      expect(codeOf(await markRead(user, id))).toBe('NOT_FOUND')
    expect(codeOf(await app.query(null, 'messages.unread'))).toBe('UNAUTHORIZED')
  })

  test(`are counted as unread up to ${MAX_UNREAD}, without silent ones`, async () => {
    const user = await app.user()
    const insert = (count: number, content: object) =>
      app.db.query(
        `INSERT INTO push_messages (id, user_id, category, content, status, expires_at, completed_at)
         SELECT gen_random_uuid(), $1, 'general', $2, 'completed', now(), now() FROM generate_series(1, $3)`,
        [user.id, content, count],
      )
    await insert(5, { silent: true, category: 'general' })
    expect(await unread(user)).toBe(0)
    await insert(MAX_UNREAD + 20, { ...hello, category: 'general' })
    expect(await unread(user)).toBe(MAX_UNREAD)
  })
})

describe('messages sent by the user’s push tokens', () => {
  const sent = async (user: TestUser, input?: object) => (await app.query(user, 'messages.sent', input)).data

  test('are listed in pages, newest first, with target, token and counts; those of other users are not', async () => {
    const user = await userWithPhone()
    const [editors, script] = await Promise.all([
      app.tokenOf(user.id, { name: 'editors' }),
      app.tokenOf(user.id, { name: 'script' }),
    ])
    const stranger = await app.user()
    await app.send(await app.tokenOf(stranger.id), { ...hello, userId: user.id })
    await app.send(editors, { ...hello, title: 'to one', category: 'orders' })
    await app.send(script, { ...hello, title: 'to some', userIds: [user.id, stranger.id] })
    await app.send(editors, { ...hello, title: 'to a topic', topic: 'nobody-here' })
    const all = await app.send(script, { ...hello, title: 'to all', all: true })
    await app.completed(script, all.data.id)
    await app.send(script, { silent: true, data: { a: 1 } })

    const first = await sent(user, { limit: 3 })
    const rest = await sent(user, { limit: 3, cursor: first.nextCursor })
    expect(rest.nextCursor).toBeNull()
    expect([...first.items, ...rest.items]).toMatchObject([
      { title: null, body: null, target: 'user', tokenName: 'script' },
      { title: 'to all', target: 'all', topic: null, tokenName: 'script', status: 'completed' },
      { title: 'to a topic', target: 'topic', topic: 'nobody-here', tokenName: 'editors' },
      { title: 'to some', target: 'users', tokenName: 'script' },
      { title: 'to one', target: 'user', category: 'orders', sent: 1, audience: { ios: 1 }, body: 'World' },
    ])
    expect((await sent(stranger)).items).toHaveLength(1)
    const { rows } = await app.db.query(`SELECT audience FROM push_messages WHERE audience ? 'userIds'`)
    expect(rows).toEqual([])
    expect(codeOf(await app.query(user, 'messages.sent', { cursor: 'x' }))).toBe('BAD_REQUEST')
  })

  test('are filtered by status and by part of their title, page by page', async () => {
    const user = await userWithPhone()
    const token = await app.tokenOf(user.id)
    const titles = async (input: object) =>
      (await sent(user, input)).items.map(({ title }: { title: string | null }) => title)
    await app.send(token, { silent: true, data: { a: 1 } })
    await app.send(token, { ...hello, title: 'CAFE\u0301 opens' })
    app.apns.faults.add({ device: user.device, do: { kind: 'reject', reason: 'PayloadEmpty' } })
    await app.send(token, { ...hello, title: 'refused' })
    app.apns.faults.reset()
    await app.send(token, { ...hello, title: 'planned', sendAt: tomorrow() })
    const stopped = await app.send(token, { ...hello, title: 'stopped', all: true, sendAt: tomorrow() })
    await app.mutate(user, 'messages.cancel', { messageId: stopped.data.id })
    const waiting = await app.send(token, { ...hello, title: 'waiting', userIds: [user.id] })
    await app.completed(token, waiting.data.id)
    await app.db.query(`UPDATE push_messages SET status = 'sending', completed_at = NULL WHERE id = $1`, [
      waiting.data.id,
    ])
    const sums = {
      scheduled: ['planned'],
      sending: ['waiting'],
      completed: ['refused', 'CAFE\u0301 opens', null],
      failed: ['refused'],
      cancelled: ['stopped'],
    }
    for (const [status, expected] of Object.entries(sums)) expect(await titles({ status })).toEqual(expected)
    expect(await titles({ query: ' café ' })).toEqual(['CAFE\u0301 opens'])
    expect(await titles({ query: 'ed', status: 'completed' })).toEqual(['refused'])
    expect(await titles({ query: ' ' })).toHaveLength(6)
    const first = await sent(user, { status: 'completed', limit: 2 })
    expect(await titles({ status: 'completed', cursor: first.nextCursor })).toEqual([null])
    for (const input of [{ status: 'queued' }, { query: 'x'.repeat(101) }])
      expect(codeOf(await app.query(user, 'messages.sent', input))).toBe('BAD_REQUEST')
  })

  test('have their content and the recipient of a message to one user in messages.status', async () => {
    const [user, stranger] = await Promise.all([app.user(), app.user()])
    const token = await app.tokenOf(user.id)
    const status = async (sent: object) => {
      const { data } = await app.send(token, { ...hello, ...sent })
      return (await app.query(user, 'messages.status', { messageId: data.id })).data
    }
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    const options = { link: 'https://example.com/1', data: { a: 1 }, badge: 3 }
    const defaults = { category: 'general', ttlSeconds: 86_400, priority: 'high' }
    expect(await status({ ...options, userId: stranger.id })).toMatchObject({
      content: { ...hello, ...options, ...defaults },
      userId: stranger.id,
    })
    expect(await status({})).toMatchObject({ content: { ...hello, ...defaults }, userId: user.id })
    expect(await status({ userId: stranger.id, sendAt })).toMatchObject({ userId: stranger.id })
    expect(await status({ userIds: [user.id, stranger.id] })).toMatchObject({ userId: null })
    expect(await status({ all: true, sendAt })).toMatchObject({ userId: null })
  })

  test('name the recipient of a message to one user only to that user and to administrators', async () => {
    const [user, stranger] = await Promise.all([app.user(), app.user()])
    const token = await app.tokenOf(user.id)
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    for (const target of [{}, { userId: stranger.id }, { userId: stranger.id, sendAt }, { all: true }])
      await app.send(token, { ...hello, ...target })
    const recipients = async () =>
      (await sent(user)).items.map(({ recipient }: { recipient: unknown }) => recipient)
    const recipientOf = ({ id, email }: TestUser) => ({ id, email, name: null })
    expect(await recipients()).toEqual([null, null, null, recipientOf(user)])
    await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [user.id])
    expect(await recipients()).toEqual([
      recipientOf(stranger),
      null,
      recipientOf(stranger),
      recipientOf(user),
    ])
  })

  test('show why devices failed, counted by reason', async () => {
    const user = await app.user()
    const { tokens } = await seedDevices(app.db, 3, { userId: user.id, platform: 'ios' })
    app.apns.faults.add({ device: tokens[0]!, do: { kind: 'reject', reason: 'BadPriority' } })
    app.apns.faults.add({ do: { kind: 'reject', reason: 'PayloadEmpty' } })
    const { data } = await app.send(await app.tokenOf(user.id), hello)
    expect((await app.query(user, 'messages.failures', { messageId: data.id })).data.items).toEqual([
      { platform: 'ios', reason: 'PayloadEmpty', count: 2 },
      { platform: 'ios', reason: 'BadPriority', count: 1 },
    ])
  })

  test('show when results were recorded: the sums equal the counts, and include failures by cancellation', async () => {
    const user = await app.user()
    const { tokens } = await seedDevices(app.db, 4, { userId: user.id, platform: 'ios' })
    app.apns.faults.add({ device: tokens[0]!, do: { kind: 'reject', reason: 'PayloadEmpty' } })
    app.apns.faults.add({ device: tokens[1]!, do: { kind: 'reject', reason: 'TooManyRequests' } })
    const token = await app.tokenOf(user.id)
    const startedAt = Date.now()
    const { data } = await app.send(token, { ...hello, userIds: [user.id] })
    await until('three are recorded', async () => {
      const [item] = (await sent(user)).items
      return item.sent === 2 && item.failed === 1
    })
    await app.mutate(user, 'messages.cancel', { messageId: data.id })
    const { minutes, items } = (await app.query(user, 'messages.timeline', { messageId: data.id })).data
    expect(minutes).toBe(1)
    const sum = (name: string) =>
      items.reduce((total: number, item: Record<string, number>) => total + item[name]!, 0)
    expect([sum('sent'), sum('failed'), sum('removed')]).toEqual([2, 2, 0])
    for (const { at } of items) {
      expect(Date.parse(at) % 60_000).toBe(0)
      expect(Date.parse(at)).toBeGreaterThan(startedAt - 120_000)
      expect(Date.parse(at)).toBeLessThan(Date.now() + 60_000)
    }
    const direct = await app.send(token, hello)
    const nothing = (await app.query(user, 'messages.timeline', { messageId: direct.data.id })).data
    expect(nothing).toEqual({ minutes: 1, items: [] })
  })

  test('can be canceled until they are completed, and the audit log records it', async () => {
    const user = await userWithPhone()
    const token = await app.tokenOf(user.id)
    const { data } = await app.send(token, { ...hello, sendAt: tomorrow() })
    const cancel = (messageId: string) => app.mutate(user, 'messages.cancel', { messageId })
    for (let n = 0; n < 2; n++)
      expect((await cancel(data.id)).data).toMatchObject({ status: 'cancelled', sent: 0 })
    expect(await audit('push.cancelled', user.id)).toMatchObject([
      { actor: `user:${user.id}`, subject_id: data.id },
    ])
    const completed = await app.send(token, hello)
    expect(codeOf(await cancel(completed.data.id))).toBe('CONFLICT')
  })

  test('are hidden from other users', async () => {
    const [owner, other] = [await app.user(), await app.user()]
    const { data } = await app.send(await app.tokenOf(owner.id), { ...hello, sendAt: tomorrow() })
    for (const messageId of [data.id, randomUUID(), 'no id']) {
      expect(codeOf(await app.query(other, 'messages.failures', { messageId }))).toBe('NOT_FOUND')
      expect(codeOf(await app.query(other, 'messages.timeline', { messageId }))).toBe('NOT_FOUND')
      expect(codeOf(await app.mutate(other, 'messages.cancel', { messageId }))).toBe('NOT_FOUND')
    }
    expect((await sent(owner)).items).toMatchObject([{ status: 'scheduled' }])
  })
})

describe('a test message', () => {
  const sendTest = (user: TestUser | null, input: object = hello) =>
    app.mutate(user, 'messages.sendTest', input)

  test('reaches the user’s own devices without a push token, is in the inbox and the audit log, and is not a broadcast', async () => {
    const [user, other] = [await userWithPhone(), await userWithPhone()]
    const translations = { de: { title: 'Hallo', body: 'Welt' } }
    const here = { ...user, headers: { ...user.headers, [CLIENT_ADDRESS_HEADER]: '192.0.2.1' } }
    const { data } = await sendTest(here, {
      ...hello,
      subtitle: 's',
      translations,
      link: 'https://a.example',
    })
    expect(data).toMatchObject({ status: 'completed', audience: { ios: 1 }, sent: 1, failures: [] })
    expect(app.apns.requestLog.countOf(user.device)).toBe(1)
    expect(app.apns.requestLog.countOf(other.device)).toBe(0)
    expect((await app.query(user, 'messages.list')).data.items[0]).toMatchObject({
      id: data.id,
      broadcast: false,
    })
    expect((await app.query(user, 'messages.sent')).data.items).toEqual([])
    expect(await audit('push.sent', user.id)).toEqual([
      {
        actor: `user:${user.id}`,
        subject_id: data.id,
        address: '192.0.2.1',
        details: { userId: user.id, category: 'general', test: true },
      },
    ])
  })

  test('reports failures, and respects the user’s preferences', async () => {
    const user = await userWithPhone()
    app.apns.faults.add({ device: user.device, do: { kind: 'reject', reason: 'PayloadEmpty' } })
    expect((await sendTest(user)).data).toMatchObject({ failed: 1, failures: [{ reason: 'PayloadEmpty' }] })
    await app.mutate(user, 'preferences.update', { mutedCategories: ['orders'] })
    expect((await sendTest(user, { ...hello, category: 'orders' })).data).toMatchObject({
      audience: { ios: 0 },
    })
  })

  test('goes only to its user, whatever the request asks for', async () => {
    const user = await app.user()
    for (const target of [{ all: true }, { userId: user.id }, { userIds: [user.id] }, { topic: 'a' }])
      expect(codeOf(await sendTest(user, { ...hello, ...target }))).toBe('BAD_REQUEST')
    for (const wrong of [{ title: 'x' }, { ...hello, sendAt: tomorrow() }, { silent: true }])
      expect(codeOf(await sendTest(user, wrong))).toBe('BAD_REQUEST')
    expect(codeOf(await sendTest(user, { ...hello, link: 'https://a.example', data: { link: 1 } }))).toBe(
      'BAD_REQUEST',
    )
    expect(codeOf(await sendTest(user, { ...hello, body: 'x'.repeat(5000) }))).toBe('PAYLOAD_TOO_LARGE')
    expect(codeOf(await sendTest(null))).toBe('UNAUTHORIZED')
  })

  test(`can be sent ${TESTS_PER_MINUTE} times a minute`, async () => {
    const [user, other] = [await app.user(), await app.user()]
    const codes = []
    for (let n = 0; n <= TESTS_PER_MINUTE; n++) codes.push(codeOf(await sendTest(user)))
    expect(codes).toEqual([...Array(TESTS_PER_MINUTE).fill(undefined), 'TOO_MANY_REQUESTS'])
    expect((await sendTest(other)).status).toBe(200)
  })
})

describe('message templates', () => {
  const list = async (user: TestUser) => (await app.query(user, 'templates.list')).data.items
  const save = (user: TestUser | null, name: string, content: object = hello) =>
    app.mutate(user, 'templates.save', { name, content })

  test('are sorted by name, can be replaced and removed, and are hidden from other users', async () => {
    const [user, other] = [await app.user(), await app.user()]
    await save(user, 'Parcel', { ...hello, data: { orderId: '42' }, topic: 'news' })
    await save(user, ' Alarm ', {})
    await save(other, 'Parcel')
    expect((await save(user, 'Parcel', { title: 'New' })).data).toEqual({ success: true })
    expect(await list(user)).toEqual([
      { name: 'Alarm', content: {}, updatedAt: expect.any(String) },
      { name: 'Parcel', content: { title: 'New' }, updatedAt: expect.any(String) },
    ])
    for (let n = 0; n < 2; n++)
      expect((await app.mutate(user, 'templates.remove', { name: 'Parcel' })).data).toEqual({ success: true })
    expect(await list(user)).toMatchObject([{ name: 'Alarm' }])
    expect(await list(other)).toMatchObject([{ name: 'Parcel', content: hello }])
    expect(codeOf(await save(null, 'a'))).toBe('UNAUTHORIZED')
  })

  test(`are limited to ${MAX_TEMPLATES_PER_USER}, even when many are saved in parallel`, async () => {
    const user = await app.user()
    await app.db.query(
      `INSERT INTO message_templates (user_id, name, content) SELECT $1, 'n' || n, '{}' FROM generate_series(1, $2) n`,
      [user.id, MAX_TEMPLATES_PER_USER - 1],
    )
    const names = Array.from({ length: 16 }, (_, n) => `new ${n}`)
    const codes = await Promise.all(names.map(async (name) => codeOf(await save(user, name))))
    expect(codes.filter((code) => code === 'BAD_REQUEST')).toHaveLength(15)
    expect((await save(user, 'n1', { title: 'replaced' })).status).toBe(200)
    expect(await list(user)).toHaveLength(MAX_TEMPLATES_PER_USER)
  })

  test('accept the content of a push up to a small size', async () => {
    const user = await app.user()
    for (const content of [
      { all: true },
      { badge: -1 },
      { body: 'x'.repeat(8200) },
      { link: 'javascript:x' },
    ])
      expect(codeOf(await save(user, 'a', content))).toBe('BAD_REQUEST')
    for (const name of ['', ' ', 'x'.repeat(101)]) expect(codeOf(await save(user, name))).toBe('BAD_REQUEST')
    expect(await list(user)).toEqual([])
  })

  test('and read marks are deleted with the account, or when another user verifies its email', async () => {
    const [deleted, taken] = [await app.user(), await app.user()]
    for (const user of [deleted, taken]) {
      await save(user, 'mine')
      const { data } = await app.send(await app.tokenOf(user.id), hello)
      await app.mutate(user, 'messages.markRead', { messageId: data.id })
    }
    // The session of a call that is in progress during the takeover.
    const session = await sessionOf(app.services, taken.headers)
    await app.services.accountDeletion.deleteAccount(deleted.id, 'test')
    const db = createDb(app.config.databaseUrl, 1)
    await saveUser(db, { email: taken.email, passwordHash: 'hash' })
    await db.close()
    for (const table of ['message_templates', 'inbox_marks']) {
      const { rows } = await app.db.query(`SELECT user_id FROM ${table} WHERE user_id = ANY ($1)`, [
        [deleted.id, taken.id],
      ])
      expect(rows).toEqual([])
    }
    const late = app.services.push.templates.save(session, { name: 'late', content: {} })
    await expect(late).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

test('the audit log records subscription changes by scripts, not by the user', async () => {
  const [owner, user] = [await app.user(), await app.user()]
  const token = await app.createToken({ userId: owner.id, name: 'ci' })
  const bearers = [
    [token.data.token, `token:${token.data.id}`],
    [ADMIN_SECRET, 'admin'],
  ] as const
  const entries = []
  for (const [bearer, actor] of bearers) {
    // The second call of each pair changes nothing.
    for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE'] as const)
      expect((await app.topicUser(method, bearer, 'news', user.id)).status).toBe(204)
    entries.push({ actor, subject_id: null, address: '192.0.2.1', details: { topic: 'news' } })
  }
  await app.mutate(user, 'topics.subscribe', { topic: 'news' })
  await app.mutate(user, 'topics.unsubscribe', { topic: 'news' })
  expect(await audit('topic.subscribed', user.id)).toEqual(entries)
  expect(await audit('topic.unsubscribed', user.id)).toEqual(entries)
})
