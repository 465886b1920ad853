import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  androidToken,
  iosToken,
  type PushApp,
  seedDevices,
  startPushApp,
} from '../../support/app/push-app.ts'
import { until } from '../../support/until.ts'

let app: PushApp
let token: string

beforeEach(async () => {
  app = await startPushApp()
  token = await app.tokenOf((await app.user()).id)
})
afterEach(() => app.close())

const hello = { title: 'Hello', body: 'World' }
const everyone = { ...hello, all: true }
const counted = (m: { sent: number; failed: number; removed: number }) => m.sent + m.failed + m.removed
const audienceOf = (m: { audience: { ios: number; android: number } }) => m.audience.ios + m.audience.android

describe('a broadcast', () => {
  test('is accepted as queued, reaches each device once, and its counts add up', async () => {
    const { tokens } = await seedDevices(app.db, 1_101)
    const { status, data } = await app.send(token, everyone)
    expect(status).toBe(202)
    expect(data).toEqual({
      id: expect.any(String),
      status: 'queued',
      audience: { ios: 0, android: 0, web: 0 },
      sent: 0,
      failed: 0,
      removed: 0,
      failures: [],
    })
    const done = await app.completed(token, data.id)
    expect(done).toMatchObject({
      audience: { ios: 551, android: 550, web: 0 },
      sent: 1_101,
      failed: 0,
      removed: 0,
    })
    const copies = tokens.map((t) => app.apns.requestLog.countOf(t) + app.fcm.requestLog.countOf(t))
    expect(copies.every((n) => n === 1)).toBe(true)
    const { rows } = await app.db.query('SELECT count(*)::int AS left FROM push_message_chunks')
    expect(rows[0].left).toBe(0)
    const audit = await app.db.query(`SELECT * FROM audit_entries WHERE action = 'push.broadcast'`)
    expect(audit.rows).toMatchObject([{ subject_id: data.id, details: { title: 'Hello' } }])
  })

  test('without recipients is queued and then completed', async () => {
    const { status, data } = await app.send(token, everyone)
    expect([status, data.status]).toEqual([202, 'queued'])
    expect(await app.completed(token, data.id)).toMatchObject({
      audience: { ios: 0, android: 0, web: 0 },
      sent: 0,
    })
  })

  test('skips users who opted out or muted the category, and disabled devices', async () => {
    const { ids, tokens, userIds } = await seedDevices(app.db, 6)
    await app.db.query('INSERT INTO notification_preferences (user_id, push_enabled) VALUES ($1, false)', [
      userIds[0],
    ])
    await app.db.query(
      `INSERT INTO notification_preferences (user_id, muted_categories) VALUES ($1, '{news}')`,
      [userIds[1]],
    )
    await app.db.query(`UPDATE devices SET disabled_reason = 'BadDeviceToken' WHERE id = $1`, [ids[2]])
    const news = await app.send(token, { ...everyone, category: 'news' })
    expect(await app.completed(token, news.data.id)).toMatchObject({ sent: 3 })
    const reached = tokens.map((t) => app.apns.requestLog.countOf(t) + app.fcm.requestLog.countOf(t))
    expect(reached).toEqual([0, 0, 0, 1, 1, 1])
    const other = await app.send(token, { ...everyone, category: 'alerts' })
    expect(await app.completed(token, other.data.id)).toMatchObject({ sent: 4 })
  })

  test('shows its progress: sending with rising counts, then completed', async () => {
    await seedDevices(app.db, 1_500, { platform: 'ios' })
    app.apns.faults.set({ hold: true })
    const { data } = await app.send(token, everyone)
    await until('APNs holds a push', () => app.apns.faults.holding > 0)
    expect((await app.message(token, data.id)).data).toMatchObject({ status: 'sending', sent: 0 })
    app.apns.faults.set({ hold: false })
    const seen: number[] = []
    await until('it is completed', async () => {
      const { data: view } = await app.message(token, data.id)
      expect(counted(view)).toBe(audienceOf(view))
      seen.push(view.sent)
      return view.status === 'completed'
    })
    expect(seen.at(-1)).toBe(1_500)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
  })

  test('is shared by replicas', async () => {
    const other = await app.replica()
    await other.services.start()
    const { tokens } = await seedDevices(app.db, 2_500, { platform: 'ios' })
    app.apns.faults.set({ hold: true })
    const { data } = await app.send(token, everyone)
    await until('each has leased some of the five chunks', async () => {
      const { rows } = await app.db.query(
        'SELECT DISTINCT lease_id FROM push_message_chunks WHERE lease_id IS NOT NULL',
      )
      return rows.length === 2
    })
    app.apns.faults.set({ hold: false })
    expect(await other.completed(token, data.id)).toMatchObject({ sent: 2_500, failed: 0 })
    expect(tokens.every((t) => app.apns.requestLog.countOf(t) === 1)).toBe(true)
  })

  test('deletes unregistered devices, disables suspects and lists at most 20 failures, and its counts add up', async () => {
    const { tokens, ids } = await seedDevices(app.db, 1200, { platform: 'ios' })
    for (const t of tokens.slice(0, 40)) app.apns.devices.unregister(t, Date.now() + 60_000)
    for (const t of tokens.slice(40, 100))
      app.apns.faults.add({ device: t, do: { kind: 'reject', reason: 'BadDeviceToken' } })
    for (const t of tokens.slice(100, 130))
      app.apns.faults.add({ device: t, do: { kind: 'reject', reason: 'PayloadEmpty' } })
    const { data } = await app.send(token, everyone)
    const done = await app.completed(token, data.id)
    expect(done).toMatchObject({ audience: { ios: 1200 }, sent: 1070, failed: 30, removed: 100 })
    expect(done.failures).toHaveLength(20)
    expect(done.failures.every((f) => f.reason === 'PayloadEmpty')).toBe(true)
    const { rows } = await app.db.query('SELECT id, disabled_reason, disabled_by FROM devices ORDER BY id')
    expect(rows.map((r) => r.id)).toEqual(ids.slice(40))
    expect(rows.filter((r) => r.disabled_reason !== null)).toEqual(
      ids.slice(40, 100).map((id) => ({ id, disabled_reason: 'BadDeviceToken', disabled_by: data.id })),
    )
  })

  test('with a wrong topic leaves all devices enabled in the end, and counts them as failed', async () => {
    await seedDevices(app.db, 1_200)
    app.apns.faults.add({ do: { kind: 'reject', reason: 'DeviceTokenNotForTopic' } })
    const { data } = await app.send(token, everyone)
    const done = await app.completed(token, data.id)
    expect(done).toMatchObject({
      audience: { ios: 600, android: 600, web: 0 },
      sent: 600,
      failed: 600,
      removed: 0,
    })
    expect(done.failures[0]).toMatchObject({ platform: 'ios', reason: 'DeviceTokenNotForTopic' })
    const { rows } = await app.db.query(
      'SELECT count(*)::int AS n FROM devices WHERE disabled_reason IS NULL',
    )
    expect(rows[0].n).toBe(1_200)
  })

  test('enables the devices that it disabled when the circuit breaker opens later', async () => {
    // The first 500 responses contain 40 suspects. The other 1,000 devices get retries first, and are suspects then.
    const early = await seedDevices(app.db, 500, { platform: 'ios' })
    const suspect = { kind: 'reject', reason: 'BadDeviceToken' } as const
    for (const t of early.tokens.slice(0, 40)) app.apns.faults.add({ device: t, do: suspect })
    for (const t of early.tokens.slice(40)) app.apns.faults.add({ device: t, do: { kind: 'accept' } })
    app.apns.faults.add({ do: { kind: 'reject', reason: 'ServiceUnavailable' } })
    await seedDevices(app.db, 1000, { platform: 'ios' })
    const disabled = async () =>
      (await app.db.query('SELECT count(*)::int AS n FROM devices WHERE disabled_reason IS NOT NULL')).rows[0]
        .n
    const { data } = await app.send(token, everyone)
    await until('40 devices are disabled', async () => (await disabled()) === 40)
    await until('40 removed', async () => (await app.message(token, data.id)).data.removed === 40)
    app.apns.faults.reset()
    app.apns.faults.add({ do: suspect })
    const done = await app.completed(token, data.id)
    expect(done).toMatchObject({ audience: { ios: 1500 }, sent: 460, failed: 1040, removed: 0 })
    expect(done.failures).toHaveLength(20)
    expect(await disabled()).toBe(0)
  })

  test('retries transient faults until every device has received it once', async () => {
    const { tokens } = await seedDevices(app.db, 1000)
    app.apns.faults.add({
      rate: 0.2,
      firstPerDevice: 1,
      do: { kind: 'reject', reason: 'ServiceUnavailable' },
    })
    app.fcm.faults.add({
      firstPerDevice: 1,
      device: { regex: '^[a-m]' },
      do: { kind: 'reject', reason: 'UNAVAILABLE', retryAfterSeconds: 1 },
    })
    const { data } = await app.send(token, everyone)
    const done = await app.completed(token, data.id)
    expect(done).toMatchObject({
      audience: { ios: 500, android: 500, web: 0 },
      sent: 1000,
      failed: 0,
      removed: 0,
    })
    expect(app.apns.requestLog.counts.rejected).toBeGreaterThan(50)
    expect(app.fcm.requestLog.counts.rejected).toBeGreaterThan(50)
    expect(tokens.every((t) => app.apns.requestLog.countOf(t) + app.fcm.requestLog.countOf(t) === 1)).toBe(
      true,
    )
  })

  test('obeys Retry-After without delaying the other devices', async () => {
    const { tokens } = await seedDevices(app.db, 100, { platform: 'android' })
    app.fcm.faults.add({
      device: tokens[0]!,
      first: 1,
      do: { kind: 'reject', reason: 'UNAVAILABLE', retryAfterSeconds: 10 },
    })
    const { data } = await app.send(token, everyone)
    await app.fcm.requestLog.waitFor((l) => l.counts.accepted === 99)
    await until('99 sent', async () => (await app.message(token, data.id)).data.sent === 99)
    expect((await app.message(token, data.id)).data.status).toBe('sending')
    await app.completed(token, data.id)
    const [rejected] = app.fcm.requestLog.rejected
    const [taken] = app.fcm.requestLog.acceptedFor(tokens[0]!)
    expect(taken!.at - rejected!.at).toBeGreaterThanOrEqual(9_990)
  })

  test('stops retrying after ttlSeconds, with a reason', async () => {
    await seedDevices(app.db, 3, { platform: 'ios' })
    app.apns.faults.add({ do: { kind: 'reject', reason: 'ServiceUnavailable' } })
    for (const ttlSeconds of [0, 2]) {
      const { data } = await app.send(token, { ...everyone, ttlSeconds })
      const done = await app.completed(token, data.id)
      expect(done).toMatchObject({ sent: 0, failed: 3, removed: 0 })
      expect(done.failures[0]!.reason).toMatch(/ServiceUnavailable|EXPIRED/)
    }
  })

  test('does not retry devices that opted out or unregistered in the meantime', async () => {
    const { ids, tokens, userIds } = await seedDevices(app.db, 3, { platform: 'ios' })
    app.apns.faults.add({ firstPerDevice: 1, do: { kind: 'reject', reason: 'ServiceUnavailable' } })
    app.apns.faults.set({ hold: true })
    const { data } = await app.send(token, everyone)
    await until('APNs holds a push', () => app.apns.faults.holding > 0)
    await app.db.query('INSERT INTO notification_preferences (user_id, push_enabled) VALUES ($1, false)', [
      userIds[0],
    ])
    await app.db.query('DELETE FROM devices WHERE id = $1', [ids[1]])
    app.apns.faults.set({ hold: false })
    const done = await app.completed(token, data.id)
    expect(done).toMatchObject({ sent: 1, failed: 2, removed: 0 })
    expect(done.failures.map((f) => [f.deviceId, f.reason]).sort()).toEqual(
      [
        [ids[0], 'WITHDRAWN'],
        [ids[1], 'WITHDRAWN'],
      ].sort(),
    )
    expect(tokens.map((t) => app.apns.requestLog.countOf(t))).toEqual([0, 0, 1])
  })
})

