// Tests the push service against an independent client, the package web-push, and each rule against the RFCs.

import { createECDH, createPrivateKey, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import webPush from 'web-push'
import { ensureTls } from '../src/tls.ts'
import { startWebPush, type WebPushEmulator } from '../src/webpush/emulator.ts'
import { createServerKeys } from '../src/webpush/server-keys.ts'
import { VirtualBrowser } from '../src/webpush/virtual-browser.ts'

const keys = createServerKeys()
let dir: string
let agent: Agent
let service: WebPushEmulator

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'webpush-'))
  const tls = await ensureTls(dir)
  agent = new Agent({ ca: readFileSync(tls.caFile), keepAlive: true })
  service = await startWebPush({ tls, controlPort: 0 })
})
afterEach(() => {
  service.faults.reset()
  service.requestLog.clear()
})
afterAll(async () => {
  agent.destroy()
  await service.close()
  await rm(dir, { recursive: true, force: true })
})

const vapidDetails = { subject: 'mailto:ops@example.com', ...keys }

function subscribed(key = keys.publicKey) {
  const browser = new VirtualBrowser(service)
  return { browser, subscription: browser.subscribe(key) }
}

/** Returns a message created by web-push, with the test's changes. */
function send(
  subscription: webPush.PushSubscription,
  change: {
    headers?: Record<string, string | undefined>
    body?: Buffer
    options?: webPush.RequestOptions
    method?: string
  } = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  const made = webPush.generateRequestDetails(subscription, 'hello', { vapidDetails, ...change.options })
  const body = change.body ?? made.body!
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries({
    ...made.headers,
    'Content-Length': String(body.length),
    ...change.headers,
  }))
    if (value !== undefined) headers[name] = String(value)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      made.endpoint,
      { method: change.method ?? 'POST', headers, agent },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode!, headers: response.headers, body: text })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Returns a token with these claims, signed with this key. */
