import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MAX_TOPIC_STARTS } from '../../../src/server/domain/push/broadcasts/scheduler.ts'
import { MAX_UNFINISHED } from '../../../src/server/domain/push/messages/send.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { limitRows } from '../../support/limit-rows.ts'
import { type PushWorker, startPushWorker } from '../../support/process/push-worker.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'
import { waitingLocks } from '../../support/waiting-locks.ts'

let app: PushApp
let owner: TestUser
let token: string
const workers: PushWorker[] = []

const everyone = { title: 'Hello', body: 'World', all: true }
const counted = (m: { sent: number; failed: number; removed: number }) => m.sent + m.failed + m.removed
const audienceOf = (m: { audience: { ios: number; android: number } }) => m.audience.ios + m.audience.android

async function start(options?: { idle: boolean }): Promise<void> {
  app = await startPushApp(options)
  owner = await app.user()
  token = await app.tokenOf(owner.id)
}

async function worker(): Promise<PushWorker> {
  const started = await startPushWorker(app)
  workers.push(started)
  return started
}

afterEach(async () => {
  for (const each of workers.splice(0)) await each.kill()
  await app.close()
})

const messageOf = async (id: string) => (await app.message(token, id)).data
const chunksLeft = async () =>
  (await app.db.query('SELECT count(*)::int AS n FROM push_message_chunks')).rows[0].n
const chunksOf = async (id: string) =>
  (await app.db.query('SELECT 1 FROM push_message_chunks WHERE message_id = $1', [id])).rowCount

/** The owner follows a topic, whose planning waits until `goOn`, as it would for a minute with a million subscribers. */
async function whilePlanningWaits(work: (goOn: () => Promise<unknown>) => Promise<void>): Promise<void> {
  await start()
  await seedDevices(app.db, 1, { userId: owner.id })
  await app.mutate(owner, 'topics.subscribe', { topic: 'large' })
  const client = await app.db.connect()
  try {
    await client.query('BEGIN; LOCK TABLE push_recipients IN SHARE ROW EXCLUSIVE MODE')
    await work(() => client.query('ROLLBACK'))
  } finally {
    client.release()
  }
}

