import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createManagedUserRepo } from '../../../src/server/adapters/postgres/accounts/managed-user-repo.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { MAX_UNFINISHED } from '../../../src/server/domain/push/messages/send.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { startPushWorker } from '../../support/process/push-worker.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const DAY = 86_400_000
const hello = { title: 'Hello', body: 'World' }

let app: PushApp
let db: Db
let owner: TestUser
let token: string

// Tests run the scheduler themselves; the worker sends what it starts.
beforeAll(async () => {
  app = await startPushApp({ idle: true })
  app.services.push.worker.start()
  db = createDb(app.config.databaseUrl, 2)
  owner = await app.user()
  token = await app.tokenOf(owner.id)
})
afterAll(async () => {
  await db.close()
  await app.close()
})
afterEach(() => vi.useRealTimers())

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const schedule = (body: object, sendAt = inMs(60_000), raw = token) =>
  app.send(raw, { ...hello, sendAt, ...body })
const viewOf = async (id: string) => (await app.message(ADMIN_SECRET, id)).data
const unfinished = async () =>
  (
    await app.db.query(
      `SELECT 1 FROM push_messages WHERE NOT scheduled AND completed_at IS NULL AND status <> 'cancelled'`,
    )
  ).rowCount !== 0

/** Lets this much time pass by moving due times into the past. Then sends what is due. */
async function pass(ms: number): Promise<void> {
  await app.db.query(
    `UPDATE push_messages SET send_at = send_at - $1 * interval '1 ms', created_at = created_at - $1 * interval '1 ms'
     WHERE scheduled`,
    [ms],
  )
  await app.db.query(`UPDATE users SET created_at = created_at - $1 * interval '1 ms'`, [ms])
  await app.services.push.scheduler.run()
  await until('all due pushes are sent', async () => !(await unfinished()))
}

async function userWithPhone(platform: 'ios' | 'android' = 'ios'): Promise<TestUser & { device: string }> {
  const user = await app.user()
  const { tokens } = await seedDevices(app.db, 1, { userId: user.id, platform })
  return { ...user, device: tokens[0]! }
}

const copies = (device: string) => app.apns.requestLog.countOf(device) + app.fcm.requestLog.countOf(device)