function token(claims: object, privateKey = keys, alg = 'ES256'): string {
  const point = Buffer.from(privateKey.publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey.privateKey },
    format: 'jwk',
  })
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ typ: 'JWT', alg })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${privateKey.publicKey}`
}

const inHours = (hours: number) => Math.floor(Date.now() / 1000) + hours * 3600
const claims = (change: object = {}) => ({
  aud: service.url,
  exp: inHours(1),
  sub: 'mailto:a@example.com',
  ...change,
})

describe('a message created by the package web-push', () => {
  test('is accepted, and only the browser can read it', async () => {
    const { browser, subscription } = subscribed()
    const { statusCode, headers } = await webPush.sendNotification(subscription, 'Grüße 👋', {
      vapidDetails,
      agent,
      TTL: 60,
      urgency: 'low',
      topic: 'news',
    })
    expect(statusCode).toBe(201)
    expect(headers).toMatchObject({ location: expect.stringContaining('/message/'), ttl: '60' })
    expect(browser.messages).toMatchObject([{ text: 'Grüße 👋' }])
    const [push] = service.requestLog.accepted
    expect(push).toMatchObject({ token: browser.id, ttl: 60, urgency: 'low', topic: 'news', payload: null })
    expect(JSON.stringify(push)).not.toContain('Grüße')
    expect(push!.body.includes('Gr')).toBe(false)
  })

  test('fits with 3,993 bytes, and gets 413 with one more', async () => {
    const { browser, subscription } = subscribed()
    const sized = (bytes: number) =>
      webPush.sendNotification(subscription, 'x'.repeat(bytes), { vapidDetails, agent })
    await sized(3993)
    expect(browser.messages[0]!.text).toHaveLength(3993)
    await expect(sized(3994)).rejects.toMatchObject({ statusCode: 413 })
  })

  test('gets 410 for an unsubscribed browser, and 404 for an unknown one', async () => {
    const { browser, subscription } = subscribed()
    browser.unsubscribe()
    expect((await send(subscription)).status).toBe(410)
    expect((await send({ ...subscription, endpoint: service.endpointOf('nobody') })).status).toBe(404)
  })
})

describe('a message with invalid credentials is rejected', () => {
  test.each([
    ['no token', undefined, 401, 'MissingVapid'],
    ['another scheme', () => 'Bearer abc', 401, 'MissingVapid'],
    ['another origin', () => token(claims({ aud: 'https://push.example.com' })), 401, 'BadAudience'],
    ['an expired token', () => token(claims({ exp: inHours(-1) })), 401, 'BadExpiration'],
    ['a token of more than 24 hours', () => token(claims({ exp: inHours(25) })), 401, 'BadExpiration'],
    ['no expiry', () => token(claims({ exp: undefined })), 401, 'BadExpiration'],
    ['no subject', () => token(claims({ sub: undefined })), 401, 'BadSubject'],
    ['a subject that is not an address', () => token(claims({ sub: 'ops' })), 401, 'BadSubject'],
    ['another algorithm', () => token(claims(), keys, 'HS256'), 401, 'BadVapid'],
    [
      'a signature of another key',
      () => token(claims(), { ...createServerKeys(), publicKey: keys.publicKey } as typeof keys),
      401,
      'BadSignature',
    ],
    ['the key of another server', () => token(claims(), createServerKeys()), 403, 'WrongKey'],
  ])('with %s', async (_, authorization, status, reason) => {
    const { subscription } = subscribed()
    let Authorization: string | undefined
    try {
      Authorization = authorization?.()
    } catch {
      // A mismatched key pair cannot be imported, so corrupt the signature instead.
      Authorization = token(claims()).replace(/.{4}, k=/, 'AAAA, k=')
    }
    const response = await send(subscription, { headers: { Authorization } })
    expect({ status: response.status, ...JSON.parse(response.body) }).toEqual({ status, reason })
    expect(service.requestLog.counts).toMatchObject({ accepted: 0, rejectedByReason: { [reason]: 1 } })
  })

  test('a token is valid for at most 24 hours and for many messages', async () => {
    const { subscription } = subscribed()
    const Authorization = token(claims({ exp: inHours(24) - 5 }))
    for (let n = 0; n < 3; n++)
      expect((await send(subscription, { headers: { Authorization } })).status).toBe(201)
    expect(service.requestLog.counts.credentials).toBe(1)
  })
})

describe('a malformed message is rejected', () => {
  test.each([
    ['without TTL', { TTL: undefined }, 'MissingTtl'],
    ['with a TTL that is not a number', { TTL: '1h' }, 'BadTtl'],
    ['with a negative TTL', { TTL: '-1' }, 'BadTtl'],
    ['with another urgency', { Urgency: 'urgent' }, 'BadUrgency'],
    ['with a topic of 33 characters', { Topic: 'a'.repeat(33) }, 'BadTopic'],
    ['with a topic that is not base64url', { Topic: 'a b' }, 'BadTopic'],
    ['in the older encoding', { 'Content-Encoding': 'aesgcm' }, 'BadContentEncoding'],
    ['without an encoding', { 'Content-Encoding': undefined }, 'BadContentEncoding'],
  ])('%s (400)', async (_, headers, reason) => {
    const { subscription } = subscribed()
    const response = await send(subscription, { headers })
    expect({ status: response.status, ...JSON.parse(response.body) }).toEqual({ status: 400, reason })
  })

  test('with a body that is not a record of aes128gcm (400)', async () => {
    const { subscription } = subscribed()
    const valid = webPush.generateRequestDetails(subscription, 'hello', { vapidDetails }).body!
    const changed = (at: number, ...bytes: number[]) => {
      const body = Buffer.from(valid)
      body.set(bytes, at)
      return body
    }
    const wrong = [
      randomBytes(50),
      Buffer.from('{"title":"in the clear"}'),
      changed(16, 0, 0, 0, 17),
      changed(20, 64),
      changed(21, 5),
      changed(22, ...randomBytes(64)),
    ]
    for (const body of wrong) {
      const response = await send(subscription, { body })
      expect({ status: response.status, ...JSON.parse(response.body) }).toEqual({
        status: 400,
        reason: 'BadRecord',
      })
    }
  })

  test('with another method (405), or at another path (404)', async () => {
    const { subscription } = subscribed()
    expect((await send(subscription, { method: 'PUT' })).status).toBe(405)
    expect((await send({ ...subscription, endpoint: `${service.url}/other` })).status).toBe(404)
  })
})

describe('a closed browser', () => {
  test('gets stored messages when it runs again: the latest of each topic, and none with TTL 0', async () => {
    const { browser, subscription } = subscribed()
    browser.disconnect()
    const push = (text: string, options: webPush.RequestOptions = {}) =>
      webPush.sendNotification(subscription, text, { vapidDetails, agent, TTL: 60, ...options })
    await push('score 1', { topic: 'score' })
    await push('other')
    await push('score 2', { topic: 'score' })
    await push('now or never', { TTL: 0 })
    expect(service.subscriptions.storedFor(browser.id!)).toBe(2)
    browser.connect()
    expect(browser.messages.map(({ text }) => text)).toEqual(['other', 'score 2'])
  })

  test('subscribes again with a new endpoint and new keys', () => {
    const { browser, subscription } = subscribed()
    const again = browser.subscribe(keys.publicKey)
    expect(again.endpoint).not.toBe(subscription.endpoint)
    expect(again.keys.p256dh).not.toBe(subscription.keys.p256dh)
  })

  test('cannot subscribe with a key that is not a P-256 point', () => {
    const browser = new VirtualBrowser(service)
    const compressed = createECDH('prime256v1').generateKeys('base64url', 'compressed')
    for (const key of ['', 'abc', compressed]) expect(() => browser.subscribe(key)).toThrow(RangeError)
  })
})

describe('the fault script', () => {
  test('responds with 429 and Retry-After, then accepts', async () => {
    const { browser, subscription } = subscribed()
    service.faults.add({
      device: browser.id!,
      first: 1,
      do: { kind: 'reject', reason: 'TooManyRequests', retryAfterSeconds: 7 },
    })
    expect(await send(subscription)).toMatchObject({ status: 429, headers: { 'retry-after': '7' } })
    expect((await send(subscription)).status).toBe(201)
  })

  test('rejects unknown reasons', () => {
    expect(() => service.faults.add({ do: { kind: 'reject', reason: 'UNREGISTERED' } })).toThrow(RangeError)
  })

  test('accepts subscriptions of other processes through the control server', async () => {
    const put = (body: object) =>
      fetch(`${service.control!.url}/devices/from-elsewhere`, { method: 'PUT', body: JSON.stringify(body) })
    const { keys: browserKeys } = subscribed().subscription
    const subscription = { endpoint: service.endpointOf('from-elsewhere'), keys: browserKeys }
    expect((await put({ applicationServerKey: 'nonsense' })).status).toBe(400)
    await put({ applicationServerKey: keys.publicKey })
    expect((await send(subscription)).status).toBe(201)
    await put({ applicationServerKey: keys.publicKey, gone: true })
    expect((await send(subscription)).status).toBe(410)
  })
})
