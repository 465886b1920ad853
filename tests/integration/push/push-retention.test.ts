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
  const other = await app.replica()
  const removed = await Promise.all([app, other].map((a) => a.services.push.retention.run()))
  const sum = (kind: 'messages' | 'keys' | 'audit') => removed[0]![kind] + removed[1]![kind]
  expect([sum('messages'), sum('keys'), sum('audit')]).toEqual([1, 1, 2])
  expect((await app.message(token, old)).status).toBe(404)
  expect((await app.message(token, fresh)).status).toBe(200)
  expect((await app.message(token, unfinished)).status).toBe(200)
})
