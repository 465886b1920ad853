import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createSweepRepo } from '../../../src/server/adapters/postgres/push/sweep-repo.ts'
import { KEEP_AUDIT } from '../../../src/server/domain/push/sweeper.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'
import { limitRows } from '../../support/limit-rows.ts'

let app: PushApp

beforeAll(async () => {
  app = await startPushApp({ idle: true })
})
afterAll(() => app.close())

test('retention removes old completed messages, keys older than a day and old audit entries, and nothing else', async () => {
  const token = await app.tokenOf((await app.user()).id)
  const send = async (key: string) =>
    (await app.send(token, { title: 't', body: 'b' }, { 'idempotency-key': key })).data.id
  const [old, fresh, unfinished] = [await send('old'), await send('fresh'), await send('unfinished')]
  await app.db.query(`UPDATE push_messages SET created_at = now() - interval '36 days' WHERE id = ANY ($1)`, [
    [old, unfinished],
  ])
  await app.db.query(`UPDATE push_messages SET status = 'sending' WHERE id = $1`, [unfinished])
  await app.db.query(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'old'`)
  await app.db.query(
    `INSERT INTO audit_entries (id, at, action) VALUES (gen_random_uuid(), now() - interval '401 days', 'x'),
       (gen_random_uuid(), now() - interval '36 days', 'push.sent'), (gen_random_uuid(), now() - interval '36 days', 'x')`,
  )
  await app.db.query(
    `INSERT INTO push_failures (message_id, device_id, platform, reason, at)
     SELECT $1, gen_random_uuid(), 'ios', 'r', now() - d * interval '1 day' FROM unnest('{6,8}'::int[]) AS d`,
    [fresh],
  )
  const { id: userId } = await app.user()
  await app.db.query(
    `INSERT INTO moved_devices (user_id, device_id, platform, token_hash, token_suffix, environment, created_at,
       last_seen_at, moved_at)
     SELECT $1, gen_random_uuid(), 'ios', 'h', 's', 'production', now(), now(), now() - d * interval '1 day'
     FROM unnest('{29,31}'::int[]) AS d`,
    [userId],
  )
  const other = await app.replica()
  const removed = await Promise.all([app, other].map((a) => a.services.push.sweeper.run()))
  const sum = (kind: 'messages' | 'keys' | 'audit' | 'failures' | 'movedDevices') =>
    removed[0]![kind] + removed[1]![kind]
  expect([sum('messages'), sum('keys'), sum('audit')]).toEqual([1, 1, 2])
  expect([sum('failures'), sum('movedDevices')]).toEqual([1, 1])
  expect((await app.message(token, old)).status).toBe(404)
  expect((await app.message(token, fresh)).status).toBe(200)
  expect((await app.message(token, unfinished)).status).toBe(200)
})

test('retention deletes recipients in statements of limited size, and continues after a step that failed', async () => {
  const token = await app.tokenOf((await app.user()).id)
  const { data } = await app.send(token, { title: 't', body: 'b' }, { 'idempotency-key': 'many' })
  await app.db.query(
    `WITH many AS (
       INSERT INTO users (id, email) SELECT gen_random_uuid(), n || '@many.example' FROM generate_series(1, 5000) AS n
       RETURNING id)
     INSERT INTO push_recipients (user_id, message_id) SELECT id, $1 FROM many`,
    [data.id],
  )
  await app.db.query(`UPDATE push_messages SET created_at = now() - interval '36 days' WHERE id = $1`, [
    data.id,
  ])
  // Enough older messages to fill the first batch.
  await app.db.query(
    `INSERT INTO push_messages (id, user_id, category, content, status, created_at, expires_at, completed_at)
     SELECT gen_random_uuid(), user_id, category, content, status, now() - interval '37 days', expires_at, completed_at
     FROM push_messages, generate_series(1, 2000) WHERE id = $1`,
    [data.id],
  )
  await app.db.query(
    `UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'many'`,
  )
  onTestFinished(await limitRows(app.db, 'DELETE', 'push_recipients'))
  await app.db.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cannot delete'; END $$;
    CREATE TRIGGER fail BEFORE DELETE ON push_messages FOR EACH ROW EXECUTE FUNCTION fail()`)
  onTestFinished(async () => {
    await app.db.query('DROP FUNCTION fail CASCADE')
  })
  await expect(app.services.push.sweeper.run()).rejects.toThrow('cannot delete')
  expect((await app.db.query(`SELECT 1 FROM idempotency_keys WHERE key = 'many'`)).rowCount).toBe(0)
  await app.db.query('DROP TRIGGER fail ON push_messages')
  expect(await app.services.push.sweeper.run()).toMatchObject({ messages: 2_001 })
  const { rowCount: recipients } = await app.db.query('SELECT 1 FROM push_recipients')
  expect(recipients).toBe(0)
})

