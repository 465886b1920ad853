import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveUser } from '../../../src/server/adapters/postgres/accounts/save-user.ts'
import { takeEmail } from '../../../src/server/adapters/postgres/accounts/take-email.ts'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { USERS_PER_STATEMENT } from '../../../src/server/adapters/postgres/push/broadcasts/audience-chunks.ts'
import { MAX_TOPICS_PER_USER } from '../../../src/server/domain/push/topics/topics.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { until } from '../../support/until.ts'
import { createUser, type TestUser } from '../../support/users.ts'
import { waitingLocks } from '../../support/waiting-locks.ts'

const hello = { title: 'Hello', body: 'World' }

let app: PushApp
let owner: TestUser
let token: string

// Without workers, accepted pushes wait until a test starts one.
beforeAll(async () => {
  app = await startPushApp({ idle: true })
  owner = await app.user()
  token = await app.tokenOf(owner.id)
})
afterAll(() => app.close())

let topics = 0
const newTopic = () => `topic-${topics++}`
const subscribe = (user: TestUser, topic: string) => app.mutate(user, 'topics.subscribe', { topic })
const topicsOf = async (user: TestUser) =>
  (await app.query(user, 'topics.list')).data.items.map((item: { topic: string }) => item.topic)
const send = (topic: string, more: object = {}) => app.send(token, { ...hello, topic, ...more })
const copies = (tokens: string[]) => tokens.map((t) => app.apns.requestLog.countOf(t))

/** Creates a user with one iPhone. */
async function subscriber(topic?: string): Promise<TestUser & { device: string }> {
  const user = await app.user()
  const { tokens } = await seedDevices(app.db, 1, { userId: user.id, platform: 'ios' })
  if (topic !== undefined) await subscribe(user, topic)
  return { ...user, device: tokens[0]! }
}

/** Creates users with one iPhone each. */
const seedSubscribers = (topic: string, count: number) =>
  app.db.query(
    `WITH made AS (
       INSERT INTO users (id, email) SELECT id, id || '@example.com'
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $2)) u RETURNING id),
     subscribed AS (INSERT INTO topic_subscriptions (topic, user_id) SELECT $1, id FROM made)
     INSERT INTO devices (id, user_id, platform, token, token_hash)
     SELECT gen_random_uuid(), id, 'ios', encode(sha256(id::text::bytea), 'hex'), encode(sha256(id::text::bytea), 'hex') FROM made`,
    [topic, count],
  )

test('a user can subscribe, list and unsubscribe repeatedly', async () => {
  const user = await app.user()
  for (const topic of ['news', 'news', 'A.z_0~-']) expect((await subscribe(user, topic)).status).toBe(200)
  expect(await topicsOf(user)).toEqual(['A.z_0~-', 'news'])
  for (let n = 0; n < 2; n++)
    expect((await app.mutate(user, 'topics.unsubscribe', { topic: 'news' })).data).toEqual({ success: true })
  expect(await topicsOf(user)).toEqual(['A.z_0~-'])
})

test('topics have 1 to 100 characters', async () => {
  const user = await app.user()
  const longest = 'a'.repeat(100)
  expect((await subscribe(user, longest)).status).toBe(200)
  expect((await send(longest, { dryRun: true })).status).toBe(200)
  expect((await app.topicUser('PUT', token, longest, user.id)).status).toBe(204)
  for (const topic of [`${longest}a`, '', 'a b', 'ä', 'a/b']) {
    expect((await subscribe(user, topic)).status).toBe(400)
    expect((await send(topic)).status).toBe(400)
    expect((await app.topicUser('PUT', token, topic, user.id)).status).toBe(400)
  }
})

test(`a user can have at most ${MAX_TOPICS_PER_USER} topics`, async () => {
  const user = await app.user()
  await app.db.query(
    `INSERT INTO topic_subscriptions (topic, user_id) SELECT 'n' || n, $1 FROM generate_series(1, $2) n`,
    [user.id, MAX_TOPICS_PER_USER],
  )
  expect((await subscribe(user, 'n1')).status).toBe(200)
  expect((await subscribe(user, 'one-more')).status).toBe(400)
  expect((await app.topicUser('PUT', token, 'one-more', user.id)).status).toBe(400)
})

