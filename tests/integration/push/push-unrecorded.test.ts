import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createChunkRepo } from '../../../src/server/adapters/postgres/push/broadcasts/chunk-repo.ts'
import { createCircuitBreakers } from '../../../src/server/adapters/postgres/push/delivery/circuit-breakers.ts'
import { createBroadcastWorker } from '../../../src/server/domain/push/broadcasts/broadcast-worker.ts'
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
