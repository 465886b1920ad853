// A gateway that hangs, and the other one's broadcast beside it.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { until } from '../../support/until.ts'

let app: PushApp
let token: string

beforeEach(async () => {
  app = await startPushApp()
  token = await app.tokenOf((await app.user()).id)
})
afterEach(() => app.close())

const everybody = { title: 'Hello', body: 'World', all: true }

describe.each([
  ['APNs', 'apns', 'fcm', 'android'],
  ['FCM', 'fcm', 'apns', 'ios'],
] as const)('while %s hangs', (_name, hanging, healthy, platform) => {
  test('the other gateway keeps 80% of its rate, and its results are recorded', async () => {
    // Five chunks for each, of which a process works on four at a time.
    const { tokens } = await seedDevices(app.db, 4_200)
    app[healthy].faults.set({ latencyMs: 200 })
    /** How long the healthy gateway's 2,100 devices take. */
    const broadcast = async () => {
      app[healthy].requestLog.clear()
      const begunAt = performance.now()
      const { data } = await app.send(token, everybody)
      await app[healthy].requestLog.waitFor((log) => log.counts.devices === 2_100, 60_000)
      return { id: data.id as string, tookMs: performance.now() - begunAt }
    }
    let normalMs = Infinity
    for (let n = 0; n < 2; n++) {
      const { id, tookMs } = await broadcast()
      normalMs = Math.min(normalMs, tookMs)
      await app.completed(token, id, 60_000)
    }

    app[hanging].faults.set({ hold: true })
    const first = await broadcast()
    await until('what was sent is recorded', async () => {
      const { data } = await app.message(token, first.id)
      expect(data).toMatchObject({ status: 'sending', failed: 0, removed: 0 })
      return data.sent === 2_100 && data.audience[platform] === 2_100
    })
    const copies = tokens.map((t) => app[healthy].requestLog.countOf(t))
    expect(copies.filter((n) => n === 1)).toHaveLength(2_100)
    // The best of some, since other work on the machine slows single ones.
    let { tookMs } = first
    for (let n = 0; n < 5 && tookMs > normalMs / 0.8; n++)
      tookMs = Math.min(tookMs, (await broadcast()).tookMs)
    expect(tookMs).toBeLessThan(normalMs / 0.8)

    app[hanging].faults.set({ hold: false })
    const done = await app.completed(token, first.id, 60_000)
    expect(done).toMatchObject({
      audience: { ios: 2_100, android: 2_100 },
      sent: 4_200,
      failed: 0,
      removed: 0,
    })
  }, 120_000)
})

test('a sandbox that hangs does not hold up production', async () => {
  const { ids } = await seedDevices(app.db, 2_100, { platform: 'ios' })
  await app.db.query(`UPDATE devices SET environment = 'sandbox' WHERE id = ANY ($1)`, [
    ids.filter((_, n) => n % 100 === 0),
  ])
  app.sandbox.faults.set({ hold: true })
  const { data } = await app.send(token, everybody)
  await until(
    'production is sent',
    async () => (await app.message(token, data.id)).data.sent === 2_079,
    5_000,
  )
  expect((await app.message(token, data.id)).data.audience.ios).toBe(2_100)
  app.sandbox.faults.set({ hold: false })
  expect(await app.completed(token, data.id)).toMatchObject({ sent: 2_100, failed: 0, removed: 0 })
})

test('chunks over all platforms, as the release before planned them, are sent', async () => {
  await seedDevices(app.db, 40)
  await app.services.push.worker.stop(1_000)
  const { data } = await app.send(token, everybody)
  await app.db.query('DELETE FROM push_message_chunks')
  await app.db.query(
    `INSERT INTO push_message_chunks (message_id, last_id) SELECT $1, id FROM devices ORDER BY id DESC LIMIT 1`,
    [data.id],
  )
  const next = await app.replica()
  await next.services.start()
  expect(await app.completed(token, data.id)).toMatchObject({
    audience: { ios: 20, android: 20 },
    sent: 40,
    failed: 0,
  })
})
