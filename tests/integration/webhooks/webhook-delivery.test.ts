// Deliveries of events: signed, at least once, retried for 72 hours, and not delayed by another receiver.

import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAddressPolicy } from '../../../src/server/adapters/egress/address-policy.ts'
import { createEgressAgent } from '../../../src/server/adapters/egress/egress-agent.ts'
import { createPost } from '../../../src/server/adapters/egress/post.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { createDeliveryRepo } from '../../../src/server/adapters/postgres/webhooks/delivery-repo.ts'
import { createDeliveryWorker } from '../../../src/server/domain/webhooks/delivery-worker.ts'
import type { DeliveryView } from '../../../src/server/domain/webhooks/schema.ts'
import { startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { explainer } from '../../support/explain.ts'
import { limitRows } from '../../support/limit-rows.ts'
import { until } from '../../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver, writeEvents } from '../../support/webhook-receiver.ts'

const BY = { actor: 'admin', address: null }

let app: TestApp
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  app = await startTestApp({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
  await app.services.start()
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})
afterEach(async () => {
  for (const { id } of await app.services.webhooks.list()) await app.services.webhooks.delete(id)
  expect(receiver.forged).toEqual([])
})

const ONE = { limit: 1, status: undefined, cursor: undefined }
async function latest(webhookId: string): Promise<DeliveryView> {
  const { items } = await app.services.webhooks.deliveries(webhookId, ONE)
  return items[0]!
}
async function settled(webhookId: string, attempts: number): Promise<DeliveryView> {
  await until(`${attempts} attempts`, async () => (await latest(webhookId)).attempts === attempts)
  return latest(webhookId)
}
/** Lets time pass: moves all times of the deliveries into the past. */
const pass = (webhookId: string, time: string) =>
  app.db.query(
    `UPDATE webhook_deliveries SET due_at = due_at - $2::interval, expires_at = expires_at - $2::interval
     WHERE webhook_id = $1`,
    [webhookId, time],
  )

test('an event arrives with its type, time, number and data, and a signature that the receivers’ library accepts', async () => {
  const id = await receiver.subscribe(app.services, '/signed', ['file.ready'])
  await writeEvents(app.db, 'file.ready')
  await until('it arrives', () => receiver.at('/signed').length === 1)
  const [one] = receiver.at('/signed')
  expect(one!.body).toEqual({
    type: 'file.ready',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    sequence: expect.any(Number),
    data: { n: 1, visibility: 'private', url: 'http://app.test/files/undefined' },
  })
  expect(await settled(id, 1)).toMatchObject({
    id: one!.id,
    status: 'delivered',
    sequence: one!.body.sequence,
    httpStatus: 204,
    failure: null,
    nextAttemptAt: null,
  })
})

test('a test event is signed, delivered and listed like any other, marked as test, whatever the webhook subscribes to', async () => {
  const id = await receiver.subscribe(app.services, '/test', ['file.held'])
  const sent = await app.services.webhooks.sendTest(id)
  expect(sent).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0 })
  await until('it arrives', () => receiver.at('/test').length === 1)
  const [one] = receiver.at('/test')
  expect(one).toMatchObject({ id: sent.id, body: { type: 'webhook.test', data: { test: true } } })
  expect(await settled(id, 1)).toMatchObject({ id: sent.id, type: 'webhook.test', status: 'delivered' })
  await app.services.webhooks.update(id, { active: false }, BY)
  await expect(app.services.webhooks.sendTest(id)).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('a webhook gets only events that it subscribes to, and none while it is inactive', async () => {
  const id = await receiver.subscribe(app.services, '/chosen', ['file.deleted', 'push.completed'])
  await writeEvents(app.db, 'file.ready')
  await writeEvents(app.db, 'push.completed')
  await app.services.webhooks.update(id, { active: false }, BY)
  await writeEvents(app.db, 'file.deleted')
  await app.services.webhooks.update(id, { active: true, events: ['device.removed'] }, BY)
  await writeEvents(app.db, 'file.deleted')
  await writeEvents(app.db, 'device.removed')
  await until('two arrive', () => receiver.at('/chosen').length >= 2)
  await until('the last arrives', () =>
    receiver.at('/chosen').some(({ body }) => body.type === 'device.removed'),
  )
  expect(
    receiver
      .at('/chosen')
      .map(({ body }) => body.type)
      .sort(),
  ).toEqual(['device.removed', 'push.completed'])
})

test('two webhooks get the same event with the same ID and number', async () => {
  await receiver.subscribe(app.services, '/twin-1', ['file.ready'])
  await receiver.subscribe(app.services, '/twin-2', ['file.ready'])
  await writeEvents(app.db, 'file.ready')
  await until('both arrive', () => receiver.at('/twin-1').length + receiver.at('/twin-2').length === 2)
  const [[first], [second]] = [receiver.at('/twin-1'), receiver.at('/twin-2')]
  expect(second).toMatchObject({ id: first!.id, body: first!.body })
})

test.each([
  [500, 'answered 500'],
  [404, 'answered 404'],
  [302, 'answered 302: redirects are not followed'],
])('%s is a failure: it is retried later with the same ID and body', async (status, failure) => {
  const path = `/status-${status}`
  const id = await receiver.subscribe(app.services, path, ['file.ready'])
  receiver.answer(path, (response) =>
    response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end(),
  )
  await writeEvents(app.db, 'file.ready')
  const failed = await settled(id, 1)
  expect(failed).toMatchObject({ status: 'pending', httpStatus: status, failure })
  const wait = failed.nextAttemptAt!.getTime() - failed.lastAttemptAt!.getTime()
  expect(wait).toBeGreaterThanOrEqual(2_500)
  expect(wait).toBeLessThanOrEqual(5_000)
  const { lastAttemptAt: at, type } = failed
  expect(await app.services.webhooks.find(id)).toMatchObject({
    failingSince: expect.any(Date),
    retrying: true,
    lastAttempt: { at, type, httpStatus: status, failure },
    recent: { delivered: 0, failed: 0 },
  })

  receiver.answer(path)
  await pass(id, '5 seconds')
  const delivered = await settled(id, 2)
  expect(delivered).toMatchObject({ status: 'delivered', failure: null })
  const [first, second] = receiver.at(path)
  expect(second!.id).toBe(first!.id)
  expect(second!.body).toEqual(first!.body)
  expect(receiver.at('/elsewhere')).toEqual([])
  expect(await app.services.webhooks.find(id)).toMatchObject({
    failingSince: null,
    retrying: false,
    lastAttempt: { at: delivered.lastAttemptAt, type, httpStatus: 204, failure: null },
    recent: { delivered: 1, failed: 0 },
  })
})

test('410 ends the subscription and its pending deliveries', async () => {
  const id = await receiver.subscribe(app.services, '/gone', ['file.ready'])
  receiver.answer('/gone', (response) => response.writeHead(410).end())
  await writeEvents(app.db, 'file.ready', 50)
  await until('it has ended', async () => !(await app.services.webhooks.find(id)).active)
  expect((await app.services.webhooks.find(id)).endedAt).toBeInstanceOf(Date)
  const pending = await app.services.webhooks.deliveries(id, { ...ONE, status: 'pending' })
  expect(pending.items).toEqual([])
  const received = receiver.at('/gone').length
  expect(received).toBeLessThanOrEqual(20)
  await writeEvents(app.db, 'file.ready')
  await expect(app.services.webhooks.redeliver(id, (await latest(id)).id)).rejects.toThrow('not active')
  expect((await app.services.webhooks.deliveries(id, { ...ONE, limit: 100 })).items).toHaveLength(50)
})

test('410 ends any number of pending deliveries, at most 2,000 in a statement', async () => {
  const id = await receiver.subscribe(app.services, '/gone-busy', ['file.ready'])
  receiver.answer('/gone-busy', (response) => response.writeHead(410).end())
  onTestFinished(await limitRows(app.db, 'UPDATE', 'webhook_deliveries'))
  await writeEvents(app.db, 'file.ready', 4_500)
  await until('none is pending', async () => {
    const { rows } = await app.db.query(
      `SELECT count(*)::int AS pending FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`,
      [id],
    )
    return rows[0].pending === 0
  })
  expect(await app.services.webhooks.find(id)).toMatchObject({ active: false, recent: { failed: 100 } })
  expect(receiver.at('/gone-busy').length).toBeLessThanOrEqual(20)
})

test('after a 410 that could not be stored, the event stays pending and is sent again', async () => {
  const id = await receiver.subscribe(app.services, '/gone-later', ['file.ready'])
  receiver.answer('/gone-later', (response) => response.writeHead(410).end())
  await app.db.query(`
    CREATE SEQUENCE fail_end_calls;
    CREATE FUNCTION fail_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM nextval('fail_end_calls'); RAISE 'cannot end'; END $$;
    CREATE TRIGGER fail_end BEFORE UPDATE ON webhooks FOR EACH ROW
      WHEN (NEW.id = '${id}' AND NOT NEW.active) EXECUTE FUNCTION fail_end()`)
  onTestFinished(async () => {
    await app.db.query('DROP FUNCTION fail_end CASCADE; DROP SEQUENCE fail_end_calls')
  })
  await writeEvents(app.db, 'file.ready')
  await until('it could not be stored', async () => {
    const { rows } = await app.db.query('SELECT is_called FROM fail_end_calls')
    return rows[0].is_called
  })
  expect(await latest(id)).toMatchObject({ status: 'pending', attempts: 1 })
  await app.db.query('DROP TRIGGER fail_end ON webhooks')
  await app.db.query('UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1', [id])
  await until('it has ended', async () => !(await app.services.webhooks.find(id)).active)
  expect(await latest(id)).toMatchObject({ status: 'failed', attempts: 2, failure: 'answered 410' })
})

test('410 from an earlier URL ends nothing: the new one gets the event', async () => {
  const id = await receiver.subscribe(app.services, '/retired', ['file.ready'])
  const arrived = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  receiver.answer('/retired', async (response) => {
    arrived.resolve()
    await held.promise
    response.writeHead(410).end()
  })
  await writeEvents(app.db, 'file.ready')
  await arrived.promise
  await receiver.move(app.services, id, '/retired', '/moved')
  held.resolve()
  await until('the event arrives', () => receiver.at('/moved').length > 0)
  expect(receiver.at('/moved')[0]!.id).toBe(receiver.at('/retired')[0]!.id)
  expect(await app.services.webhooks.find(id)).toMatchObject({ active: true, endedAt: null })
})

test('a response of 10 MB is not read: its status counts, and the connection is closed', async () => {
  const id = await receiver.subscribe(app.services, '/long', ['file.ready'])
  let sent = 0
  const closed = Promise.withResolvers<void>()
  receiver.answer('/long', (response) => {
    response.once('close', closed.resolve)
    response.writeHead(200)
    const more = () => {
      while (sent < 10 * 1024 * 1024) {
        sent += 65_536
        if (!response.write(Buffer.alloc(65_536))) return response.once('drain', more)
      }
      return response.end()
    }
    more()
  })
  await writeEvents(app.db, 'file.ready')
  expect(await settled(id, 1)).toMatchObject({ status: 'delivered', httpStatus: 200 })
  await closed.promise
  // Allow as much as the system buffers.
  expect(sent).toBeLessThan(8 * 1024 * 1024)
})

test('an event that cannot be prepared is tried again later, and the others of its batch are sent once', async () => {
  // Separate services, whose worker cannot sign the URLs of held files, as without credentials of the store.
  const own = await startTestApp({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
  const db = createDb(own.env.DATABASE_URL!, 4)
  const agent = createEgressAgent(createAddressPolicy({ allowPrivate: true }), { timeoutMs: 4_000 })
  const worker = createDeliveryWorker({
    deliveries: createDeliveryRepo(db),
    post: createPost(agent, 4_000),
    async complete(type, data) {
      if (type === 'file.held') throw new Error('Could not load credentials from any providers')
      return data
    },
    clock: own.services.clock,
    log: own.services.log,
    pollMs: 20,
  })
  const id = await receiver.subscribe(own.services, '/partly', ['file.deleted', 'file.held'])
  await writeEvents(own.db, 'file.deleted', 3)
  await writeEvents(own.db, 'file.held')
  worker.start()
  const all = async () => (await own.services.webhooks.deliveries(id, { ...ONE, limit: 10 })).items
  await until('all have been tried', async () => (await all()).every(({ attempts }) => attempts === 1))
  expect(receiver.at('/partly')).toHaveLength(3)
  const [held, ...others] = await all()
  const failure = 'the event could not be prepared'
  expect(held).toMatchObject({ type: 'file.held', status: 'pending', failure })
  expect(others.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered'])
  await worker.stop(0)
  await agent.destroy()
  await db.close()
  await own.close()
})

test('a silent receiver does not delay others, times out, and uses one connection while it fails', async () => {
  // A separate service with a shorter limit.
  const own = await startTestApp({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
  const db = createDb(own.env.DATABASE_URL!, 4)
  const agent = createEgressAgent(createAddressPolicy({ allowPrivate: true }), { timeoutMs: 10_000 })
  const worker = createDeliveryWorker({
    deliveries: createDeliveryRepo(db),
    post: createPost(agent, 10_000),
    clock: own.services.clock,
    log: own.services.log,
    pollMs: 20,
  })
  const silent = await receiver.subscribe(own.services, '/silent', ['file.ready'])
  receiver.answer('/silent', () => {})
  await writeEvents(own.db, 'file.ready', 30)
  worker.start()
  await until('it is called', () => receiver.at('/silent').length === 20)
  await receiver.subscribe(own.services, '/lively', ['file.deleted'])
  await writeEvents(own.db, 'file.deleted', 40)
  await until('the other got everything', () => receiver.at('/lively').length === 40)
  expect((await own.services.webhooks.find(silent)).failingSince).toBeNull()

  await until('it is tried again', () => receiver.at('/silent').length > 20)
  expect(receiver.at('/silent')).toHaveLength(21)
  const { items } = await own.services.webhooks.deliveries(silent, { ...ONE, limit: 100 })
  expect(items.filter((one) => one.failure === 'no response within 10 s')).toHaveLength(20)
  await worker.stop(0)
  await agent.destroy()
  await db.close()
  await own.close()
})

test('a receiver that was unavailable for a day gets every event when it recovers; after 72 hours, deliveries fail', async () => {
  const id = await receiver.subscribe(app.services, '/away', ['file.ready'])
  receiver.answer('/away', (response) => response.destroy())
  await writeEvents(app.db, 'file.ready', 25)
  await until('all have failed', async () => {
    const { items } = await app.services.webhooks.deliveries(id, { ...ONE, limit: 100 })
    return items.every(({ attempts }) => attempts > 0)
  })

  receiver.answer('/away')
  await app.db.query(`UPDATE webhooks SET failing_since = now() - interval '1 day' WHERE id = $1`, [id])
  await app.db.query(
    `UPDATE webhook_deliveries SET attempts = 12, due_at = now() + interval '3 hours',
       expires_at = expires_at - interval '1 day' WHERE webhook_id = $1`,
    [id],
  )
  await writeEvents(app.db, 'file.ready')
  const delivered = () => app.services.webhooks.deliveries(id, { ...ONE, limit: 100, status: 'delivered' })
  await until('all arrive', async () => (await delivered()).items.length === 26)

  receiver.answer('/away', (response) => response.writeHead(503).end())
  await writeEvents(app.db, 'file.ready')
  await settled(id, 1)
  await pass(id, '73 hours')
  expect(await settled(id, 2)).toMatchObject({
    status: 'failed',
    failure: 'answered 503',
    nextAttemptAt: null,
  })
})

test('a delivery keeps its latest 20 attempts: time, status or error, and duration', async () => {
  const id = await receiver.subscribe(app.services, '/history', ['file.ready'])
  receiver.answer('/history', (response) => response.writeHead(503).end())
  await writeEvents(app.db, 'file.ready')
  const first = await settled(id, 1)
  expect(first.history).toEqual([
    {
      at: first.lastAttemptAt!.toISOString(),
      httpStatus: 503,
      failure: 'answered 503',
      durationMs: expect.any(Number),
    },
  ])
  const old = Array.from({ length: 20 }, (_, n) => ({
    at: '2026-11-21T12:00:00.000Z',
    httpStatus: null,
    failure: 'connection refused',
    durationMs: n,
  }))
  await app.db.query('UPDATE webhook_deliveries SET history = $2, due_at = now() WHERE webhook_id = $1', [
    id,
    JSON.stringify(old),
  ])
  receiver.answer('/history')
  const { history } = await settled(id, 2)
  expect(history).toHaveLength(20)
  expect(history.slice(0, 19)).toEqual(old.slice(1))
  expect(history[19]).toMatchObject({ httpStatus: 204, failure: null })
})

test('failed deliveries can be sent again on request, which does not count as a retry', async () => {
  const id = await receiver.subscribe(app.services, '/again', ['file.ready'])
  await writeEvents(app.db, 'file.ready')
  const first = await settled(id, 1)
  await app.db.query(`UPDATE webhook_deliveries SET status = 'failed' WHERE webhook_id = $1`, [id])
  const arrived = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  receiver.answer('/again', async (response) => {
    arrived.resolve()
    await held.promise
    response.writeHead(204).end()
  })
  expect(await app.services.webhooks.redeliver(id, first.id)).toMatchObject({
    id: first.id,
    status: 'pending',
  })
  await arrived.promise
  expect(await app.services.webhooks.find(id)).toMatchObject({ retrying: false })
  held.resolve()
  await until('it arrives again', () => receiver.at('/again').length === 2)
  expect(receiver.at('/again').map((one) => one.id)).toEqual([first.id, first.id])
})

test('after a redelivery, retries begin with the shortest pause again', async () => {
  const id = await receiver.subscribe(app.services, '/still-away', ['file.ready'])
  receiver.answer('/still-away', (response) => response.writeHead(503).end())
  await writeEvents(app.db, 'file.ready')
  await settled(id, 1)
  const attempt = { at: '2026-11-21T12:00:00.000Z', httpStatus: 503, failure: 'answered 503', durationMs: 1 }
  await app.db.query(
    `UPDATE webhook_deliveries SET status = 'failed', attempts = 15, history = $2, settled_at = now()
     WHERE webhook_id = $1`,
    [id, JSON.stringify(Array(15).fill(attempt))],
  )
  await app.services.webhooks.redeliver(id, (await latest(id)).id)
  const { status, lastAttemptAt, nextAttemptAt } = await settled(id, 16)
  expect(status).toBe('pending')
  expect(nextAttemptAt!.getTime() - lastAttemptAt!.getTime()).toBeLessThanOrEqual(5_000)
})

test('deliveries fail after 72 hours without an attempt; old ones and those of deleted webhooks are removed', async () => {
  const id = await receiver.subscribe(app.services, '/old', ['file.ready'])
  await app.services.webhooks.update(id, { active: true }, BY)
  await writeEvents(app.db, 'file.ready', 3)
  await until('all arrive', () => receiver.at('/old').length === 3)
  await settled(id, 1)
  await app.services.webhooks.update(id, { active: false }, BY)
  await app.db.query(
    `UPDATE webhook_deliveries SET status = 'pending', settled_at = NULL, expires_at = now() - interval '2 minutes'
     WHERE webhook_id = $1 AND sequence = (SELECT max(sequence) FROM webhook_deliveries)`,
    [id],
  )
  await app.db.query(
    `UPDATE webhook_deliveries SET settled_at = now() - interval '8 days'
     WHERE webhook_id = $1 AND sequence = (SELECT min(sequence) FROM webhook_deliveries WHERE webhook_id = $1)`,
    [id],
  )
  const other = await receiver.subscribe(app.services, '/deleted', ['file.ready'])
  await app.services.webhooks.update(other, { active: false }, BY)
  await app.db.query(
    `INSERT INTO webhook_deliveries (webhook_id, id, sequence, type, data, created_at, expires_at)
     VALUES ($1, gen_random_uuid(), 0, 'file.ready', '{}', now(), now() + interval '1 day')`,
    [other],
  )
  await app.services.webhooks.delete(other)

  expect(await app.services.webhooks.sweeper.run()).toMatchObject({ failed: 1 })
  const { items } = await app.services.webhooks.deliveries(id, { ...ONE, limit: 100 })
  expect(items.map(({ status, failure }) => [status, failure])).toEqual([
    ['failed', 'not delivered within 72 hours'],
    ['delivered', null],
  ])
  const { rows } = await app.db.query('SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1', [other])
  expect(rows).toEqual([])
})

test('cleaning up reads old and orphaned deliveries from indexes, not the whole table', async () => {
  const client = await app.db.connect()
  try {
    await client.query('BEGIN')
    const { planned, plans } = await explainer(client)
    const deliveries = createDeliveryRepo({ sql: planned } as Db)
    const now = new Date()
    await deliveries.deleteOld({ deliveredBefore: now, failedBefore: now }, 10)
    await deliveries.deleteOrphaned(10)
    expect(plans[0]).toContain('webhook_deliveries_settled_idx')
    expect(plans[1]).toContain('webhook_deliveries_pkey')
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on webhook_deliveries')
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('1,000 events arrive with increasing numbers, each once if nothing fails', async () => {
  const id = await receiver.subscribe(app.services, '/many', ['push.completed'])
  await writeEvents(app.db, 'push.completed', 1_000)
  await until('all arrive', () => receiver.at('/many').length >= 1_000)
  const many = receiver.at('/many')
  expect(new Set(many.map((one) => one.id)).size).toBe(1_000)
  expect(new Set(many.map((one) => one.body.sequence)).size).toBe(1_000)
  expect(many).toHaveLength(1_000)
  await until('all are recorded', async () => {
    const { items } = await app.services.webhooks.deliveries(id, { ...ONE, status: 'pending' })
    return items.length === 0
  })
})
