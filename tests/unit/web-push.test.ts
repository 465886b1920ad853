// Web push without a network: encryption, VAPID, payload, topics, meaning of responses, allowed endpoints.

import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { VirtualBrowser } from '@pigeonhole/emulators/webpush'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encrypt, MAX_PLAINTEXT_BYTES } from '../../src/server/adapters/web-push/encrypt.ts'
import { prepare, topicOf } from '../../src/server/adapters/web-push/payload.ts'
import { outcomeOf } from '../../src/server/adapters/web-push/reasons.ts'
import { createVapid } from '../../src/server/adapters/web-push/vapid.ts'
import { checkEndpoint } from '../../src/server/domain/push/devices/push-services.ts'
import { registerDeviceInput } from '../../src/server/domain/push/devices/schema.ts'
import { createVapidKeys, isVapidPair } from '../../src/server/kernel/vapid-keys.ts'
import { anyText } from '../support/any-text.ts'
import { notification } from '../support/emulators/push-gateways.ts'

const ORIGIN = 'https://files.example.com'

/** Creates a browser without a push service. The test delivers its messages. */
function createBrowser() {
  let deliver: (push: { body: Buffer; topic: null; expiresAt: number }) => void = () => {}
  const service = {
    subscriptions: {
      add: () => 'id',
      unsubscribe() {},
      connect(_id: string, to: typeof deliver) {
        deliver = to
        return () => {}
      },
    },
    endpointOf: () => 'https://push.example.com/push/id',
  }
  const browser = new VirtualBrowser(service as never)
  const { keys } = browser.subscribe(createVapidKeys().publicKey)
  return {
    keys,
    read(body: Buffer) {
      deliver({ body, topic: null, expiresAt: 0 })
      return browser.messages.at(-1)!.text
    },
  }
}

describe('encryption', () => {
  test('only the intended browser can decrypt a message, whatever its content', () => {
    const browser = createBrowser()
    const other = createBrowser()
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), (text) => {
        const body = encrypt(Buffer.from(text), browser.keys)
        expect(browser.read(body)).toBe(Buffer.from(text).toString())
        expect(() => other.read(body)).toThrow()
      }),
      { numRuns: 25 },
    )
  })

  test('a body with any change cannot be decrypted', () => {
    const browser = createBrowser()
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const body = encrypt(Buffer.from('hello'), browser.keys)
        // According to RFC 8188, the record size is not authenticated.
        const position = at % body.length
        if (position >= 16 && position < 20) return
        body[position]! ^= by
        expect(() => browser.read(body)).toThrow()
      }),
      { numRuns: 25 },
    )
  })

  test('the longest payload results in a body of 4,096 bytes', () => {
    const browser = createBrowser()
    expect(MAX_PLAINTEXT_BYTES).toBe(3993)
    expect(encrypt(randomBytes(3993), browser.keys)).toHaveLength(4096)
  })

  test('each push has its own key pair and salt', () => {
    const { keys } = createBrowser()
    const bodies = Array.from({ length: 20 }, () => encrypt(Buffer.from('same'), keys))
    expect(new Set(bodies.map((body) => body.toString('hex', 0, 16))).size).toBe(20)
    expect(new Set(bodies.map((body) => body.toString('hex', 21, 86))).size).toBe(20)
  })
})