describe('DELETE /api/push/messages/{id} of a broadcast that no worker has started', () => {
  beforeEach(() => start({ idle: true }))

  test('cancels it with 204 and sends nothing; repeating it returns 204', async () => {
    await seedDevices(app.db, 1200)
    const { data } = await app.send(token, everyone)
    for (let n = 0; n < 2; n++) {
      expect(await app.cancel(token, data.id)).toMatchObject({ status: 204, data: null })
      expect(await messageOf(data.id)).toMatchObject({
        status: 'cancelled',
        audience: { ios: 0, android: 0 },
        sent: 0,
        failed: 0,
      })
    }
    expect(await chunksLeft()).toBe(0)
    const { rows } = await app.db.query(`SELECT * FROM audit_entries WHERE action = 'push.cancelled'`)
    expect(rows).toMatchObject([{ user_id: owner.id, subject_id: data.id, address: '192.0.2.1' }])
    expect(rows[0].actor).toMatch(/^token:/)
  })

  test('is available to the token that sent it and to the administrator; others get 404, as for unknown IDs', async () => {
    const stranger = await app.tokenOf((await app.user()).id)
    const { data } = await app.send(token, everyone)
    await seedDevices(app.db, 1)
    expect((await app.cancel(stranger, data.id)).status).toBe(404)
    expect((await app.cancel(token, randomUUID())).status).toBe(404)
    expect((await app.cancel(undefined, data.id)).status).toBe(401)
    await seedDevices(app.db, 1)
    const second = await app.send(token, everyone)
    expect((await app.cancel(ADMIN_SECRET, second.data.id)).status).toBe(204)
  })

  test('returns 409 once the broadcast is completed', async () => {
    const direct = await app.send(token, { title: 'a', body: 'b' })
    const answer = await app.cancel(token, direct.data.id)
    expect(answer).toMatchObject({ status: 409, data: { error: { code: 'CONFLICT' } } })
    expect((await messageOf(direct.data.id)).status).toBe('completed')
  })

  test('revoking a token cancels its unsent pushes, but none of other tokens', async () => {
    await seedDevices(app.db, 10)
    const other = await app.createToken({ userId: owner.id, name: 'other' })
    const kept = await app.send(token, everyone)
    const sent = await Promise.all([1, 2, 3].map(() => app.send(other.data.token, everyone)))
    expect((await app.revokeToken(other.data.id)).status).toBe(204)
    for (const { data } of sent)
      expect((await app.message(ADMIN_SECRET, data.id)).data.status).toBe('cancelled')
    expect((await messageOf(kept.data.id)).status).toBe('queued')
  })

  test('deleting the owner cancels unsent pushes; recipients keep those already sent', async () => {
    const reader = await app.user()
    await seedDevices(app.db, 1, { userId: reader.id })
    const direct = await app.send(token, { title: 'direct', body: 'b', userId: reader.id })
    const broadcast = await app.send(token, everyone)
    await app.services.accountDeletion.deleteAccount(owner.id, 'test')
    expect((await app.message(ADMIN_SECRET, broadcast.data.id)).data.status).toBe('cancelled')
    expect((await app.message(ADMIN_SECRET, direct.data.id)).data).toEqual(direct.data)
    const inbox = await app.query(reader, 'messages.list')
    expect(inbox.data.items.map((m: { title: string }) => m.title)).toEqual(['direct'])
    const { rows } = await app.db.query(`SELECT count(*)::int AS n FROM push_tokens`)
    expect(rows[0].n).toBe(0)
  })

  /** Adds 5,000 messages and 5,000 keys to `token`. */
  async function addReferences(): Promise<void> {
    const { data } = await app.send(token, { title: 'direct', body: 'b', userId: owner.id })
    await app.db.query(
      `INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, created_at, expires_at,
         completed_at)
       SELECT gen_random_uuid(), push_token_id, user_id, category, content, status, created_at, expires_at, completed_at
       FROM push_messages, generate_series(1, 5000) WHERE id = $1`,
      [data.id],
    )
    await app.db.query(
      `INSERT INTO idempotency_keys (push_token_id, key, body_hash, message_id, leased_until)
       SELECT push_token_id, n, '', id, now() FROM push_messages, generate_series(1, 5000) AS n WHERE id = $1`,
      [data.id],
    )
  }

  test('deleting the owner and revoking a token at the same time both succeed', async () => {
    await seedDevices(app.db, 1)
    const { data } = await app.createToken({ userId: owner.id, name: 'revoked' })
    const broadcast = await app.send(data.token, everyone)
    const waiting = async (count: number) => {
      const { rows } = await app.db.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return rows[0].n === count
    }
    const worker = await app.db.connect()
    await worker.query('BEGIN')
    await worker.query('SELECT FROM push_messages WHERE id = $1 FOR UPDATE', [broadcast.data.id])
    const deletion = app.services.accountDeletion.deleteAccount(owner.id, 'test')
    await until('the deletion waits for the message', () => waiting(1))
    const revocation = app.revokeToken(data.id)
    await until('the revocation waits for the deletion', () => waiting(2))
    await worker.query('COMMIT')
    worker.release()
    await deletion
    expect((await revocation).status).toBe(204)
  })

  test('deleting the owner of thousands of messages and keys takes only statements of limited size', async () => {
    await addReferences()
    await limitRows(app.db, 'UPDATE', 'push_messages')
    await limitRows(app.db, 'DELETE', 'idempotency_keys')
    await app.services.accountDeletion.deleteAccount(owner.id, 'test')
    const { rowCount } = await app.db.query('SELECT 1 FROM users WHERE id = $1', [owner.id])
    expect(rowCount).toBe(0)
  })

  test('a shutdown does not wait for thousands of messages of a deleted owner, whom another process finishes', async () => {
    await addReferences()
    const other = await app.replica()
    const deletion = other.services.accountDeletion.deleteAccount(owner.id, 'test')
    await other.services.accountDeletion.close()
    await deletion
    const references = async () =>
      (await app.db.query('SELECT 1 FROM push_messages WHERE push_token_id IS NOT NULL')).rowCount
    expect(await references()).toBe(5_001)
    await app.services.accountDeletion.resume()
    expect(await references()).toBe(0)
    const { rowCount } = await app.db.query('SELECT 1 FROM users WHERE id = $1', [owner.id])
    expect(rowCount).toBe(0)
  })

  test(`a token can have ${MAX_UNFINISHED} unfinished broadcasts; more get 429 with Retry-After, even in parallel`, async () => {
    await seedDevices(app.db, 1)
    // The second half crosses the limit. More at once would wait for connections on a busy machine.
    const half = () =>
      Promise.all(Array.from({ length: MAX_UNFINISHED / 2 + 5 }, () => app.send(token, everyone)))
    const answers = [...(await half()), ...(await half())]
    const accepted = answers.filter((a) => a.status === 202)
    const rejected = answers.filter((a) => a.status === 429)
    expect([accepted.length, rejected.length]).toEqual([MAX_UNFINISHED, 10])
    expect(Number(rejected[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await app.tokenOf(owner.id)
    expect((await app.send(other, everyone)).status).toBe(202)
    await app.cancel(token, accepted[0]!.data.id)
    expect((await app.send(token, everyone)).status).toBe(202)
  })
})

describe('DELETE /api/push/messages/{id} of a broadcast in progress', () => {
  test('hands nothing to a gateway after the 204, and counts what was sent', async () => {
    await start()
    const other = await app.replica()
    await other.services.start()
    await seedDevices(app.db, 2_000)
    // A connection sends at most 50 a second, so that even a slow machine cancels midway.
    const slow = { latencyMs: 500, maxConcurrentStreams: 25 }
    app.apns.faults.set(slow)
    app.fcm.faults.set(slow)
    const accepted = () => app.apns.requestLog.counts.accepted + app.fcm.requestLog.counts.accepted
    const { data } = await app.send(token, everyone)
    await until('some are sent', () => accepted() > 100)
    expect((await app.cancel(token, data.id)).status).toBe(204)
    const sent = accepted()
    const view = await messageOf(data.id)
    expect(view).toMatchObject({ status: 'cancelled', sent, removed: 0 })
    expect(counted(view)).toBe(audienceOf(view))
    expect(sent).toBeLessThan(2_000)
    expect(await chunksLeft()).toBe(0)
    // Another broadcast empties the queues, so any pushes left from the first one would be sent too.
    app.apns.faults.reset()
    app.fcm.faults.reset()
    const next = await app.send(token, everyone)
    await app.completed(token, next.data.id)
    expect(accepted()).toBe(sent + 2_000)
    expect(await messageOf(data.id)).toEqual(view)
  })

  test('neither waits for pushes queued for a slow gateway nor sends them', async () => {
    await start()
    await seedDevices(app.db, 2_000, { platform: 'ios' })
    // Each connection sends about 10 pushes a second, so 2,000 would take minutes.
    app.apns.faults.set({ maxConcurrentStreams: 10, latencyMs: 1_000 })
    const { data } = await app.send(token, everyone)
    await app.apns.requestLog.waitFor((l) => l.counts.accepted > 20)
    expect((await app.cancel(token, data.id)).status).toBe(204)
    const { accepted } = app.apns.requestLog.counts
    expect(accepted).toBeLessThan(1_000)
    const view = await messageOf(data.id)
    expect(view).toMatchObject({ status: 'cancelled', sent: accepted })
    expect(counted(view)).toBe(audienceOf(view))
    expect(view.failures[0]).toMatchObject({ reason: 'CANCELLED' })
  })

  test('works on a replica other than the one that sends', async () => {
    await start({ idle: true })
    const other = await app.replica()
    await other.services.start()
    // One more chunk than a replica processes at a time.
    await seedDevices(app.db, 2_500, { platform: 'ios' })
    app.apns.faults.set({ latencyMs: 100 })
    const { data } = await app.send(token, everyone)
    await app.apns.requestLog.waitFor((l) => l.counts.accepted > 100)
    expect((await app.cancel(token, data.id)).status).toBe(204)
    const view = await messageOf(data.id)
    expect(view).toMatchObject({ status: 'cancelled', sent: app.apns.requestLog.counts.accepted })
    expect(counted(view)).toBe(audienceOf(view))
  })

  test('counts devices that wait for a retry as failed', async () => {
    await start()
    await seedDevices(app.db, 30, { platform: 'ios' })
    app.apns.faults.add({ do: { kind: 'reject', reason: 'ServiceUnavailable' } })
    const { data } = await app.send(token, everyone)
    await until('they wait for a retry', async () => {
      const { rows } = await app.db.query(
        `SELECT 1 FROM push_message_chunks WHERE platform = 'ios' AND lease_id IS NULL`,
      )
      return rows.length > 0
    })
    expect((await app.cancel(token, data.id)).status).toBe(204)
    const view = await messageOf(data.id)
    expect(view).toMatchObject({ status: 'cancelled', audience: { ios: 30 }, sent: 0, failed: 30 })
    expect(view.failures).toHaveLength(20)
    expect(view.failures[0]).toMatchObject({ platform: 'ios', reason: 'CANCELLED' })
  })

  test('can be canceled while its audience is planned, which delays no other push of its token', async () => {
    await whilePlanningWaits(async (goOn) => {
      const slow = app.send(token, { title: 'Slow', body: 'b', topic: 'large' })
      const find = () => app.db.query(`SELECT id FROM push_messages WHERE content ->> 'title' = 'Slow'`)
      await until('it is accepted', async () => (await find()).rowCount === 1)
      expect((await app.send(token, everyone)).status).toBe(202)
      expect((await app.cancel(token, (await find()).rows[0].id)).status).toBe(204)
      await goOn()
      const { status, data } = await slow
      expect(status).toBe(202)
      expect(await messageOf(data.id)).toMatchObject({ status: 'cancelled', audience: { ios: 0 }, sent: 0 })
      expect(await chunksOf(data.id)).toBe(0)
      const recipients = await app.db.query('SELECT 1 FROM push_recipients WHERE message_id = $1', [data.id])
      expect(recipients.rowCount).toBe(0)
    })
  })

  test(`of large topics hold at most ${MAX_TOPIC_STARTS} connections while they are planned, and others are sent meanwhile`, async () => {
    await whilePlanningWaits(async (goOn) => {
      const toTopic = { ...everyone, all: undefined, topic: 'large' }
      const sends = Array.from({ length: MAX_TOPIC_STARTS + 3 }, () => app.send(token, toTopic))
      const planned = () => waitingLocks(app.db, 'push_recipients')
      await until(
        'all are accepted',
        async () => (await app.db.query('SELECT 1 FROM push_messages')).rowCount === sends.length,
      )
      await until('some are planned', async () => (await planned()) === MAX_TOPIC_STARTS)
      const now = await app.send(token, everyone)
      const later = await app.send(token, {
        ...everyone,
        sendAt: new Date(Date.now() + 60_000).toISOString(),
      })
      await app.db.query('UPDATE push_messages SET send_at = now() WHERE id = $1', [later.data.id])
      for (const { data } of [now, later])
        await until('it is sent', async () => (await messageOf(data.id)).status === 'completed')
      // PostgreSQL ends statements that wait for too long, which are repeated.
      await until('as many are planned', async () => (await planned()) === MAX_TOPIC_STARTS)
      await goOn()
      const ids = (await Promise.all(sends)).map(({ data }) => data.id)
      await until('all are sent', async () => {
        const views = await Promise.all(ids.map(messageOf))
        return views.every((view) => view.status === 'completed' && view.sent === 1)
      })
    })
  })

  test('counts a million devices that wait for a retry within the time limit of a statement', async () => {
    await start({ idle: true })
    await seedDevices(app.db, 1, { platform: 'ios' })
    const { data } = await app.send(token, everyone)
    // Each chunk waits for a retry, as during an outage of the gateway.
    await app.db.query('DELETE FROM push_message_chunks')
    await app.db.query(
      `INSERT INTO push_message_chunks (message_id, upstream, platform, device_ids)
       SELECT $1, 'ios', 'ios', ARRAY(SELECT gen_random_uuid() FROM generate_series(1, 1000) WHERE n > 0)
       FROM generate_series(1, 1000) AS n`,
      [data.id],
    )
    await app.db.query('UPDATE push_messages SET audience_ios = 1000000 WHERE id = $1', [data.id])
    expect((await app.cancel(token, data.id)).status).toBe(204)
    const view = await messageOf(data.id)
    expect(view).toMatchObject({ status: 'cancelled', sent: 0, failed: 1_000_000 })
    expect(view.failures).toHaveLength(20)
    const { rows } = await app.db.query('SELECT count(*)::int AS n FROM push_failures')
    expect(rows[0].n).toBe(10_000)
  })

  test('after kill -9 of the sending replica, another one finishes the cancellation, and the counts add up', async () => {
    await start({ idle: true })
    const victim = await worker()
    await seedDevices(app.db, 2_500, { platform: 'ios' })
    app.apns.faults.set({ latencyMs: 150 })
    const { data } = await app.send(token, everyone)
    await app.apns.requestLog.waitFor((l) => l.counts.accepted > 100)
    await victim.kill()
    const other = await app.replica()
    await other.services.start()
    expect((await app.cancel(token, data.id)).status).toBe(204)
    const view = await messageOf(data.id)
    expect(view.status).toBe('cancelled')
    expect(counted(view)).toBe(audienceOf(view))
    // The other replica may have started one of its own chunks before the cancellation.
    expect(view.sent).toBeLessThanOrEqual(app.apns.requestLog.counts.accepted)
    expect(await chunksLeft()).toBe(0)
  })
})
