import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createVapidKeys } from '../../../src/server/kernel/vapid-keys.ts'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

let app: PushApp

beforeAll(async () => {
  app = await startPushApp()
})
afterAll(() => app.close())
afterEach(() => {
  app.webPush.faults.reset()
  app.webPush.requestLog.clear()
})

const hello = { title: 'Hello', body: 'World' }

const register = (user: TestUser, subscription: object, more = {}) =>
  app.mutate(user, 'devices.register', { platform: 'web', subscription, ...more })

async function userWithBrowser() {
  const user = await app.user()
  const token = await app.tokenOf(user.id)
  const { browser, subscription } = app.browser()
  const { status, data } = await register(user, subscription, { name: 'Firefox' })
  expect({ status, data }).toEqual({ status: 200, data: { id: expect.any(String) } })
  return {
    user,
    token,
    browser,
    subscription,
    deviceId: data.id as string,
    send: async (more = {}) => (await app.send(token, { ...hello, ...more })).data,
    devices: async () => (await app.query(user, 'devices.list')).data.items,
    shown: () => browser.messages.map(({ text }) => JSON.parse(text)),
    accepted: () => app.webPush.requestLog.acceptedFor(browser.id!),
  }
}

describe('a browser', () => {
  test('subscribes with the key from devices.webPushKey, even while signed out', async () => {
    const { data } = await app.query(null, 'devices.webPushKey')
    expect(data).toEqual({ publicKey: app.services.config.webPush.keys?.publicKey })
  })

  test('registers, is listed, and gets a push that only it can read', async () => {
    const { send, shown, devices, deviceId, subscription, accepted } = await userWithBrowser()
    const answer = await send({ data: { order: 42 }, imageUrl: 'https://a.example/i.png', badge: 2 })
    expect(answer).toMatchObject({
      status: 'completed',
      audience: { ios: 0, android: 0, web: 1 },
      sent: 1,
      failed: 0,
      removed: 0,
    })
    expect(shown()).toMatchObject([
      {
        ...hello,
        imageUrl: 'https://a.example/i.png',
        badge: 2,
        data: { order: 42 },
        tag: answer.id,
        category: 'general',
        id: answer.id,
      },
    ])
    expect(accepted()[0]!.body.toString('latin1')).not.toContain('World')
    expect(await devices()).toMatchObject([
      { id: deviceId, platform: 'web', name: 'Firefox', tokenSuffix: subscription.endpoint.slice(-8) },
    ])
  })

  test('gets TTL, Urgency and Topic from ttlSeconds, priority and collapseId', async () => {
    const { send, accepted } = await userWithBrowser()
    await send({ ttlSeconds: 60, priority: 'normal', collapseId: 'order-42' })
    await send({ collapseId: 'an id with spaces, longer than thirty-two characters' })
    await send()
    expect(accepted()).toMatchObject([
      { ttl: 60, urgency: 'normal', topic: 'order-42' },
      { urgency: 'high', topic: expect.stringMatching(/^[\w-]{32}$/) },
      { ttl: 86_400, topic: null },
    ])
  })

  test('gets the link and its own language, but no fields meant for phones', async () => {
    const user = await app.user()
    const token = await app.tokenOf(user.id)
    const { browser, subscription } = app.browser()
    await register(user, subscription, { locale: 'de-AT' })
    const translations = { de: { title: 'Hallo', body: 'Welt' } }
    const ofPhones = {
      ...{ subtitle: 'Sub', threadId: 't', interruptionLevel: 'active', relevanceScore: 1, sound: 'ping' },
      ...{ mutableContent: true, actionCategory: 'REPLY', androidChannelId: 'a', apns: {}, android: {} },
    }
    const { data } = await app.send(token, {
      ...{ ...hello, ...ofPhones, translations, link: 'https://a.example/42', category: 'orders' },
    })
    expect(browser.messages.map(({ text }) => JSON.parse(text))).toEqual([
      {
        ...{ title: 'Hallo', body: 'Welt', link: 'https://a.example/42', data: {} },
        ...{ tag: data.id, category: 'orders', id: data.id, web_push: 8030 },
        notification: { title: 'Hallo', body: 'Welt', navigate: 'https://a.example/42', tag: data.id },
      },
    ])
  })

  test('gets no silent pushes, which browsers penalize: they fail with the reason', async () => {
    const { token, accepted } = await userWithBrowser()
    const { status, data } = await app.send(token, { silent: true, data: { sync: 1 } })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      ...{ audience: { web: 1 }, sent: 0, failed: 1, removed: 0 },
      failures: [{ platform: 'web', reason: 'SILENT_NOT_SUPPORTED' }],
    })
    expect(accepted()).toEqual([])
  })

  test('gets the latest push of each topic when it reconnects', async () => {
    const { send, browser, shown } = await userWithBrowser()
    browser.disconnect()
    await send({ title: 'one', collapseId: 'score' })
    await send({ title: 'two', collapseId: 'score' })
    await send({ title: 'gone', ttlSeconds: 0 })
    expect(shown()).toEqual([])
    browser.connect()
    expect(shown().map(({ title }) => title)).toEqual(['two'])
  })

  test('is refreshed by registering again, moves to another user, and unregisters by its endpoint', async () => {
    const { user, subscription, deviceId, devices } = await userWithBrowser()
    expect((await register(user, subscription)).data).toEqual({ id: deviceId })
    const other = await app.user()
    expect((await register(other, subscription)).data).toEqual({ id: deviceId })
    expect(await devices()).toMatchObject([{ disabledReason: 'SIGNED_IN_ELSEWHERE' }])
    expect((await app.mutate(other, 'devices.unregister', { token: subscription.endpoint })).status).toBe(200)
    expect((await app.query(other, 'devices.list')).data.items).toEqual([])
  })
})