test('retention ends at shutdown after the statement in progress, also within a message with many recipients', async () => {
  const other = await app.replica()
  const { id: userId } = await app.user()
  const token = await app.tokenOf(userId)
  const { data } = await app.send(token, { title: 't', body: 'b' }, { 'idempotency-key': 'stopped' })
  await app.db.query(`UPDATE push_messages SET created_at = now() - interval '36 days' WHERE id = $1`, [
    data.id,
  ])
  await app.db.query(
    `WITH many AS (
       INSERT INTO users (id, email) SELECT gen_random_uuid(), n || '@stopped.example' FROM generate_series(1, 5000) AS n
       RETURNING id)
     INSERT INTO push_recipients (user_id, message_id) SELECT id, $1 FROM many`,
    [data.id],
  )
  const round = other.services.push.sweeper.run()
  await other.services.push.sweeper.close()
  expect(await round).toMatchObject({ messages: 0 })
  const left = async () =>
    (await app.db.query('SELECT 1 FROM push_recipients WHERE message_id = $1', [data.id])).rowCount
  expect(await left()).toBe(3_000)
  expect(await app.services.push.sweeper.run()).toMatchObject({ messages: 1 })
  expect(await left()).toBe(0)
})

/** Inserts entries with ascending IDs, which are returned. */
async function insertAudit(userId: string | null, action: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await app.db.query('INSERT INTO audit_entries (id, user_id, action) SELECT unnest($1::uuid[]), $2, $3', [
    ids,
    userId,
    action,
  ])
  return ids
}

async function auditIds(userId: string | null): Promise<string[]> {
  const query = 'SELECT id FROM audit_entries WHERE user_id IS NOT DISTINCT FROM $1 ORDER BY id'
  return (await app.db.query(query, [userId])).rows.map(({ id }) => id)
}

test('retention keeps the newest 10,000 audit entries of each action of a user', async () => {
  const [busy, calm] = [randomUUID(), randomUUID()]
  const signIn = await insertAudit(busy, 'session.created', 1)
  const revoked = await insertAudit(busy, 'share.revoked', KEEP_AUDIT.perUser + 5)
  const other = await insertAudit(calm, 'share.revoked', 3)
  expect(KEEP_AUDIT.perUser).toBe(10_000)
  expect(await app.services.push.sweeper.run()).toMatchObject({ audit: 0, excessAudit: 5 })
  expect(await auditIds(busy)).toEqual([...signIn, ...revoked.slice(5)])
  expect(await auditIds(calm)).toEqual(other)
  expect(await app.services.push.sweeper.run()).toMatchObject({ excessAudit: 0 })
})

test('retention bounds audit entries without a user by action', async () => {
  await app.db.query('DELETE FROM audit_entries')
  const rejections = await insertAudit(null, 'session.refused', 12)
  const called = await insertAudit(null, 'admin.called', 3)
  const ofUser = randomUUID()
  const own = await insertAudit(ofUser, 'session.refused', 12)
  const db = createDb(app.config.databaseUrl, 1)
  onTestFinished(() => db.close())
  const sweeps = createSweepRepo(db)
  const excess = await sweeps.findExcessAudit(new Date(0), { perUser: 100, withoutUser: 10 })
  expect(excess).toEqual([{ userId: null, action: 'session.refused', id: rejections[1] }])
  expect(await sweeps.deleteExcessAudit(excess[0]!, 1)).toBe(1)
  expect(await sweeps.deleteExcessAudit(excess[0]!, 100)).toBe(1)
  expect(await auditIds(null)).toEqual([...rejections.slice(2), ...called])
  expect(await auditIds(ofUser)).toEqual(own)
})
