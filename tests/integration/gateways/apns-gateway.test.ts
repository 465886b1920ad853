import { beforeAll, expect, test } from 'vitest'
import { createApnsGateway } from '../../../src/server/adapters/apns/gateway.ts'
import { systemClock } from '../../../src/server/kernel/clock.ts'
import {
  apnsConfig,
  iosTarget,
  notification,
  openApns,
  quietLog,
  sendAll,
  trustedTls,
} from '../../support/emulators/push-gateways.ts'

let tls: Awaited<ReturnType<typeof trustedTls>>
beforeAll(async () => {
  tls = await trustedTls()
})

const MINUTE_MS = 60_000
const targets = (n: number, from = 0) => Array.from({ length: n }, (_, i) => iosTarget(from + i))

test('a push arrives with its headers and payload', async () => {
  await using world = await openApns(tls)
  const push = notification({ data: { parcel: 4711 }, badge: 2, sound: 'ping.caf', priority: 'normal' })
  expect(await sendAll(world.gateway, [iosTarget(7)], push)).toEqual({ accepted: 1 })
  expect(world.apns.requestLog.accepted[0]).toMatchObject({
    token: iosTarget(7).token,
    topic: 'com.example.app',
    pushType: 'alert',
    priority: 5,
    collapseId: 'collapse-1',
    expiration: Math.ceil(push.expiresAt.getTime() / 1000),
    apnsId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    payload: {
      aps: { alert: { title: 'Title', body: 'Body' }, badge: 2, sound: 'ping.caf' },
      parcel: 4711,
    },
  })
})

test('each device uses the endpoint of its environment, and only endpoints in use are connected', async () => {
  await using production = await openApns(tls)
  await using sandbox = await openApns(tls, { environment: 'sandbox' })
  const gateway = createApnsGateway(apnsConfig(production.apns.url, sandbox.apns.url), {
    log: quietLog(),
    clock: systemClock,
  })
  await sendAll(gateway, [iosTarget(1)])
  expect(sandbox.apns.requestLog.counts.connectionsOpened).toBe(0)
  await sendAll(gateway, [iosTarget(2, 'sandbox')])
  await gateway.close()
  expect(production.apns.requestLog.accepted.map((push) => push.token)).toEqual([iosTarget(1).token])
  expect(sandbox.apns.requestLog.accepted.map((push) => push.token)).toEqual([iosTarget(2).token])
})

test('until the gateway has accepted the provider token, one request is in flight', async () => {
  await using world = await openApns(tls, { initialStreams: 100, settings: { hold: true } })
  const all = sendAll(world.gateway, targets(500))
  await expect.poll(() => world.apns.requestLog.counts.inFlight).toBe(1)
  expect(world.apns.requestLog.counts.maxInFlight).toBe(1)
  world.apns.faults.set({ hold: false, latencyMs: 20 })
  expect(await all).toEqual({ accepted: 500 })
  expect(world.apns.requestLog.counts.maxInFlight).toBeGreaterThan(100)
})

test('a rejected provider token causes one request per second and affects no device', async () => {
  await using world = await openApns(tls, { keyId: 'ANOTHERKEY' })
  expect(await sendAll(world.gateway, targets(50))).toEqual({ 'retry InvalidProviderToken': 50 })
  // One request was sent, and the others got its result.
  expect(world.apns.requestLog.counts.rejected).toBe(1)
})

test('an expired provider token is renewed exactly once, and every push arrives', async () => {
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  // The gateway's clock is ahead, so it considers a token expired that is half an hour old by our clock.
  await using world = await openApns(tls, { now: () => now, settings: { latencyMs: 5 } }, { clock })
  expect(await sendAll(world.gateway, targets(10))).toEqual({ accepted: 10 })
  world.apns.requestLog.clear()
  now += 30 * MINUTE_MS
  world.apns.faults.add({ first: 1500, do: { kind: 'reject', reason: 'ExpiredProviderToken' } })
  const counts = await sendAll(world.gateway, targets(3000))
  const expired = world.apns.requestLog.counts.rejectedByReason.ExpiredProviderToken ?? 0
  expect(expired).toBeGreaterThan(500)
  expect(world.apns.requestLog.counts.credentials).toBe(2)
  expect((counts.accepted ?? 0) + (counts['retry ExpiredProviderToken'] ?? 0)).toBe(3000)
})

test('within 20 minutes, no new provider token is created, whatever the gateway returns', async () => {
  await using world = await openApns(tls)
  expect(await sendAll(world.gateway, targets(1))).toEqual({ accepted: 1 })
  world.apns.faults.add({ do: { kind: 'reject', reason: 'ExpiredProviderToken' } })
  const outcome = await world.gateway.send(world.gateway.prepare(notification()), iosTarget(1))
  expect(outcome).toEqual({ kind: 'retry', reason: 'ExpiredProviderToken', afterMs: 1000 })
  expect(world.apns.requestLog.counts.credentials).toBe(1)
})

test('a device that no longer exists is reported with its time', async () => {
  await using world = await openApns(tls)
  world.apns.devices.unregister(iosTarget(1).token, Date.UTC(2026, 0, 2))
  const outcome = await world.gateway.send(world.gateway.prepare(notification()), iosTarget(1))
  expect(outcome).toEqual({ kind: 'gone', reason: 'Unregistered', since: new Date(Date.UTC(2026, 0, 2)) })
})

test('a wrong topic and a wrong environment are suspects', async () => {
  await using world = await openApns(tls)
  world.apns.devices.set(iosTarget(1).token, { topic: 'com.other.app' })
  world.apns.devices.set(iosTarget(2).token, { environment: 'sandbox' })
  expect(await sendAll(world.gateway, targets(2, 1))).toEqual({
    'suspect DeviceTokenNotForTopic': 1,
    'suspect BadDeviceToken': 1,
  })
})

test('429 and 503 with Retry-After become a retry', async () => {
  await using world = await openApns(tls)
  await sendAll(world.gateway, targets(1))
  for (const reason of ['TooManyRequests', 'ServiceUnavailable']) {
    world.apns.faults.reset()
    world.apns.faults.add({ do: { kind: 'reject', reason, retryAfterSeconds: 7 } })
    const outcome = await world.gateway.send(world.gateway.prepare(notification()), iosTarget(1))
    expect(outcome).toMatchObject({ kind: 'retry', reason })
  }
})

test('a device token that is not hex never becomes a path', async () => {
  await using world = await openApns(tls)
  const target = { ...iosTarget(1), token: '../../3/device/abc?x=' }
  const outcome = await world.gateway.send(world.gateway.prepare(notification()), target)
  expect(outcome).toEqual({ kind: 'suspect', reason: 'BadDeviceToken' })
  expect(world.apns.requestLog.counts.connectionsOpened).toBe(0)
})

test('every attempt is reported with outcome, reason and duration', async () => {
  const results: unknown[][] = []
  await using world = await openApns(tls, {}, { onResult: (...result) => results.push(result) })
  world.apns.faults.add({ device: iosTarget(1).token, do: { kind: 'reject', reason: 'TooManyRequests' } })
  await sendAll(world.gateway, targets(2))
  expect(results.map(([platform, kind, reason]) => [platform, kind, reason])).toEqual([
    ['ios', 'accepted', ''],
    ['ios', 'retry', 'TooManyRequests'],
  ])
  expect(results.every((result) => typeof result[3] === 'number' && result[3] > 0)).toBe(true)
})
