import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { until } from '../../support/until.ts'

let app: PushApp

beforeAll(async () => {
  app = await startPushApp()
})
afterAll(() => app.close())
afterEach(() => {
  app.apns.faults.reset()
  app.fcm.faults.reset()
})

const hello = { title: 'Hello', body: 'World' }

async function userWith(count: number, platform: 'ios' | 'android') {
  const user = await app.user()
  const token = await app.tokenOf(user.id)
  const { ids, tokens } = await seedDevices(app.db, count, { userId: user.id, platform })
  const devices = async () =>
    (await app.query(user, 'devices.list')).data.items as { id: string; disabledReason: string | null }[]
  return {
    user,
    token,
    ids,
    tokens,
    devices,
    send: async (more = {}) => (await app.send(token, { ...hello, ...more })).data,
  }
}

describe('a device that no longer exists', () => {
  test('is deleted and counted as removed: APNs 410', async () => {
    const { tokens, devices, send } = await userWith(2, 'ios')
    app.apns.devices.unregister(tokens[0]!, Date.now() + 1000)
    expect(await send()).toMatchObject({ audience: { ios: 2 }, sent: 1, failed: 0, removed: 1, failures: [] })
    expect(await devices()).toHaveLength(1)
    expect(await send()).toMatchObject({ audience: { ios: 1 }, sent: 1 })
  })

  test('stays if it registered after the gateway’s timestamp, and counts as failed', async () => {
    const { tokens, devices, send } = await userWith(1, 'ios')
    app.apns.devices.unregister(tokens[0]!, Date.now() - 60_000)
    expect(await send()).toMatchObject({
      sent: 0,
      failed: 1,
      removed: 0,
      failures: [{ reason: 'Unregistered' }],
    })
    expect(await devices()).toMatchObject([{ disabledReason: null }])
  })

  test('is deleted: FCM UNREGISTERED', async () => {
    const { devices, send } = await userWith(1, 'android')
    app.fcm.faults.add({ do: { kind: 'reject', reason: 'UNREGISTERED' } })
    expect(await send()).toMatchObject({ sent: 0, failed: 0, removed: 1 })
    expect(await devices()).toEqual([])
  })

  test('stays if it registers while FCM says UNREGISTERED', async () => {
    const { user, tokens, devices, send } = await userWith(1, 'android')
    app.fcm.faults.add({ do: { kind: 'reject', reason: 'UNREGISTERED' } })
    app.fcm.faults.set({ hold: true })
    const sending = send()
    await until('FCM holds a push', () => app.fcm.faults.holding > 0)
    await app.mutate(user, 'devices.register', { platform: 'android', token: tokens[0] })
    app.fcm.faults.set({ hold: false })
    expect(await sending).toMatchObject({ sent: 0, failed: 1, removed: 0 })
    expect(await devices()).toHaveLength(1)
  })
})

describe('a suspect device', () => {
  test.each([
    ['ios', 'BadDeviceToken'],
    ['ios', 'DeviceTokenNotForTopic'],
    ['android', 'SENDER_ID_MISMATCH'],
  ] as const)('on %s (%s) is disabled with the reason until it registers again', async (platform, reason) => {
    const { user, ids, tokens, devices, send } = await userWith(3, platform)
    const gateway = platform === 'ios' ? app.apns : app.fcm
    gateway.faults.add({ device: tokens[0]!, do: { kind: 'reject', reason } })
    expect(await send()).toMatchObject({ sent: 2, failed: 0, removed: 1 })
    const of = async () => (await devices()).find((d) => d.id === ids[0])
    expect((await of())?.disabledReason).toBe(reason)
    expect(await send()).toMatchObject({ audience: { [platform]: 2 }, sent: 2 })
    gateway.faults.reset()
    await app.mutate(user, 'devices.register', { platform, token: tokens[0] })
    expect((await of())?.disabledReason).toBeNull()
    expect(await send()).toMatchObject({ audience: { [platform]: 3 }, sent: 3 })
  })
})

describe('a wrong project or role at FCM', () => {
  test.each(['NOT_FOUND', 'PERMISSION_DENIED'])('%s removes and disables no device', async (reason) => {
    const { devices, send } = await userWith(3, 'android')
    app.fcm.faults.add({ do: { kind: 'reject', reason } })
    expect(await send()).toMatchObject({ sent: 0, failed: 3, removed: 0 })
    expect((await devices()).map((d) => d.disabledReason)).toEqual([null, null, null])
  })
})

describe('a transient fault', () => {
  test.each([
    ['ios', { kind: 'reject', reason: 'InternalServerError' }],
    ['ios', { kind: 'reject', reason: 'ServiceUnavailable' }],
    ['ios', { kind: 'reset', code: 7 }],
    ['ios', { kind: 'disconnect' }],
    ['android', { kind: 'reject', reason: 'UNAVAILABLE' }],
    ['android', { kind: 'reject', reason: 'INTERNAL' }],
    ['android', { kind: 'reject', reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 1 }],
  ] as const)('on %s (%j) is retried at least 3 times within 10 s', async (platform, action) => {
    const { tokens, send } = await userWith(1, platform)
    const gateway = platform === 'ios' ? app.apns : app.fcm
    gateway.faults.add({ device: tokens[0]!, first: 3, do: action })
    // Pushes that take longer count as failed.
    expect(await send()).toMatchObject({ sent: 1, failed: 0, removed: 0 })
    expect(gateway.requestLog.countOf(tokens[0]!)).toBe(1)
  })

  test('is retried for up to 10 s, then counts as failed with its reason', async () => {
    const { send } = await userWith(1, 'android')
    app.fcm.faults.add({ do: { kind: 'reject', reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 60 } })
    expect(await send()).toMatchObject({
      sent: 0,
      failed: 1,
      failures: [{ platform: 'android', reason: expect.stringMatching(/QUOTA|EXHAUSTED/) }],
    })
  })

  test('is retried only after Retry-After', async () => {
    const { tokens, send } = await userWith(1, 'android')
    app.fcm.faults.add({ first: 1, do: { kind: 'reject', reason: 'UNAVAILABLE', retryAfterSeconds: 2 } })
    await send()
    const [rejected] = app.fcm.requestLog.rejected.filter((r) => r.token === tokens[0])
    const [taken] = app.fcm.requestLog.acceptedFor(tokens[0]!)
    expect(taken!.at - rejected!.at).toBeGreaterThanOrEqual(1_990)
  })

  test('that occurs after the gateway accepted the push: the retry has the same collapse ID', async () => {
    const { tokens, send } = await userWith(1, 'ios')
    app.apns.faults.add({ first: 1, do: { kind: 'disconnect', accepted: true } })
    const { id } = await send()
    const pushes = app.apns.requestLog.acceptedFor(tokens[0]!)
    expect(pushes).toHaveLength(2)
    expect(pushes.map((p) => p.headers['apns-collapse-id'])).toEqual([id, id])
  })
})