describe('responses of the push service', () => {
  test.each(['NotFound', 'Gone'])('%s: the device is deleted and counts as removed', async (reason) => {
    const { send, devices } = await userWithBrowser()
    app.webPush.faults.add({ do: { kind: 'reject', reason } })
    expect(await send()).toMatchObject({ audience: { web: 1 }, sent: 0, failed: 0, removed: 1 })
    expect(await devices()).toEqual([])
  })

  test('an unsubscribed browser is deleted and counts as removed', async () => {
    const { send, browser, devices } = await userWithBrowser()
    browser.unsubscribe()
    expect(await send()).toMatchObject({ removed: 1 })
    expect(await devices()).toEqual([])
  })

  test.each(['TooManyRequests', 'InternalServerError', 'ServiceUnavailable'])(
    '%s: the push is retried',
    async (reason) => {
      const { send, shown } = await userWithBrowser()
      app.webPush.faults.add({ first: 2, do: { kind: 'reject', reason } })
      expect(await send()).toMatchObject({ sent: 1, failed: 0 })
      expect(shown()).toHaveLength(1)
      expect(app.webPush.requestLog.counts.rejected).toBe(2)
    },
  )

  test('a short Retry-After is obeyed; a long one fails with the reason', async () => {
    const { send } = await userWithBrowser()
    app.webPush.faults.add({ do: { kind: 'reject', reason: 'TooManyRequests', retryAfterSeconds: 60 } })
    expect(await send()).toMatchObject({
      sent: 0,
      failed: 1,
      failures: [{ platform: 'web', reason: 'TOO_MANY_REQUESTS' }],
    })
    expect(app.webPush.requestLog.counts.rejected).toBe(1)
  })

  test('a subscription created with another key is disabled until it registers again', async () => {
    const { user, token, devices } = await userWithBrowser()
    const { browser } = app.browser()
    const subscription = browser.subscribe(createVapidKeys().publicKey)
    await register(user, subscription)
    expect((await app.send(token, hello)).data).toMatchObject({ sent: 1, failed: 0, removed: 1 })
    expect(await devices()).toContainEqual(
      expect.objectContaining({
        tokenSuffix: subscription.endpoint.slice(-8),
        disabledReason: 'VAPID_REFUSED',
      }),
    )
    expect(app.webPush.requestLog.counts.rejectedByReason).toMatchObject({ WrongKey: 1 })
    await register(user, subscription)
    expect(await devices()).toMatchObject([{ disabledReason: null }, { disabledReason: null }])
  })

  test('a wrong service configuration disables no device: the circuit breaker opens', async () => {
    const { user, token, devices } = await userWithBrowser()
    for (let n = 0; n < 29; n++) await register(user, app.browser().subscription)
    app.webPush.faults.add({ do: { kind: 'reject', reason: 'BadSignature' } })
    expect((await app.send(token, hello)).data).toMatchObject({
      audience: { web: 30 },
      failed: 30,
      removed: 0,
    })
    expect((await devices()).filter((d: { disabledReason: string | null }) => d.disabledReason)).toEqual([])
    app.webPush.faults.reset()
    expect((await app.send(token, hello)).data).toMatchObject({ sent: 30 })
  })
})