test('scripts subscribe users only with the scope broadcast or the admin secret', async () => {
  const user = await app.user()
  const topic = newTopic()
  for (const bearer of [token, ADMIN_SECRET]) {
    for (let n = 0; n < 2; n++) expect((await app.topicUser('PUT', bearer, topic, user.id)).status).toBe(204)
    expect(await topicsOf(user)).toEqual([topic])
    for (let n = 0; n < 2; n++)
      expect((await app.topicUser('DELETE', bearer, topic, user.id)).status).toBe(204)
    expect(await topicsOf(user)).toEqual([])
  }
  const users = await app.tokenOf(owner.id, { scopes: ['self', 'users'] })
  for (const method of ['PUT', 'DELETE'] as const) {
    expect((await app.topicUser(method, users, topic, user.id)).status).toBe(403)
    expect((await app.topicUser(method, undefined, topic, user.id)).status).toBe(401)
    expect((await app.topicUser(method, `ph_${'x'.repeat(43)}`, topic, user.id)).status).toBe(401)
    for (const unknown of [randomUUID(), 'nobody'])
      expect((await app.topicUser(method, token, topic, unknown)).status).toBe(404)
  }
  expect((await app.send(users, { ...hello, topic })).status).toBe(403)
})

test('a topic together with a second target returns 400', async () => {
  for (const second of [{ userId: owner.id }, { userIds: [owner.id] }, { all: true }])
    expect((await send('news', second)).status).toBe(400)
  expect((await send(newTopic(), { all: false })).status).toBe(202)
})

test('a push goes to those subscribed when it was accepted: later subscribers miss it, users who leave still get it', async () => {
  const topic = newTopic()
  const [early, leaving, muted, off, disabled] = await Promise.all(
    Array.from({ length: 5 }, () => subscriber(topic)),
  )
  const late = await subscriber()
  await app.mutate(muted!, 'preferences.update', { mutedCategories: ['sport'] })
  await app.mutate(off!, 'preferences.update', { pushEnabled: false })
  await app.db.query(`UPDATE users SET disabled_at = now() WHERE id = $1`, [disabled!.id])
  const dry = await send(topic, { category: 'sport', dryRun: true })
  expect(dry.data.audience).toEqual({ ios: 2, android: 0, web: 0 })
  const { status, data } = await send(topic, { category: 'sport' })
  expect(status).toBe(202)
  expect(data.status).toBe('queued')
  await subscribe(late, topic)
  await app.mutate(leaving!, 'topics.unsubscribe', { topic })
  const worker = await app.replica()
  await worker.services.start()
  expect(await app.completed(token, data.id)).toMatchObject({
    audience: { ios: 2, android: 0 },
    sent: 2,
    failed: 0,
  })
  const all = [early!, leaving!, muted!, off!, disabled!, late]
  expect(copies(all.map((u) => u.device))).toEqual([1, 1, 0, 0, 0, 0])
  const inbox = async (user: TestUser) => (await app.query(user, 'messages.list')).data.items
  expect(await inbox(early!)).toMatchObject([{ id: data.id, title: 'Hello', broadcast: false }])
  expect(await inbox(late)).toEqual([])
  await worker.services.drain()
})

test('topics can have no subscribers, one, or more than fit in a chunk', async () => {
  const [one, many] = [newTopic(), newTopic()]
  const user = await subscriber(one)
  await seedSubscribers(many, 700)
  const worker = await app.replica()
  await worker.services.start()
  const audiences = []
  for (const topic of [one, newTopic(), many]) {
    const { data } = await send(topic)
    const { audience, sent, failed } = await app.completed(token, data.id)
    expect([sent, failed]).toEqual([audience.ios, 0])
    audiences.push(audience.ios)
  }
  expect(audiences).toEqual([1, 0, 700])
  expect(copies([user.device])).toEqual([1])
  await worker.services.drain()
})

test('stopping the process interrupts the planning of a large topic, which another one starts over', async () => {
  const topic = newTopic()
  await seedSubscribers(topic, 2 * USERS_PER_STATEMENT + 1)
  const stopping = await app.replica()
  // The first page waits until the process stops.
  const client = await app.db.connect()
  await client.query('BEGIN; LOCK TABLE push_recipients IN SHARE ROW EXCLUSIVE MODE')
  const sent = stopping.send(token, { ...hello, topic })
  await until('it is planned', async () => (await waitingLocks(app.db, 'push_recipients')) === 1)
  const closed = stopping.services.push.scheduler.close()
  await client.query('ROLLBACK')
  client.release()
  await closed
  const { status, data } = await sent
  expect(status).toBe(202)
  expect((await app.message(token, data.id)).data.audience.ios).toBe(0)
  await app.services.push.scheduler.run()
  expect((await app.message(token, data.id)).data.audience.ios).toBe(2 * USERS_PER_STATEMENT + 1)
})

