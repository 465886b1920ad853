import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createChunkRepo } from '../../../src/server/adapters/postgres/push/broadcasts/chunk-repo.ts'
import { createCircuitBreakers } from '../../../src/server/adapters/postgres/push/delivery/circuit-breakers.ts'
import { createBroadcastWorker } from '../../../src/server/domain/push/broadcasts/broadcast-worker.ts'
import { countAudience, countOutcome, emptyCounts } from '../../../src/server/domain/push/messages/counts.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { quietLog } from '../../support/emulators/push-gateways.ts'

let app: PushApp
beforeAll(async () => {
  app = await startPushApp({ idle: true })
})
afterAll(() => app.close())

test('a chunk whose results cannot be recorded is sent three times, not until it expires', async () => {
  const token = await app.tokenOf((await app.user()).id)
  const { tokens } = await seedDevices(app.db, 3, { platform: 'ios' })
  await app.db.query(`
    CREATE FUNCTION reject_counts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'rejected'; END $$;
    CREATE TRIGGER reject_counts BEFORE UPDATE ON push_messages FOR EACH ROW
      WHEN (NEW.sent > OLD.sent) EXECUTE FUNCTION reject_counts()`)
  const { data } = await app.send(token, { title: 'Hello', body: 'World', all: true })

  const db = createDb(app.env.DATABASE_URL!)
  const lines = quietLog()
  const worker = createBroadcastWorker({
    chunks: createChunkRepo(db, createCircuitBreakers(db, lines)),
    apps: app.services.pushApps,
    log: lines,
    pollMs: 20,
    leaseMs: 300,
    recordTimeoutMs: 100,
  })
  worker.start()
  const done = await app.completed(token, data.id)
  await worker.stop(5_000)
  await db.close()

  expect(done).toMatchObject({ audience: { ios: 3 }, sent: 0, failed: 3, removed: 0 })
  expect(new Set(done.failures.map((f) => f.reason))).toEqual(new Set(['NOT_RECORDED']))
  expect(tokens.map((t) => app.apns.requestLog.countOf(t))).toEqual([3, 3, 3])
  expect(lines.lines.some((line) => line.message.includes('gave up'))).toBe(true)
})

test('chunks that end together are recorded together, without the one that another worker has taken over', async () => {
  const token = await app.tokenOf((await app.user()).id)
  await app.db.query('DROP TRIGGER IF EXISTS reject_counts ON push_messages')
  // Two chunks with the three devices above, and one.
  await seedDevices(app.db, 600, { platform: 'ios' })
  await seedDevices(app.db, 4, { platform: 'android' })
  await app.db.query(`
    CREATE SEQUENCE recordings;
    CREATE FUNCTION count_recordings() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('recordings'); RETURN NEW; END $$;
    CREATE TRIGGER count_recordings BEFORE UPDATE ON push_messages FOR EACH ROW
      WHEN (NEW.sent > OLD.sent) EXECUTE FUNCTION count_recordings()`)
  const { data } = await app.send(token, { title: 'Hello', body: 'World', all: true })
  const db = createDb(app.env.DATABASE_URL!)
  const chunks = createChunkRepo(db, createCircuitBreakers(db, quietLog()))
  await expect.poll(async () => (await db.pool.query('SELECT 1 FROM push_message_chunks')).rowCount).toBe(3)
  const lease = newId()
  const claimed = await chunks.claim(
    lease,
    {
      known: new Map([
        ['ios', 4],
        ['android', 4],
      ]),
      unknown: 0,
    },
    60_000,
    [],
  )
  const android = claimed.find((chunk) => chunk.upstream === 'android')!
  await db.pool.query('UPDATE push_message_chunks SET lease_id = $1 WHERE id = $2', [newId(), android.id])

  const results = await Promise.all(
    claimed.map(async (chunk) => {
      const recipients = await chunks.read(chunk)
      const counts = emptyCounts()
      countAudience(counts, recipients)
      for (const recipient of recipients) countOutcome(counts, recipient, { kind: 'accepted' })
      return counts
    }),
  )
  const recorded = await Promise.all(claimed.map((chunk, i) => chunks.record(chunk, lease, results[i]!, [])))

  expect(claimed.map(({ upstream }) => upstream).sort()).toEqual(['android', 'ios', 'ios'])
  expect(recorded).toEqual(claimed.map((chunk) => chunk !== android))
  expect((await app.message(token, data.id)).data).toMatchObject({
    status: 'sending',
    sent: 603,
    audience: { ios: 603, android: 0 },
  })
  expect((await db.pool.query('SELECT last_value::int AS n, is_called FROM recordings')).rows).toEqual([
    { n: 1, is_called: true },
  ])
  await db.close()
})