describe('the payload', () => {
  const bytesOf = (payload: object) => Buffer.byteLength(JSON.stringify(payload))

  test('of 3,993 bytes arrives; one byte more returns 413, which says so', async () => {
    const { send, shown, token } = await userWithBrowser()
    // Long enough for a payload without the declarative message.
    await send({ body: 'x'.repeat(3_500) })
    const rest = 3993 - bytesOf({ ...shown()[0], body: '' })
    expect(await send({ body: 'x'.repeat(rest) })).toMatchObject({ sent: 1 })
    expect(bytesOf(shown()[1])).toBe(3993)
    const { status, data } = await app.send(token, { ...hello, body: 'x'.repeat(rest + 1) })
    expect(status).toBe(413)
    expect(data.error.message).toContain('1 byte over for web push')
  })

  test('is not limited for browsers if the audience has none', async () => {
    const other = await startPushApp({ idle: true })
    try {
      const user = await other.user()
      const body = 'x'.repeat(3900)
      const broadcast = await other.send(await other.tokenOf(user.id), { title: 't', body, all: true })
      expect(broadcast.status).toBe(202)
      await other.mutate(user, 'devices.register', {
        platform: 'web',
        subscription: other.browser().subscription,
      })
      expect((await other.send(await other.tokenOf(user.id), { title: 't', body, all: true })).status).toBe(
        413,
      )
    } finally {
      await other.close()
    }
  })
})

describe('without VAPID keys', () => {
  test('no key is offered for subscribing, and pushes fail with GATEWAY_NOT_CONFIGURED', async () => {
    const { user, token, send } = await userWithBrowser()
    const none = { WEB_PUSH_PUBLIC_KEY: '', WEB_PUSH_PRIVATE_KEY: '', WEB_PUSH_SUBJECT: '' }
    const replica = await app.replica(none)
    expect((await replica.query(user, 'devices.webPushKey')).data).toEqual({ publicKey: null })
    const { data } = await replica.send(token, hello)
    expect(data).toMatchObject({
      audience: { web: 1 },
      failed: 1,
      failures: [{ platform: 'web', reason: 'GATEWAY_NOT_CONFIGURED' }],
    })
    expect(await send()).toMatchObject({ sent: 1 })
  })
})

describe('a forbidden endpoint', () => {
  test.each([
    'https://127.0.0.1/push/1',
    'https://localhost/push/1',
    'https://10.1.2.3/push/1',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/push/1',
    'https://[::ffff:192.168.0.1]/push/1',
    'https://[fd00::1]/push/1',
    'https://example.com/push/1',
  ])('%s is rejected at registration', async (endpoint) => {
    const user = await app.user()
    const { keys } = app.browser().subscription
    const { status, data } = await register(user, { endpoint, keys })
    expect(status).toBe(400)
    expect(Object.keys(data.error.data.fieldErrors)).toEqual(['subscription.endpoint'])
  })

  test('a private address is rejected even for a host in WEB_PUSH_HOSTS, and never called', async () => {
    const { user, token, subscription } = await userWithBrowser()
    const replica = await app.replica({ WEB_PUSH_ALLOW_PRIVATE: 'false' })
    const rejected = await replica.mutate(user, 'devices.register', { platform: 'web', subscription })
    expect(rejected.status).toBe(400)
    expect((await replica.send(token, hello)).data).toMatchObject({
      sent: 0,
      failures: [{ reason: 'ADDRESS_NOT_PUBLIC' }],
    })
    expect(app.webPush.requestLog.counts.accepted).toBe(0)
  })

  test('a host that is no longer allowed is not called', async () => {
    const { token } = await userWithBrowser()
    const replica = await app.replica({ WEB_PUSH_HOSTS: 'push.example.com' })
    expect((await replica.send(token, hello)).data).toMatchObject({
      failures: [{ reason: 'ENDPOINT_NOT_ALLOWED' }],
    })
  })
})

test('a broadcast to three platforms reaches each device once and counts each one', async () => {
  await app.db.query('DELETE FROM devices')
  const user = await app.user()
  const token = await app.tokenOf(user.id)
  const browsers = Array.from({ length: 4 }, () => app.browser())
  for (const { subscription } of browsers) await register(user, subscription)
  browsers[0]!.browser.unsubscribe()
  await app.mutate(user, 'devices.register', { platform: 'ios', token: 'ab'.repeat(32) })
  await app.mutate(user, 'devices.register', { platform: 'android', token: 'a-phone' })
  const { status, data } = await app.send(token, { ...hello, all: true })
  expect(status).toBe(202)
  const done = await app.completed(token, data.id)
  expect(done).toMatchObject({ audience: { ios: 1, android: 1, web: 4 }, sent: 5, failed: 0, removed: 1 })
  await until('the browsers have it', () =>
    browsers.slice(1).every(({ browser }) => browser.messages.length === 1),
  )
  expect(browsers[0]!.browser.messages).toEqual([])
})