describe('a push with sendAt', () => {
  test('returns 202 scheduled, then is sent once at its time and never before, to the devices registered then', async () => {
    const [stays, leaves] = [await userWithPhone(), await userWithPhone()]
    const comes = await userWithPhone()
    for (const user of [stays, leaves]) await app.mutate(user, 'topics.subscribe', { topic: 'at-its-time' })
    const sendAt = inMs(60_000)
    const { status, data } = await schedule({ topic: 'at-its-time' }, sendAt)
    expect(status).toBe(202)
    expect(data).toMatchObject({ status: 'scheduled', sendAt, audience: { ios: 0, android: 0 }, sent: 0 })
    await pass(0)
    await pass(50_000)
    expect((await viewOf(data.id)).status).toBe('scheduled')
    expect(copies(stays.device)).toBe(0)
    expect((await app.query(stays, 'messages.list')).data.items).toEqual([])
    await app.mutate(leaves, 'topics.unsubscribe', { topic: 'at-its-time' })
    await app.mutate(comes, 'topics.subscribe', { topic: 'at-its-time' })
    await pass(11_000)
    await pass(60_000)
    expect(await viewOf(data.id)).toMatchObject({ status: 'completed', audience: { ios: 2 }, sent: 2 })
    expect([stays, leaves, comes].map(({ device }) => copies(device))).toEqual([1, 0, 1])
    expect((await app.query(comes, 'messages.list')).data.items).toMatchObject([{ id: data.id }])
  })

  test('that cannot be started does not delay the others, is tried at growing intervals, and is sent once the cause is gone', async () => {
    const [first, second] = [await userWithPhone(), await userWithPhone()]
    const blocked = await schedule({ userIds: [first.id] }, inMs(1_000))
    const { data } = await schedule({ userIds: [second.id] }, inMs(2_000))
    await app.db.query(`
      CREATE SEQUENCE fail_begin_calls;
      CREATE FUNCTION fail_begin() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('fail_begin_calls'); RAISE 'cannot begin'; END $$;
      CREATE TRIGGER fail_begin BEFORE INSERT ON push_message_chunks FOR EACH ROW
        WHEN (NEW.message_id = '${blocked.data.id}') EXECUTE FUNCTION fail_begin()`)
    onTestFinished(async () => {
      await app.db.query('DROP FUNCTION fail_begin CASCADE; DROP SEQUENCE fail_begin_calls')
    })
    await pass(3_000)
    expect((await viewOf(data.id)).sent).toBe(1)
    expect((await viewOf(blocked.data.id)).status).toBe('scheduled')
    const calls = async () =>
      Number((await app.db.query('SELECT last_value FROM fail_begin_calls')).rows[0].last_value)
    const [before, startedAt] = [await calls(), performance.now()]
    await until('it has been tried four more times', async () => {
      await app.services.push.scheduler.run()
      return (await calls()) >= before + 4
    })
    // Without jitter, the waits double from 0.1 s to 5 s. The first of the four began earlier.
    const waits = [0, 1, 2].map((n) => Math.min(5_000, 100 * 2 ** (before + n)))
    expect(performance.now() - startedAt).toBeGreaterThan(waits.reduce((sum, ms) => sum + ms))
    await app.db.query('DROP TRIGGER fail_begin ON push_message_chunks')
    await until('it is sent', async () => {
      await app.services.push.scheduler.run()
      return (await viewOf(blocked.data.id)).status === 'completed'
    })
    expect(copies(first.device)).toBe(1)
  })

  test('sent now is accepted even if it cannot be started, and is started later within its ttlSeconds', async () => {
    const user = await userWithPhone()
    await app.mutate(user, 'topics.subscribe', { topic: 'started-later' })
    await app.db.query(`
      CREATE FUNCTION fail_begin() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cannot begin'; END $$;
      CREATE TRIGGER fail_begin BEFORE INSERT ON push_message_chunks FOR EACH ROW EXECUTE FUNCTION fail_begin()`)
    onTestFinished(async () => {
      await app.db.query('DROP FUNCTION IF EXISTS fail_begin CASCADE')
    })
    const { status, data } = await app.send(token, { ...hello, topic: 'started-later', ttlSeconds: 600 })
    expect([status, data.status]).toEqual([202, 'queued'])
    expect((await viewOf(data.id)).status).toBe('queued')
    const expiresAt = async () =>
      (await app.db.query('SELECT expires_at FROM push_messages WHERE id = $1', [data.id])).rows[0].expires_at
    const before = await expiresAt()
    await app.db.query('DROP FUNCTION fail_begin CASCADE')
    await until('it is sent', async () => {
      await app.services.push.scheduler.run()
      return (await viewOf(data.id)).status === 'completed'
    })
    expect(await expiresAt()).toEqual(before)
  })

  test('reaches a single user, several users or everyone', async () => {
    const user = await userWithPhone()
    const sent = []
    for (const target of [{ userId: user.id }, { userIds: [user.id] }, { all: true }]) {
      const { status, data } = await schedule(target)
      expect(status).toBe(202)
      sent.push(data.id)
    }
    expect((await app.query(user, 'messages.list')).data.items).toEqual([])
    await pass(61_000)
    expect(copies(user.device)).toBe(3)
    for (const id of sent) expect((await viewOf(id)).status).toBe('completed')
    const inbox = (await app.query(user, 'messages.list')).data.items
    expect(inbox.map((m: { id: string }) => m.id).sort()).toEqual([...sent].sort())
    const { rows } = await app.db.query('SELECT user_id FROM push_messages WHERE id = $1', [sent[0]])
    expect(rows).toEqual([{ user_id: user.id }])
  })

  test('without recipients, or to a user deleted since, is completed without audience', async () => {
    const user = await userWithPhone()
    const { data } = await schedule({ userId: user.id })
    await app.services.accountDeletion.deleteAccount(user.id, 'test')
    await pass(61_000)
    expect(await viewOf(data.id)).toMatchObject({ status: 'completed', audience: { ios: 0 }, sent: 0 })
    expect((await schedule({ userId: user.id })).status).toBe(404)
  })

  test('is listed for the token when accepted, and in the inbox when sent', async () => {
    const user = await userWithPhone()
    const raw = await app.tokenOf(user.id)
    const later = await schedule({ title: 'later' }, inMs(60_000), raw)
    await app.send(raw, { ...hello, title: 'now' })
    const { data } = await app.messages(raw)
    expect(data.items.map((m: { title: string; status: string }) => `${m.title} ${m.status}`)).toEqual([
      'later scheduled',
      'now completed',
    ])
    expect(data.items[0].sendAt).toBe(later.data.sendAt)
    await pass(61_000)
    const inbox = (await app.query(user, 'messages.list')).data.items
    const titles = inbox.map((m: { title: string }) => m.title)
    // Broadcasts of other tests are in between.
    expect(titles.filter((title: string) => title !== 'Hello')).toEqual(['later', 'now'])
  })

  test('can be up to 30 days ahead or 30 seconds late', async () => {
    const dryRun = (sendAt: string) => app.send(token, { ...hello, sendAt, dryRun: true })
    for (const ms of [30 * DAY, 0, -20_000]) expect((await dryRun(inMs(ms))).status).toBe(200)
    for (const ms of [30 * DAY + 60_000, -31_000]) {
      const { status, data } = await dryRun(inMs(ms))
      expect(status).toBe(400)
      expect(Object.keys(data.error.fieldErrors)).toEqual(['sendAt'])
    }
    for (const wrong of ['2026-12-24T18:00:00', '2026-12-24', 'tomorrow', 1])
      expect((await app.send(token, { ...hello, sendAt: wrong })).status).toBe(400)
    const inAnHour = inMs(3_600_000)
    const berlin = new Date(Date.parse(inAnHour) + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
    const { data } = await schedule({}, berlin)
    expect(data.sendAt).toBe(inAnHour)
    await app.cancel(token, data.id)
  })

  test('returns the same response for a repeated Idempotency-Key, and is sent once', async () => {
    const user = await userWithPhone()
    const body = { ...hello, userId: user.id, sendAt: inMs(60_000) }
    const first = await app.send(token, body, { 'idempotency-key': 'later' })
    expect(await app.send(token, body, { 'idempotency-key': 'later' })).toMatchObject({
      status: 202,
      data: first.data,
    })
    await pass(61_000)
    expect(copies(user.device)).toBe(1)
  })

  test('starts its ttlSeconds when it is sent', async () => {
    const user = await userWithPhone()
    const scheduledAt = Date.now() / 1000
    await schedule({ userId: user.id, ttlSeconds: 100 }, inMs(20 * DAY))
    await pass(20 * DAY)
    const { expiration } = app.apns.requestLog.accepted.findLast((push) => push.token === user.device)!
    expect(expiration! - 100).toBeGreaterThan(scheduledAt - 1)
    expect(expiration! - 100).toBeLessThan(Date.now() / 1000 + 1)
  })
})

describe('canceling a scheduled push', () => {
  test('returns 204, even when repeated, and the push is never sent; returns 409 once it was sent', async () => {
    const user = await userWithPhone()
    const { data } = await schedule({ userId: user.id })
    for (let n = 0; n < 2; n++) expect((await app.cancel(token, data.id)).status).toBe(204)
    await pass(61_000)
    expect(await viewOf(data.id)).toMatchObject({ status: 'cancelled', sent: 0, failed: 0 })
    expect(copies(user.device)).toBe(0)
    const sent = await schedule({ userId: user.id })
    await pass(61_000)
    expect((await app.cancel(token, sent.data.id)).status).toBe(409)
  })

  test('returns 404 once its row is deleted', async () => {
    const { data } = await schedule({})
    await app.db.query('DELETE FROM push_messages WHERE id = $1', [data.id])
    expect((await app.cancel(token, data.id)).status).toBe(404)
  })

  test(`a token can have ${MAX_UNFINISHED} unfinished broadcasts, including scheduled ones but not pushes to single users`, async () => {
    const raw = await app.tokenOf(owner.id)
    for (let n = 0; n < MAX_UNFINISHED; n++)
      expect((await schedule({ all: true }, inMs(DAY), raw)).status).toBe(202)
    expect((await schedule({ all: true }, inMs(DAY), raw)).status).toBe(429)
    expect((await app.send(raw, { ...hello, topic: 'news' })).status).toBe(429)
    const single = await schedule({}, inMs(DAY), raw)
    expect(single.status).toBe(202)
    const { items } = (await app.messages(raw)).data
    expect((await app.cancel(raw, items[0].id)).status).toBe(204)
    const { data } = await app.listTokens(`?userId=${owner.id}`)
    await app.revokeToken(data.items[0].id)
    expect((await viewOf(single.data.id)).status).toBe('cancelled')
  })
})

describe('clock skew between replicas', () => {
  test.each([
    ['a day ahead', DAY],
    ['a day behind', -DAY],
  ])('%s: no push is early, late or expired', async (_, skew) => {
    // Do not send to APNs: the emulator's clock is skewed too, so it would reject the provider token.
    const user = await userWithPhone('android')
    const { data } = await schedule({ userId: user.id, ttlSeconds: 60 }, inMs(3_600_000))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew })
    const replica = await app.replica()
    await replica.services.push.scheduler.run()
    expect((await viewOf(data.id)).status).toBe('scheduled')
    // The same clock decides when accepted pushes are due.
    const near = new Date(Date.now() - skew + 1000).toISOString()
    const second = await replica.send(token, { ...hello, userId: user.id, sendAt: near, ttlSeconds: 60 })
    expect(second.status).toBe(202)
    await app.db.query(`UPDATE push_messages SET send_at = send_at - interval '1 hour' WHERE scheduled`)
    await replica.services.push.scheduler.run()
    replica.services.push.worker.start()
    for (const id of [data.id, second.data.id])
      await until('it is sent', async () => (await viewOf(id)).status === 'completed')
    expect(copies(user.device)).toBe(2)
    await replica.services.drain()
  })
})