test('while a topic is planned, its subscribers can be deleted or verify an email, and no inbox shows the message', async () => {
  const topic = newTopic()
  const [deleted, verified, other] = [
    await subscriber(topic),
    await subscriber(topic),
    await subscriber(topic),
  ]
  await app.db.query('UPDATE users SET claimed_email = email, email = NULL WHERE id = $1', [verified.id])
  const worker = await app.replica()
  // The plan has written its recipients and waits for the lock.
  const client = await app.db.connect()
  await client.query('BEGIN; LOCK TABLE push_message_chunks IN SHARE ROW EXCLUSIVE MODE')
  const sent = send(topic)
  const inbox = async () => (await app.query(other, 'messages.list')).data.items
  try {
    await until('it is planned', async () => (await waitingLocks(app.db, 'push_message_chunks')) === 1)
    // Without waiting, because a plan that waits for too long fails, which ends its locks.
    const locked = 'SELECT FROM users WHERE id = ANY ($1) FOR UPDATE NOWAIT'
    expect((await app.db.query(locked, [[deleted.id, verified.id]])).rowCount).toBe(2)
    await app.services.accountDeletion.deleteAccount(deleted.id, 'test')
    const db = createDb(app.config.databaseUrl, 1)
    expect(await db.transaction((tx, sql) => takeEmail(tx, sql, verified.id, new Date()))).toBe(true)
    await db.close()
    expect(await inbox()).toEqual([])
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  const { data } = await sent
  await worker.services.start()
  expect(await app.completed(token, data.id)).toMatchObject({ audience: { ios: 2 }, sent: 2, failed: 0 })
  expect(copies([deleted.device, verified.device, other.device])).toEqual([0, 1, 1])
  expect(await inbox()).toMatchObject([{ id: data.id }])
  await worker.services.drain()
})

// A single statement for 400,000 users once exceeded the statement timeout, and the push was rejected.
test('a push to any number of users is planned by short statements, each user once', async () => {
  const topic = newTopic()
  const users = 2 * USERS_PER_STATEMENT + 1
  await seedSubscribers(topic, users)
  await app.db.query(`
    DROP TABLE IF EXISTS planned;
    CREATE TABLE planned (users int);
    CREATE OR REPLACE FUNCTION note_planned() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO planned SELECT count(*) FROM added; RETURN NULL; END';
    CREATE OR REPLACE TRIGGER note_planned AFTER INSERT ON push_recipients
      REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_planned()`)
  const { status, data } = await send(topic)
  expect(status).toBe(202)
  await until('it is planned', async () => (await app.message(token, data.id)).data.audience.ios > 0)
  const { rows: statements } = await app.db.query('SELECT users FROM planned ORDER BY users DESC')
  expect(statements.map((row) => row.users)).toEqual([USERS_PER_STATEMENT, USERS_PER_STATEMENT, 1])
  const { rows } = await app.db.query(
    `SELECT count(*)::int AS planned, count(DISTINCT device)::int AS devices
     FROM push_message_chunks, unnest(device_ids) AS device WHERE message_id = $1`,
    [data.id],
  )
  expect(rows).toEqual([{ planned: users, devices: users }])
  expect((await app.message(token, data.id)).data.audience).toEqual({ ios: users, android: 0, web: 0 })
  await app.db.query('DROP TRIGGER note_planned ON push_recipients')
  await app.cancel(token, data.id)
})

test('an account that is deleted or taken over loses its subscriptions', async () => {
  const topic = newTopic()
  const [deleted, taken] = [await app.user(), await createUser(app.services)]
  for (const user of [deleted, taken]) await subscribe(user, topic)
  await app.services.accountDeletion.deleteAccount(deleted.id, 'test')
  const db = createDb(app.config.databaseUrl, 1)
  // The operator vouches for an email that no one has verified.
  await saveUser(db, { email: taken.email, passwordHash: 'hash' })
  await db.close()
  const { rows } = await app.db.query(`SELECT user_id FROM topic_subscriptions WHERE topic = $1`, [topic])
  expect(rows).toEqual([])
})
