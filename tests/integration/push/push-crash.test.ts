import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyMigrations } from '../../../src/server/adapters/postgres/migrations.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { type PushWorker, startPushWorker } from '../../support/process/push-worker.ts'
import { until } from '../../support/until.ts'

const workers: PushWorker[] = []

async function worker(app: PushApp): Promise<PushWorker> {
  const started = await startPushWorker(app)
  workers.push(started)
  return started
}

async function close(app: PushApp): Promise<void> {
  for (const each of workers.splice(0)) await each.kill()
  await app.close()
}

const hello = { title: 'Hello', body: 'World' }
const everyone = { ...hello, all: true }

/** Counts devices by number of pushes, and collects the collapse IDs of all repeats. */
function delivered(app: PushApp, tokens: string[]) {
  const counts = tokens.map((t) => app.apns.requestLog.countOf(t))
  return {
    skipped: counts.filter((n) => n === 0).length,
    repeated: counts.filter((n) => n > 1).length,
    most: Math.max(...counts),
    identities: new Set(app.apns.requestLog.accepted.map((p) => p.headers['apns-collapse-id'])),
  }
}

describe('kill -9', () => {
  let app: PushApp
  let token: string
  beforeEach(async () => {
    app = await startPushApp({ idle: true })
    token = await app.tokenOf((await app.user()).id)
  })
  afterEach(() => close(app))

  test('of the replica that accepted a broadcast: another continues, skips no device, and repeats only pushes in flight', async () => {
    // Nine chunks, while the two replicas process eight.
    const { tokens } = await seedDevices(app.db, 4_500, { platform: 'ios' })
    app.apns.faults.set({ latencyMs: 150 })
    const victim = await worker(app)
    await app.services.start()
    const answered = new Promise<{ status: number; data: { id: string } }>((resolve) =>
      victim.child.once('message', resolve),
    )
    victim.send({ token, body: everyone })
    const { status, data } = await answered
    expect(status).toBe(202)
    await app.apns.requestLog.waitFor((l) => l.counts.accepted >= 1_500)
    await victim.kill()
    const done = await app.completed(token, data.id)
    expect(done).toMatchObject({ audience: { ios: 4_500 }, sent: 4_500, failed: 0, removed: 0 })
    const { skipped, repeated, most, identities } = delivered(app, tokens)
    expect(skipped).toBe(0)
    // A process sends four chunks of 500 to one gateway at a time.
    expect(repeated).toBeLessThanOrEqual(2_000)
    expect(most).toBeLessThanOrEqual(2)
    expect([...identities]).toEqual([data.id])
  })

  test('of a replica that sends to one user: the repeated request continues under the same message ID', async () => {
    const user = await app.user()
    const own = await app.tokenOf(user.id)
    const { tokens } = await seedDevices(app.db, 1, { userId: user.id, platform: 'ios' })
    const first = await worker(app)
    app.apns.faults.add({ first: 1, do: { kind: 'hold', accepted: true } })
    const headers = { 'idempotency-key': 'crash' }
    first.send({ token: own, body: hello, headers })
    await app.apns.requestLog.waitFor((l) => l.counts.accepted === 1)
    await first.kill()
    const { status, data } = await app.send(own, hello, headers)
    expect(status).toBe(200)
    expect(data).toMatchObject({ status: 'completed', sent: 1, failed: 0 })
    const pushes = app.apns.requestLog.acceptedFor(tokens[0]!)
    expect(pushes.map((p) => p.headers['apns-collapse-id'])).toEqual([data.id, data.id])
    expect((await app.send(own, hello, headers)).data).toEqual(data)
    expect(app.apns.requestLog.countOf(tokens[0]!)).toBe(2)
  })
})

describe('SIGTERM', () => {
  test('finishes pushes in flight and hands over the rest: none are lost or repeated', async () => {
    const app = await startPushApp({ idle: true })
    const token = await app.tokenOf((await app.user()).id)
    const { tokens } = await seedDevices(app.db, 3_000, { platform: 'ios' })
    app.apns.faults.set({ latencyMs: 200 })
    const leaving = await worker(app)
    await app.services.start()
    const { data } = await app.send(token, everyone)
    await app.apns.requestLog.waitFor((l) => l.counts.accepted >= 700)

    expect(await leaving.stop()).toBe(0)
    expect(await app.completed(token, data.id)).toMatchObject({ sent: 3_000, failed: 0 })
    expect(delivered(app, tokens)).toMatchObject({ skipped: 0, repeated: 0 })
    await close(app)
  })
})

describe('PostgreSQL killed during a broadcast', () => {
  test('and restarted: the same processes continue it, and skip or repeat no device', async () => {
    const server = await startPostgres({
      dir: mkdtempSync(join(tmpdir(), 'pigeonhole-crash-')),
      temporary: true,
    })
    const databaseUrl = await server.createDatabase('push')
    await applyMigrations({
      databaseUrl,
      directory: fileURLToPath(new URL('../../../prisma/migrations', import.meta.url)),
    })
    const app = await startPushApp({ databaseUrl })
    try {
      const token = await app.tokenOf((await app.user()).id)
      const { tokens } = await seedDevices(app.db, 3_000, { platform: 'ios' })
      app.apns.faults.set({ latencyMs: 200 })
      const { data } = await app.send(token, everyone)
      await app.apns.requestLog.waitFor((l) => l.counts.accepted >= 700)
      await server.kill()
      await server.restart()
      // Requests get 503 while the database is unavailable.
      await until('it responds again', async () => (await app.message(token, data.id)).status === 200)
      expect(await app.completed(token, data.id)).toMatchObject({
        audience: { ios: 3_000 },
        sent: 3_000,
        failed: 0,
        removed: 0,
      })
      expect(delivered(app, tokens)).toMatchObject({ skipped: 0, repeated: 0 })
    } finally {
      await close(app)
      await server.stop()
    }
  })
})