describe('devices that change while a broadcast runs', () => {
  test('are not skipped if they existed from start to end, and no opt-out made before their turn is ignored', async () => {
    const { tokens, userIds } = await seedDevices(app.db, 2_500, { platform: 'ios' })
    app.apns.faults.set({ hold: true })
    const { data } = await app.send(token, everyone)
    await until('APNs holds a push', () => app.apns.faults.holding > 0)
    // Devices whose chunk has not been read yet: those after the chunks in progress.
    const late = tokens.length - 1
    const [mover, leaver, quiet] = [await app.user(), userIds[late - 1], userIds[late - 2]]
    await app.mutate(mover, 'devices.register', { platform: 'ios', token: tokens[late] })
    await app.db.query('DELETE FROM devices WHERE user_id = $1', [leaver])
    await app.db.query('INSERT INTO notification_preferences (user_id, push_enabled) VALUES ($1, false)', [
      quiet,
    ])
    await Promise.all(
      Array.from({ length: 20 }, () => [
        app.mutate(mover, 'devices.register', { platform: 'ios', token: iosToken() }),
        app.mutate(mover, 'devices.register', { platform: 'android', token: androidToken() }),
      ]).flat(),
    )
    app.apns.faults.set({ hold: false })
    const done = await app.completed(token, data.id)
    expect(counted(done)).toBe(audienceOf(done))
    expect(app.apns.requestLog.countOf(tokens[late]!)).toBe(1)
    expect(app.apns.requestLog.countOf(tokens[late - 1]!)).toBe(0)
    expect(app.apns.requestLog.countOf(tokens[late - 2]!)).toBe(0)
    // On a busy machine, a push held for longer than 10 s is repeated.
    expect(tokens.slice(0, late - 2).every((t) => app.apns.requestLog.countOf(t) >= 1)).toBe(true)
  })
})