describe('several replicas and crashes', () => {
  test('three replicas that start due pushes at the same time send them once', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => userWithPhone()))
    await Promise.all(users.map((user) => schedule({ userId: user.id })))
    const replicas = [app, await app.replica(), await app.replica()]
    await app.db.query(`UPDATE push_messages SET send_at = now() WHERE scheduled`)
    await Promise.all(replicas.map(({ services }) => services.push.scheduler.run()))
    await until('all are sent', async () => !(await unfinished()))
    expect(users.map(({ device }) => copies(device))).toEqual(users.map(() => 1))
  })

  test('kill -9 of the replica that started a push: everyone gets it, and not before its time', async () => {
    const crashing = await startPushApp({ idle: true })
    const raw = await crashing.tokenOf((await crashing.user()).id)
    const { tokens } = await seedDevices(crashing.db, 600, { platform: 'ios' })
    crashing.apns.faults.set({ latencyMs: 200 })
    const victim = await startPushWorker(crashing)
    const sendAt = inMs(500)
    const { status, data } = await crashing.send(raw, { ...hello, all: true, sendAt })
    await crashing.apns.requestLog.waitFor((log) => log.counts.accepted > 0)
    await victim.kill()
    await crashing.services.start()
    try {
      expect(status).toBe(202)
      expect(await crashing.completed(raw, data.id)).toMatchObject({
        audience: { ios: 600 },
        sent: 600,
        failed: 0,
      })
      expect(tokens.every((t) => crashing.apns.requestLog.countOf(t) >= 1)).toBe(true)
      const earliest = Math.min(...crashing.apns.requestLog.accepted.map(({ at }) => at))
      expect(earliest).toBeGreaterThanOrEqual(new Date(sendAt).getTime())
    } finally {
      await crashing.close()
    }
  })
})