describe('VAPID', () => {
  const keys = createVapidKeys()
  let now = new Date('2026-05-01T00:00:00Z')
  const vapid = createVapid({ ...keys, subject: 'mailto:ops@example.com' }, { now: () => now })
  const parsed = (origin: string) => {
    const header = vapid.authorization(origin)
    const [, token, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header)!
    const [head, claims, signature] = token!.split('.') as [string, string, string]
    return {
      header,
      key,
      head,
      claims,
      signature,
      content: JSON.parse(Buffer.from(claims, 'base64url').toString()),
    }
  }

  test('contains audience, subject and an expiry within 24 hours, signed with our key', () => {
    const { key, head, claims, signature, content } = parsed('https://push.example.com')
    expect(key).toBe(keys.publicKey)
    expect(content).toEqual({
      aud: 'https://push.example.com',
      sub: 'mailto:ops@example.com',
      exp: now.getTime() / 1000 + 12 * 3600,
    })
    const point = Buffer.from(keys.publicKey, 'base64url')
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    const bytes = Buffer.from(signature, 'base64url')
    expect(
      verify(
        'sha256',
        Buffer.from(`${head}.${claims}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        bytes,
      ),
    ).toBe(true)
  })

  test('is created once per push service, and again after six hours', () => {
    const first = parsed('https://a.example.com').header
    expect(parsed('https://a.example.com').header).toBe(first)
    expect(parsed('https://b.example.com').content.aud).toBe('https://b.example.com')
    now = new Date(now.getTime() + 6 * 3_600_000)
    expect(parsed('https://a.example.com').header).not.toBe(first)
  })

  test('keys of different pairs are detected', () => {
    expect(isVapidPair(keys.publicKey, keys.privateKey)).toBe(true)
    expect(isVapidPair(createVapidKeys().publicKey, keys.privateKey)).toBe(false)
    expect(isVapidPair(keys.publicKey, Buffer.alloc(32).toString('base64url'))).toBe(false)
  })

  test('a private key that starts with zeros keeps its 32 bytes', () => {
    for (let n = 0; n < 300; n++)
      expect(Buffer.from(createVapidKeys().privateKey, 'base64url')).toHaveLength(32)
  })
})

describe('the payload', () => {
  const payloadOf = (change = {}) => {
    const { plaintext, ...prepared } = prepare(notification(change), ORIGIN, new Date())
    return { ...prepared, payload: JSON.parse(plaintext.toString()) }
  }

  test('contains what a service worker needs, and the same as a declarative message', () => {
    const { payload } = payloadOf({ badge: 3, imageUrl: 'https://a.example/i.png', data: { n: 1 } })
    expect(payload).toEqual({
      title: 'Title',
      body: 'Body',
      imageUrl: 'https://a.example/i.png',
      badge: 3,
      data: { n: 1 },
      tag: 'collapse-1',
      category: 'general',
      id: '0198-message',
      web_push: 8030,
      notification: {
        title: 'Title',
        body: 'Body',
        navigate: 'https://files.example.com/messages',
        tag: 'collapse-1',
        image: 'https://a.example/i.png',
      },
      app_badge: 3,
    })
  })

  test.each([
    ['https://shop.example/orders/1', 'https://shop.example/orders/1'],
    ['/files?sort=name', 'https://files.example.com/files?sort=name'],
    ['javascript:alert(1)', 'https://files.example.com/messages'],
    ['https://', 'https://files.example.com/messages'],
  ])('the declarative message opens an absolute URL of http or https: %s', (link, navigate) => {
    expect(payloadOf({ link }).payload.notification.navigate).toBe(navigate)
  })

  test('the declarative message is left out where both do not fit', () => {
    expect(payloadOf({ body: 'x'.repeat(1_800) }).payload).toHaveProperty('web_push')
    expect(payloadOf({ body: 'x'.repeat(2_000) }).payload).toMatchObject({
      title: 'Title',
      id: '0198-message',
    })
    expect(payloadOf({ body: 'x'.repeat(2_000) }).payload).not.toHaveProperty('web_push')
  })

  test('has at most 3,993 bytes, and additional ones are counted', () => {
    const long = 3_500
    const prepareBody = (length: number) =>
      prepare(notification({ body: 'x'.repeat(length) }), ORIGIN, new Date())
    const others = prepareBody(long).plaintext.length - long
    const sized = (bytes: number) => prepareBody(bytes - others)
    expect(sized(3993).bytesOver).toBe(0)
    expect(sized(3994).bytesOver).toBe(1)
    expect(sized(4500).bytesOver).toBe(507)
  })

  test('TTL, Urgency and Topic come from ttlSeconds, priority and collapseId', () => {
    const now = new Date()
    const headers = (change: object) => prepare(notification(change), ORIGIN, now).headers
    expect(headers({ expiresAt: new Date(now.getTime() + 60_000) })).toMatchObject({
      ttl: '60',
      urgency: 'high',
      topic: 'collapse-1',
    })
    expect(headers({ expiresAt: new Date(now.getTime() - 1), priority: 'normal' })).toMatchObject({
      ttl: '0',
      urgency: 'normal',
    })
    // Derived from the message's ID, so that repeats have the same tag.
    expect(headers({ messageId: 'm', collapseId: 'm' })).not.toHaveProperty('topic')
  })

  test('any collapse ID becomes a topic of 1 to 32 base64url characters: equal IDs get the same one, others a different one', () =>
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 64 }),
        fc.string({ minLength: 1, maxLength: 64 }),
        (a, b) => {
          expect(topicOf(a)).toMatch(/^[\w-]{1,32}$/)
          expect(topicOf(a) === topicOf(b)).toBe(a === b)
        },
      ),
    ))
})

describe('the meaning of a response', () => {
  const answer = (status: number, headers = {}, body = '') =>
    outcomeOf({ kind: 'response', status, headers, body }, new Date('2026-05-01T00:00:00Z'))

  test.each([
    [200, { kind: 'accepted' }],
    [201, { kind: 'accepted' }],
    [202, { kind: 'accepted' }],
    [301, { kind: 'rejected', reason: 'HTTP_301' }],
    [400, { kind: 'rejected', reason: 'HTTP_400' }],
    [401, { kind: 'suspect', reason: 'VAPID_REFUSED' }],
    [403, { kind: 'suspect', reason: 'VAPID_REFUSED' }],
    [404, { kind: 'gone', reason: 'SUBSCRIPTION_GONE' }],
    [406, { kind: 'retry', reason: 'TOO_MANY_REQUESTS', device: true }],
    [410, { kind: 'gone', reason: 'SUBSCRIPTION_GONE' }],
    [413, { kind: 'rejected', reason: 'PAYLOAD_TOO_LARGE' }],
    [429, { kind: 'retry', reason: 'TOO_MANY_REQUESTS', device: true }],
    [500, { kind: 'retry', reason: 'HTTP_500' }],
    [502, { kind: 'retry', reason: 'HTTP_502' }],
    [503, { kind: 'retry', reason: 'HTTP_503' }],
  ])('%i', (status, outcome) => {
    expect(answer(status)).toEqual(outcome)
  })

  test('Retry-After is passed on, in seconds and as a date', () => {
    expect(answer(503, { 'retry-after': '7' })).toMatchObject({ afterMs: 7000 })
    expect(answer(429, { 'retry-after': 'Fri, 01 May 2026 00:01:00 GMT' })).toMatchObject({ afterMs: 60_000 })
  })

  test('a 400 from Apple means that the subscription has another key', () => {
    expect(answer(400, {}, '{"reason":"VapidPkHashMismatch"}')).toEqual({
      kind: 'suspect',
      reason: 'VAPID_REFUSED',
    })
    expect(answer(400, {}, '{"reason":"BadTtl"}')).toEqual({ kind: 'rejected', reason: 'HTTP_400' })
  })
})

describe('an endpoint', () => {
  const hosts = ['push.example.com', 'up.example.org:8443']

  test.each([
    ['https://fcm.googleapis.com/fcm/send/abc', 'google'],
    ['https://jmt17.google.com/fcm/send/abc', 'google'],
    ['https://updates.push.services.mozilla.com/wpush/v2/abc', 'mozilla'],
    ['https://web.push.apple.com/abc', 'apple'],
    ['https://wns2-by3p.notify.windows.com/w/?token=abc', 'microsoft'],
    ['https://push.example.com/abc', 'other'],
    ['https://up.example.org:8443/abc', 'other'],
  ])('%s belongs to %s', (endpoint, service) => {
    expect(checkEndpoint(endpoint, hosts)).toEqual({ service })
  })

  test.each([
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/fcm/send/abc',
    'https://fcm.googleapis.com.evil.example/abc',
    'https://evilpush.apple.com.example/abc',
    'https://.push.apple.com/abc',
    'https://push.apple.com/abc',
    'https://notify.windows.com/abc',
    'https://user:secret@fcm.googleapis.com/abc',
    'https://fcm.googleapis.com@evil.example/abc',
    'https://fcm.googleapis.com/abc#fragment',
    'https://up.example.org/abc',
    'https://push.example.com:444/abc',
    'https://127.0.0.1/abc',
    'https://localhost/abc',
    'https://10.0.0.1/abc',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/abc',
    'https://[::ffff:10.0.0.1]/abc',
    'https://2130706433/abc',
    'https://0x7f.1/abc',
    'file:///etc/passwd',
    'nonsense',
  ])('%s is rejected', (endpoint) => {
    expect(checkEndpoint(endpoint, hosts)).toHaveProperty('fault')
  })
})

describe('a subscription', () => {
  const { keys } = createBrowser()
  const endpoint = 'https://fcm.googleapis.com/fcm/send/abc'
  const parse = (subscription: object) => registerDeviceInput.safeParse({ platform: 'web', subscription })
  const faults = (subscription: object) =>
    parse(subscription).error?.issues.map((issue) => issue.path.join('.'))

  test('is accepted as the browser sends it, with or without padding', () => {
    expect(parse({ endpoint, keys }).data).toMatchObject({ subscription: { endpoint, keys } })
    const padded = { p256dh: `${keys.p256dh}=`, auth: `${keys.auth}==` }
    expect(parse({ endpoint, expirationTime: null, keys: padded }).data).toMatchObject({
      subscription: { keys },
    })
  })

  test('must have a public key that is a point of P-256, and a secret of 16 bytes', () => {
    const offCurve = Buffer.from(keys.p256dh, 'base64url')
    offCurve[64]! ^= 1
    const compressed = createECDH('prime256v1').generateKeys('base64url', 'compressed')
    for (const p256dh of [offCurve.toString('base64url'), compressed, keys.p256dh.slice(4), '', '!', 7])
      expect(faults({ endpoint, keys: { ...keys, p256dh } })).toContain('subscription.keys.p256dh')
    for (const auth of [
      randomBytes(15).toString('base64url'),
      randomBytes(17).toString('base64url'),
      '',
      null,
    ])
      expect(faults({ endpoint, keys: { ...keys, auth } })).toContain('subscription.keys.auth')
  })

  test('must have an endpoint with https and at most 2,048 characters', () => {
    for (const wrong of [
      'http://fcm.googleapis.com/a',
      'nonsense',
      `https://fcm.googleapis.com/${'a'.repeat(2048)}`,
      5,
    ])
      expect(faults({ endpoint: wrong, keys })).toContain('subscription.endpoint')
  })
})
