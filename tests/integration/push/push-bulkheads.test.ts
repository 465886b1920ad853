// One gateway hangs while the other one's broadcast runs.

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

const everyone = { title: 'Hello', body: 'World', all: true }

/** Sends to everyone, and waits until this many pushes are recorded as sent. */
async function broadcast(count: number): Promise<{ id: string; tookMs: number }> {
  const startedAt = performance.now()
  const { data } = await app.send(token, everyone)
  await until('all possible pushes are recorded', async () => {
    const { data: view } = await app.message(token, data.id)
    expect(view).toMatchObject({ failed: 0, removed: 0 })
    return view.sent === count
  })
  return { id: data.id, tookMs: performance.now() - startedAt }
}

/**
 * A push that waited for the other gateway would take 10 s longer, until that gateway's pushes time out. The limit is
 * relative to the time needed when both gateways respond.
 */
const limitMs = (normalMs: number) => normalMs + 5_000

describe.each([
  ['APNs', 'apns', 'android'],
  ['FCM', 'fcm', 'ios'],
] as const)('while %s hangs', (_name, hanging, platform) => {
  test('the other gateway gets its pushes without delay, and their results are recorded', async () => {
    // Five chunks for each; a process works on four at a time.
    const { tokens } = await seedDevices(app.db, 4_200)
    const copies = () =>
      tokens.map((t) => app.apns.requestLog.countOf(t) + app.fcm.requestLog.countOf(t)).filter((n) => n === 1)
    const normal = await broadcast(4_200)
    await app.completed(token, normal.id)
    for (const gateway of [app.apns, app.fcm]) gateway.requestLog.clear()

    app[hanging].faults.set({ hold: true })
    const { id, tookMs } = await broadcast(2_100)
    expect(tookMs).toBeLessThan(limitMs(normal.tookMs))
    expect((await app.message(token, id)).data).toMatchObject({
      status: 'sending',
      audience: { [platform]: 2_100 },
    })
    expect(copies()).toHaveLength(2_100)

    app[hanging].faults.set({ hold: false })
    expect(await app.completed(token, id)).toMatchObject({
      audience: { ios: 2_100, android: 2_100 },
      sent: 4_200,
      failed: 0,
      removed: 0,
    })
  })
})

test('a sandbox that hangs does not delay production', async () => {
  const { ids } = await seedDevices(app.db, 2_100, { platform: 'ios' })
  await app.db.query(`UPDATE devices SET environment = 'sandbox' WHERE id = ANY ($1)`, [
    ids.filter((_, n) => n % 100 === 0),
  ])
  const normal = await broadcast(2_100)
  await app.completed(token, normal.id)
  app.sandbox.faults.set({ hold: true })
  const { id, tookMs } = await broadcast(2_079)
  expect(tookMs).toBeLessThan(limitMs(normal.tookMs))
  expect((await app.message(token, id)).data.audience.ios).toBe(2_100)
  app.sandbox.faults.set({ hold: false })
  expect(await app.completed(token, id)).toMatchObject({ sent: 2_100, failed: 0, removed: 0 })
})

test('sends chunks that span all platforms, as the previous release planned them', async () => {
  await seedDevices(app.db, 40)
  await app.services.push.worker.stop(1_000)
  const { data } = await app.send(token, everyone)
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