type Step =
  | { kind: 'schedule'; by: number; target: 'self' | 'user' | 'topic'; inSeconds: number }
  | { kind: 'pass'; seconds: number }
  | { kind: 'cancel'; which: number; racing: boolean }
  | { kind: 'revoke' | 'disable' | 'delete'; by: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('schedule' as const),
      by: fc.nat(2),
      target: fc.constantFrom('self' as const, 'user' as const, 'topic' as const),
      inSeconds: fc.integer({ min: 60, max: 600 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 400 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(9), racing: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('revoke' as const, 'disable' as const, 'delete' as const),
      by: fc.nat(2),
    }),
  },
)

test('any sequence of scheduling, canceling, revoking, disabling and deleting: sent once at its time, or never', async () => {
  const reader = await userWithPhone()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const topic = `history-${run++}`
      await app.mutate(reader, 'topics.subscribe', { topic })
      const senders = await Promise.all(
        [0, 1, 2].map(async () => {
          const user = await userWithPhone()
          const { data } = await app.createToken({ userId: user.id, name: 'history' })
          return { user, id: data.id as string, raw: data.token as string, ended: false, gone: false }
        }),
      )
      type Sent = {
        id: string
        by: number
        dueIn: number
        state: 'waiting' | 'sent' | 'cancelled'
        target: string
      }
      const messages: Sent[] = []
      const ended = async (by: number, end: () => Promise<unknown>, gone: boolean) => {
        await end()
        senders[by]!.ended = true
        senders[by]!.gone ||= gone
        for (const m of messages) if (m.by === by && m.state === 'waiting') m.state = 'cancelled'
      }
      for (const s of steps) {
        if (s.kind === 'schedule') {
          const { raw, ended: isOver } = senders[s.by]!
          const target = s.target === 'self' ? {} : s.target === 'user' ? { userId: reader.id } : { topic }
          const { status, data } = await schedule(target, inMs(s.inSeconds * 1000), raw)
          expect(status).toBe(isOver ? 401 : 202)
          if (!isOver)
            messages.push({ id: data.id, by: s.by, dueIn: s.inSeconds, state: 'waiting', target: s.target })
        } else if (s.kind === 'pass') {
          // Leave room, so that no push becomes due during the time this test takes.
          const isDueSoon = (seconds: number) => messages.some((m) => Math.abs(m.dueIn - seconds - 10) < 10)
          let seconds = s.seconds
          while (isDueSoon(seconds)) seconds += 5
          await pass(seconds * 1000)
          for (const m of messages) {
            m.dueIn -= seconds
            if (m.state === 'waiting' && m.dueIn <= 0) m.state = 'sent'
          }
        } else if (s.kind === 'cancel') {
          const m = messages[s.which % Math.max(1, messages.length)]
          if (!m) continue
          if (m.state === 'waiting' && s.racing) {
            await app.db.query(`UPDATE push_messages SET send_at = now() WHERE id = $1`, [m.id])
            const [{ status }] = await Promise.all([
              app.cancel(ADMIN_SECRET, m.id),
              app.services.push.scheduler.run(),
            ])
            await until('it is sent or canceled', async () => !(await unfinished()))
            m.state = (await viewOf(m.id)).status === 'cancelled' ? 'cancelled' : 'sent'
            expect(status).toBe(m.state === 'cancelled' ? 204 : 409)
          } else {
            const { status } = await app.cancel(ADMIN_SECRET, m.id)
            expect(status).toBe(m.state === 'sent' ? 409 : 204)
            m.state = m.state === 'sent' ? 'sent' : 'cancelled'
          }
        } else {
          const { id, user } = senders[s.by]!
          if (senders[s.by]!.gone) continue
          if (s.kind === 'revoke') await ended(s.by, () => app.revokeToken(id), false)
          else if (s.kind === 'disable')
            await ended(
              s.by,
              () =>
                createManagedUserRepo(db).update(
                  user.id,
                  { disabled: true },
                  { actor: 'admin', userId: null, address: '192.0.2.7', at: new Date() },
                ),
              false,
            )
          else await ended(s.by, () => app.services.accountDeletion.deleteAccount(user.id, 'test'), true)
        }
      }
      await pass(1_000_000)
      for (const m of messages) if (m.state === 'waiting') m.state = 'sent'
      for (const m of messages) {
        const view = await viewOf(m.id)
        expect(view.status).toBe(m.state === 'sent' ? 'completed' : 'cancelled')
        expect(view.sent + view.failed + view.removed).toBe(view.audience.ios + view.audience.android)
        const got = app.apns.requestLog.accepted.filter(({ collapseId }) => collapseId === m.id)
        expect(got).toHaveLength(view.sent)
        // A confirmed cancellation can follow some sends, but counts them.
        if (m.state === 'sent') expect(view.sent).toBe(1)
      }
    }),
    { numRuns: 12 },
  )
})
