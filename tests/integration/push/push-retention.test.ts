import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'

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
  const removed = await Promise.all([app, other].map((a) => a.services.push.retention.run()))
  const sum = (kind: 'messages' | 'keys' | 'audit' | 'failures' | 'movedDevices') =>
    removed[0]![kind] + removed[1]![kind]
  expect([sum('messages'), sum('keys'), sum('audit')]).toEqual([1, 1, 2])
  expect([sum('failures'), sum('movedDevices')]).toEqual([1, 1])
  expect((await app.message(token, old)).status).toBe(404)
  expect((await app.message(token, fresh)).status).toBe(200)
  expect((await app.message(token, unfinished)).status).toBe(200)
})
