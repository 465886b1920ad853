// One instance serves several apps (PUSH_APPS_FILE), and none of them affects another.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createChunkRepo } from '../../../src/server/adapters/postgres/push/broadcasts/chunk-repo.ts'
import { createCircuitBreakers } from '../../../src/server/adapters/postgres/push/delivery/circuit-breakers.ts'
import { upstreamsOf } from '../../../src/server/domain/push/delivery/upstream.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import {
  androidToken,
  iosToken,
  type PushApp,
  SHOP_PROJECT,
  SHOP_TOPIC,
  seedDevices,
  startPushApp,
} from '../../support/app/push-app.ts'
import { apnsConfig, PROJECT, quietLog, TOPIC } from '../../support/emulators/push-gateways.ts'
import { startPushWorker } from '../../support/process/push-worker.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const hello = { title: 'Hello', body: 'World' }
const everyone = { ...hello, all: true }

const shop = (credentialsFile: string) => ({
  shop: { apns: { topic: SHOP_TOPIC }, fcm: { projectId: SHOP_PROJECT, credentialsFile } },
})

let app: PushApp
let token: string
let user: TestUser

async function start(options: Parameters<typeof startPushApp>[0] = {}): Promise<void> {
  app = await startPushApp({ apps: shop, ...options })
  user = await app.user()
  token = await app.tokenOf(user.id)
}
afterEach(() => app.close())

/** Registers a device of each platform in both apps, and returns their tokens. */
async function registerAll() {
  const tokens = {
    ios: iosToken(),
    android: androidToken(),
    shopIos: iosToken(),
    shopAndroid: androidToken(),
  }
  const register = (input: object) => app.mutate(user, 'devices.register', input)
  await register({ platform: 'ios', token: tokens.ios })
  await register({ platform: 'android', token: tokens.android, app: 'default' })
  await register({ platform: 'ios', token: tokens.shopIos, app: 'shop' })
  await register({ platform: 'android', token: tokens.shopAndroid, app: 'shop' })
  const web = app.browser()
  await register({ platform: 'web', subscription: web.subscription, app: 'shop' })
  return { ...tokens, browser: web.browser }
}

/** Topic or project of each accepted push, by device token. */
function delivered(): Record<string, string> {
  return Object.fromEntries([
    ...app.apns.requestLog.accepted.map(({ token: device, topic }) => [device, topic]),
    ...app.fcm.requestLog.accepted.map(({ token: device, name }) => [device, name.split('/')[1]!]),
  ])
}

const disabled = async () => {
  const { rows } = await app.db.query('SELECT id FROM devices WHERE disabled_reason IS NOT NULL ORDER BY id')
  return rows.map((row): string => row.id)
}

const metric = async (name: string, labels: string) => {
  const text = await app.services.metrics.text()
  return Number(new RegExp(`^pigeonhole_${name}{${labels}} (\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN)
}

describe('two apps', () => {
  beforeEach(() => start())

  test('a push reaches the devices of all apps, each with its own topic and project', async () => {
    const { ios, android, shopIos, shopAndroid, browser } = await registerAll()
    const { data } = await app.send(token, hello)
    expect(data).toMatchObject({ audience: { ios: 2, android: 2, web: 1 }, sent: 5, failed: 0, removed: 0 })
    expect(delivered()).toEqual({
      [ios]: TOPIC,
      [android]: PROJECT,
      [shopIos]: SHOP_TOPIC,
      [shopAndroid]: SHOP_PROJECT,
    })
    expect(browser.messages).toHaveLength(1)
    const attempts = 'push_attempt_duration_seconds_count'
    expect(await metric(attempts, 'app="shop",gateway="ios",outcome="accepted"')).toBe(1)
    expect(await metric(attempts, 'app="default",gateway="ios",outcome="accepted"')).toBe(1)
  })

  test('devices.list names the app of each device', async () => {
    await registerAll()
    const { data } = await app.query(user, 'devices.list')
    const apps = data.items.map((item: { app: string; platform: string }) => `${item.app} ${item.platform}`)
    expect(apps.sort()).toEqual(['default android', 'default ios', 'shop android', 'shop ios', 'shop web'])
  })

  test('a token belongs to the app that registered it last, and stays one device', async () => {
    const device = iosToken()
    const first = await app.mutate(user, 'devices.register', { platform: 'ios', token: device })
    const second = await app.mutate(user, 'devices.register', { platform: 'ios', token: device, app: 'shop' })
    expect(second.data.id).toBe(first.data.id)
    await app.send(token, hello)
    expect(delivered()).toEqual({ [device]: SHOP_TOPIC })
    await app.mutate(user, 'devices.register', { platform: 'ios', token: device })
    await app.send(token, hello)
    expect(delivered()).toEqual({ [device]: TOPIC })
  })

  test.each<[string, (user: TestUser) => object]>([
    ['the owner', () => ({})],
    ['one user', ({ id }) => ({ userId: id })],
    ['several users', ({ id }) => ({ userIds: [id] })],
    ['a topic', () => ({ topic: 'news' })],
    ['everyone', () => ({ all: true })],
    ['one user later', ({ id }) => ({ userId: id, sendAt: new Date().toISOString() })],
    ['everyone later', () => ({ all: true, sendAt: new Date().toISOString() })],
  ])('a push to %s that names apps reaches only their devices', async (_, target) => {
    const { shopIos, shopAndroid, browser } = await registerAll()
    await app.mutate(user, 'topics.subscribe', { topic: 'news' })
    const body = { ...hello, ...target(user), apps: ['shop'] }
    const audience = { ios: 1, android: 1, web: 1 }
    const { sendAt: _sendAt, ...now } = body as { sendAt?: string }
    expect((await app.send(token, { ...now, dryRun: true })).data).toMatchObject({ audience })
    const { data } = await app.send(token, body)
    expect(await app.completed(token, data.id)).toMatchObject({ audience, sent: 3, failed: 0, removed: 0 })
    expect(delivered()).toEqual({ [shopIos]: SHOP_TOPIC, [shopAndroid]: SHOP_PROJECT })
    expect(browser.messages).toHaveLength(1)
  })

  test('a broadcast to all apps counts each device once', async () => {
    await seedDevices(app.db, 700, { app: 'shop' })
    await seedDevices(app.db, 700)
    const { data } = await app.send(token, everyone)
    expect(await app.completed(token, data.id)).toMatchObject({
      audience: { ios: 700, android: 700 },
      sent: 1400,
      failed: 0,
    })
    const places = Object.values(delivered())
    for (const place of [TOPIC, PROJECT, SHOP_TOPIC, SHOP_PROJECT])
      expect(places.filter((one) => one === place)).toHaveLength(350)
  })

  test('an unknown app is BAD_REQUEST, and nothing is registered or sent', async () => {
    await registerAll()
    const registered = await app.mutate(user, 'devices.register', {
      platform: 'ios',
      token: iosToken(),
      app: 'shoop',
    })
    expect(registered.data.error.data).toMatchObject({
      code: 'BAD_REQUEST',
      fieldErrors: { app: ['must name an app of this service; "shoop" is not one'] },
    })
    for (const target of [{}, { all: true }, { dryRun: true }]) {
      const { status, data } = await app.send(token, { ...hello, ...target, apps: ['shop', 'shoop'] })
      expect(status).toBe(400)
      expect(data.error).toMatchObject({
        code: 'BAD_REQUEST',
        fieldErrors: { apps: ['must name an app of this service; "shoop" is not one'] },
      })
    }
    const tested = await app.mutate(user, 'messages.sendTest', { ...hello, apps: ['shoop'] })
    expect(tested.status).toBe(400)
    expect((await app.send(token, { ...hello, apps: [] })).status).toBe(400)
    expect(delivered()).toEqual({})
    const { rows } = await app.db.query('SELECT count(*)::int AS n FROM push_messages')
    expect(rows).toEqual([{ n: 0 }])
  })

  test('a test message can name apps too', async () => {
    const { shopIos, shopAndroid } = await registerAll()
    const { data } = await app.mutate(user, 'messages.sendTest', { ...hello, apps: ['shop'] })
    expect(data).toMatchObject({ sent: 3 })
    expect(Object.keys(delivered()).sort()).toEqual([shopIos, shopAndroid].sort())
  })

  test('the same Idempotency-Key with other apps is 409', async () => {
    await registerAll()
    const key = { 'idempotency-key': 'once' }
    expect((await app.send(token, { ...hello, apps: ['shop'] }, key)).status).toBe(200)
    expect((await app.send(token, { ...hello, apps: ['shop'] }, key)).status).toBe(200)
    expect((await app.send(token, { ...hello, apps: ['default'] }, key)).status).toBe(409)
    expect(Object.values(delivered()).sort()).toEqual([SHOP_TOPIC, SHOP_PROJECT].sort())
  })
})

test('a payload is measured although the app default has no gateway', async () => {
  const { topic: _, endpoint: __, sandboxEndpoint: ___, ...key } = apnsConfig('')
  await start({
    apps: () => ({ shop: { apns: { topic: SHOP_TOPIC, ...key } } }),
    env: {
      APNS_TEAM_ID: '',
      APNS_KEY_ID: '',
      APNS_PRIVATE_KEY: '',
      APNS_TOPIC: '',
      FIREBASE_PROJECT_ID: '',
      GOOGLE_APPLICATION_CREDENTIALS: '',
    },
  })
  const device = iosToken()
  await app.mutate(user, 'devices.register', { platform: 'ios', token: device, app: 'shop' })
  const long = { ...hello, data: { text: 'x'.repeat(5000) } }
  for (const body of [long, { ...long, all: true }]) expect((await app.send(token, body)).status).toBe(413)
  expect((await app.send(token, hello)).data).toMatchObject({ sent: 1 })
  expect(delivered()).toEqual({ [device]: SHOP_TOPIC })
})

/** Sends to everyone, and waits until this many pushes are recorded as sent. */
async function broadcast(count: number): Promise<{ id: string; tookMs: number }> {
  const startedAt = performance.now()
  const { data } = await app.send(token, everyone)
  await until('these pushes are recorded', async () => {
    const { data: view } = await app.message(token, data.id)
    return view.sent === count
  })
  return { id: data.id, tookMs: performance.now() - startedAt }
}

describe('a misconfigured app', () => {
  beforeEach(() => start())

  test('opens only its own circuit breakers, and no device of any app is disabled', async () => {
    const own = await seedDevices(app.db, 60, { platform: 'ios', app: 'shop' })
    const android = await seedDevices(app.db, 60, { platform: 'android', app: 'shop' })
    const others = await seedDevices(app.db, 60)
    // The tokens belong to another app than the topic in PUSH_APPS_FILE.
    for (const device of own.tokens) app.apns.devices.set(device, { topic: TOPIC })
    for (const device of android.tokens) app.fcm.devices.set(device, 'SENDER_ID_MISMATCH')
    for (const userId of [...own.userIds, ...android.userIds, ...others.userIds])
      expect((await app.send(token, { ...hello, userId })).status).toBe(200)
    expect(await disabled()).toEqual([])
    for (const [upstream, open] of [
      ['shop/ios', 1],
      ['shop/android', 1],
      ['ios', 0],
      ['android', 0],
    ])
      expect([upstream, await metric('push_circuit_open', `upstream="${upstream}"`)]).toEqual([
        upstream,
        open,
      ])
    expect(
      await metric('push_not_accepted_total', 'app="shop",gateway="ios",reason="DeviceTokenNotForTopic"'),
    ).toBe(60)

    const { data } = await app.send(token, everyone)
    expect(await app.completed(token, data.id)).toMatchObject({
      audience: { ios: 90, android: 90 },
      sent: 60,
      failed: 120,
      removed: 0,
    })
    expect(await disabled()).toEqual([])
    const { gateways } = await app.services.deploymentState()
    expect(gateways.filter(({ openCircuitBreakers }) => openCircuitBreakers.length > 0)).toEqual([
      { app: 'shop', platform: 'ios', configured: true, openCircuitBreakers: ['shop/ios'] },
      { app: 'shop', platform: 'android', configured: true, openCircuitBreakers: ['shop/android'] },
    ])
  })

  test('does not protect the devices of another app: their own rejections disable them', async () => {
    const own = await seedDevices(app.db, 30, { platform: 'ios', app: 'shop' })
    const others = await seedDevices(app.db, 30, { platform: 'ios' })
    for (const device of [...own.tokens, others.tokens[7]!])
      app.apns.devices.set(device, { topic: 'com.example.other' })
    const { data } = await app.send(token, everyone)
    expect(await app.completed(token, data.id)).toMatchObject({ sent: 29, failed: 30, removed: 1 })
    expect(await disabled()).toEqual([others.ids[7]])
  })

  test('whose pushes hang does not delay other apps', async () => {
    // Five chunks for each app; a process works on four of an upstream at a time.
    await seedDevices(app.db, 2_100, { platform: 'ios' })
    await seedDevices(app.db, 2_100, { platform: 'ios', app: 'shop' })
    await app.db.query(`UPDATE devices SET token = 'a1' || substr(token, 3) WHERE app = 'shop'`)
    await app.db.query(`UPDATE devices SET token = 'b2' || substr(token, 3) WHERE app = 'default'`)
    const normal = await broadcast(4_200)
    await app.completed(token, normal.id)
    app.apns.requestLog.clear()
    app.apns.faults.add({ device: { prefix: 'a1' }, do: { kind: 'hold' } })
    const { id, tookMs } = await broadcast(2_100)
    // A push that waited for the other app would take 10 s longer, until that app's pushes time out.
    expect(tookMs).toBeLessThan(normal.tookMs + 5_000)
    expect(app.apns.requestLog.accepted.every(({ topic }) => topic === TOPIC)).toBe(true)
    app.apns.faults.reset()
    expect(await app.completed(token, id)).toMatchObject({ sent: 4_200, failed: 0 })
  })
})

describe('an app that is no longer in the file', () => {
  beforeEach(() => start({ idle: true }))

  test('keeps its devices: pushes to them fail with GATEWAY_NOT_CONFIGURED, all others are sent', async () => {
    await registerAll()
    const later = await app.replica({ PUSH_APPS_FILE: '' })
    await later.services.start()
    const direct = await later.send(token, hello)
    expect(direct.data).toMatchObject({
      audience: { ios: 2, android: 2, web: 1 },
      sent: 2,
      failed: 3,
      removed: 0,
    })
    expect(direct.data.failures.map(({ reason }: { reason: string }) => reason)).toEqual(
      Array(3).fill('GATEWAY_NOT_CONFIGURED'),
    )
    const targets = [{ all: true }, { userIds: [user.id] }]
    const sends = await Promise.all(targets.map((target) => later.send(token, { ...hello, ...target })))
    for (const { data } of sends) {
      const done = await later.completed(token, data.id)
      expect(done).toMatchObject({ audience: { ios: 2, android: 2, web: 1 }, sent: 2, failed: 3, removed: 0 })
    }
    expect(await disabled()).toEqual([])
    expect(await later.services.metrics.text()).toContain(
      'pigeonhole_push_not_accepted_total{app="other",gateway="ios",reason="GATEWAY_NOT_CONFIGURED"} 3',
    )
    expect((await later.send(token, { ...hello, apps: ['shop'] })).status).toBe(400)
    expect(Object.values(delivered()).sort()).toEqual([TOPIC, PROJECT].sort())

    await app.services.start()
    expect((await app.send(token, hello)).data).toMatchObject({ sent: 5 })
  })

  test('a replica that does not know a new app yet leaves its chunks to the others for 10 s', async () => {
    await registerAll()
    await app.send(token, { ...everyone, apps: ['shop'] })
    const db = createDb(app.env.DATABASE_URL!, 1)
    const chunks = createChunkRepo(db, createCircuitBreakers(db, quietLog()))
    const known = new Map(upstreamsOf(['default']).map((upstream) => [upstream, 4]))
    const claim = () => chunks.claim(newId(), { known, unknown: 4 }, 10_000, [])
    expect(await claim()).toEqual([])
    await app.db.query(`UPDATE push_message_chunks SET due_at = now() - interval '11 seconds'`)
    const claimed = await claim()
    expect(claimed.map(({ upstream }) => upstream).sort()).toEqual(['shop/android', 'shop/ios', 'shop/web'])
    await db.close()
  })
})

test('after kill -9 of a replica, another continues the broadcast for both apps and skips no device', async () => {
  await start({ idle: true })
  const own = await seedDevices(app.db, 2_250, { platform: 'ios', app: 'shop' })
  const others = await seedDevices(app.db, 2_250, { platform: 'ios' })
  app.apns.faults.set({ latencyMs: 150 })
  const victim = await startPushWorker(app)
  await app.services.start()
  const answered = new Promise<{ data: { id: string } }>((resolve) => victim.child.once('message', resolve))
  victim.send({ token, body: everyone })
  const { data } = await answered
  await app.apns.requestLog.waitFor((log) => log.counts.accepted >= 1_500)
  await victim.kill()
  app.apns.faults.set({ latencyMs: 0 })
  expect(await app.completed(token, data.id)).toMatchObject({
    audience: { ios: 4_500 },
    sent: 4_500,
    failed: 0,
    removed: 0,
  })
  const topics = delivered()
  expect(own.tokens.filter((device) => topics[device] !== SHOP_TOPIC)).toEqual([])
  expect(others.tokens.filter((device) => topics[device] !== TOPIC)).toEqual([])
})
