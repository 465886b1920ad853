// What each field of a push becomes on each platform, as the gateways receive it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { androidToken, iosToken, type PushApp, startPushApp } from '../../support/app/push-app.ts'
import type { TestUser } from '../../support/users.ts'

let app: PushApp
let user: TestUser
let token: string
let ios: string
let android: string

const hello = { title: 'Hello', body: 'World' }

beforeAll(async () => {
  app = await startPushApp()
  await newUser()
})
afterAll(() => app.close())

/** Creates a user with an iPhone and an Android phone. */
async function newUser(): Promise<void> {
  user = await app.user()
  token = await app.tokenOf(user.id)
  ios = await register('ios', 'de-AT')
  android = await register('android', 'fr_CA')
}

async function register(platform: 'ios' | 'android', locale?: string, of = user): Promise<string> {
  const device = platform === 'ios' ? iosToken() : androidToken()
  const { status } = await app.mutate(of, 'devices.register', { platform, token: device, locale })
  expect(status).toBe(200)
  return device
}

const atApns = (device = ios) => app.apns.requestLog.accepted.findLast((push) => push.token === device)!
// biome-ignore lint/suspicious/noExplicitAny: JSON that a test reads
const atFcm = (device = android): any =>
  app.fcm.requestLog.accepted.findLast((push) => push.token === device)!.payload
const send = async (body: object) => {
  const { status, data } = await app.send(token, body)
  expect(data).toMatchObject({ sent: 2 })
  expect(status).toBe(200)
}

describe('each field at APNs', () => {
  test.each([
    [{ subtitle: 'Sub' }, { alert: { ...hello, subtitle: 'Sub' } }],
    [{ threadId: 'orders' }, { 'thread-id': 'orders' }],
    [{ interruptionLevel: 'passive' }, { 'interruption-level': 'passive' }],
    [{ interruptionLevel: 'active' }, { 'interruption-level': 'active' }],
    [{ interruptionLevel: 'time-sensitive' }, { 'interruption-level': 'time-sensitive' }],
    [{ relevanceScore: 0.25 }, { 'relevance-score': 0.25 }],
    [{ mutableContent: true }, { 'mutable-content': 1 }],
    [{ actionCategory: 'REPLY' }, { category: 'REPLY' }],
    [{ badge: 0 }, { badge: 0 }],
    [{ sound: 'ping.caf' }, { sound: 'ping.caf' }],
    [{ apns: { aps: { 'target-content-id': 'inbox' } } }, { 'target-content-id': 'inbox' }],
  ])('%j', async (field, aps) => {
    await send({ ...hello, ...field })
    expect(atApns().payload).toEqual({ aps: { alert: hello, ...aps } })
  })

  test('link and imageUrl, next to data', async () => {
    await send({ ...hello, link: 'myapp://orders/42', imageUrl: 'https://e.com/a.png', data: { a: 1 } })
    expect(atApns().payload).toEqual({
      aps: { alert: hello, 'mutable-content': 1 },
      a: 1,
      link: 'myapp://orders/42',
      imageUrl: 'https://e.com/a.png',
    })
  })

  test('headers', async () => {
    await send({ ...hello, apns: { headers: { 'apns-priority': '1', 'apns-collapse-id': 'game' } } })
    expect(atApns()).toMatchObject({ priority: 1, collapseId: 'game', pushType: 'alert' })
  })
})

describe('delivery options', () => {
  const secondsFromNow = (seconds: number) => expect.closeTo(Date.now() / 1000 + seconds, -2)

  test('pass on ttlSeconds, priority and collapseId', async () => {
    await send({ ...hello, ttlSeconds: 3600, priority: 'normal', collapseId: 'game' })
    expect(atApns()).toMatchObject({ priority: 5, collapseId: 'game' })
    expect(atApns().expiration).toEqual(secondsFromNow(3600))
    expect(atFcm().android).toMatchObject({ priority: 'NORMAL', notification: { tag: 'game' } })
    expect(Number.parseFloat(atFcm().android.ttl)).toBeCloseTo(3600, -2)
    await send({ ...hello, ttlSeconds: 0, priority: 'high' })
    expect(atApns().priority).toBe(10)
    expect(atFcm().android.priority).toBe('HIGH')
  })

  test('default to high priority, one day, and the message’s ID', async () => {
    const { data } = await app.send(token, hello)
    expect(atApns()).toMatchObject({ priority: 10, collapseId: data.id })
    expect(atApns().expiration).toEqual(secondsFromNow(86_400))
    expect(atFcm().android).toMatchObject({ priority: 'HIGH', notification: { tag: data.id } })
  })
})

describe('each field at FCM', () => {
  test.each([
    [
      { androidChannelId: 'a channel that the app has not created' },
      { channel_id: 'a channel that the app has not created' },
    ],
    [{ badge: 7 }, { notification_count: 7 }],
    [{ sound: 'ping' }, { sound: 'ping' }],
    [{ android: { notification: { channelId: 'x', sticky: true } } }, { channel_id: 'x', sticky: true }],
  ])('%j', async (field, notification) => {
    await send({ ...hello, ...field })
    expect(atFcm().android.notification).toMatchObject(notification)
    expect(atFcm().notification).toEqual(hello)
  })

  test('link, imageUrl and data', async () => {
    await send({ ...hello, link: 'myapp://orders/42', imageUrl: 'https://e.com/a.png', data: { a: 1 } })
    expect(atFcm()).toMatchObject({
      notification: { ...hello, image: 'https://e.com/a.png' },
      data: { a: '1', link: 'myapp://orders/42' },
    })
  })

  test('android overrides the generated fields', async () => {
    await send({ ...hello, android: { direct_boot_ok: true, ttl: '60s', data: { extra: 'x' } } })
    expect(atFcm()).toMatchObject({ android: { direct_boot_ok: true, ttl: '60s' }, data: { extra: 'x' } })
  })

  test('FCM rejects fields unknown to AndroidConfig, and the device stays', async () => {
    const { data } = await app.send(token, { ...hello, android: { directBoot: true } })
    expect(data).toMatchObject({ sent: 1, failed: 1, removed: 0 })
    expect(data.failures).toMatchObject([{ platform: 'android', reason: 'INVALID_ARGUMENT' }])
  })
})

describe('a silent push', () => {
  test('is a background push of priority 5 at APNs and a data message at FCM, and is in no inbox', async () => {
    await newUser()
    await send({ silent: true, data: { sync: 'orders' } })
    expect(atApns()).toMatchObject({ pushType: 'background', priority: 5 })
    expect(atApns().payload).toEqual({ aps: { 'content-available': 1 }, sync: 'orders' })
    expect(atFcm()).toMatchObject({ data: { sync: 'orders' }, android: { priority: 'NORMAL' } })
    expect(atFcm()).not.toHaveProperty('notification')
    expect(atFcm().android).not.toHaveProperty('notification')
    expect((await app.query(user, 'messages.list')).data.items).toEqual([])
    expect((await app.messages(token)).data.items).toMatchObject([{ title: null, sent: 2 }])
  })

  test.each([
    { title: 'a' },
    { body: 'a' },
    { badge: 1 },
    { sound: 'a' },
    { imageUrl: 'https://e.com/a.png' },
    { subtitle: 'a' },
    { link: 'https://e.com' },
    { translations: {} },
    { interruptionLevel: 'active' },
  ])('cannot have %j', async (field) => {
    const { status, data } = await app.send(token, { silent: true, ...field })
    expect(status).toBe(400)
    expect(Object.keys(data.error.fieldErrors)).toEqual(Object.keys(field))
  })

  test('is the only push that needs no title and body', async () => {
    for (const silent of [undefined, false]) {
      const { status, data } = await app.send(token, { silent, data: { a: 1 } })
      expect(status).toBe(400)
      expect(Object.keys(data.error.fieldErrors)).toEqual(['title', 'body'])
    }
  })
})

describe('link', () => {
  const send = (link: string) => app.send(token, { title: 'a', body: 'b', link, dryRun: true })

  test.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'blob:https://e.com/1',
    'about:blank',
    'view-source:https://e.com',
    'file:///data/data/app/secrets',
    'File:/etc/passwd',
    'content://com.app.provider/secrets',
    'filesystem:https://e.com/x',
    'intent://e.com#Intent;component=com.app/.Inner;end',
    'android-app://com.app/https/e.com',
    'itms-services://?action=download-manifest&url=https://e.com/x.plist',
    'ms-msdt:/id',
    'MS-officecmd:{}',
    'ms-appinstaller:?source=https://e.com',
    'prefs:root=x',
    'shortcuts://run',
    'smb://e.com/x',
    'feed:javascript:x',
    'chrome-extension://x/y',
    'vscode://file/x',
    'https://user@e.com/',
    'https://user:secret@e.com/',
    'https:/\\user@e.com/',
    'https:user@e.com',
    'myapp://user:secret@orders/1',
    '/orders/1',
    'tel:*31#',
    'tel:*31%23',
    'TEL:%2A31',
    'tel:+49301234#1',
    'tel://%2a%2a21*0301234567%23',
    'tel:%252A31%2523',
    'telprompt:*%2306%23',
    'callto:#31#',
  ])('%s is rejected, because it could run code, read files or deceive', async (link) => {
    const { status, data } = await send(link)
    expect(status).toBe(400)
    expect(Object.keys(data.error.fieldErrors)).toEqual(['link'])
  })

  test.each([
    'https://e.com/orders/42?to=a@e.com#@x',
    'http://localhost:3000/',
    'myapp://orders/42',
    'com.example.app:/orders/42',
    'files://orders',
    'mailto:ada@example.com',
    'tel:+4930123456',
    'tel:+49%2030%20(123)-456;ext=7,,8',
    'spotify:track:1',
  ])('%s is accepted', async (link) => {
    expect((await send(link)).status).toBe(200)
  })
})

describe('translations', () => {
  const translations = {
    de: { title: 'Hallo', body: 'Welt' },
    'de-at': { title: 'Servus', body: 'Welt', subtitle: 'Untertitel' },
    fr: { title: 'Bonjour', body: 'Monde' },
  }

  test('follow the device’s locale: exact match, then language, then default; in broadcasts too', async () => {
    await newUser()
    const devices = {
      'de-AT': ios,
      'de-CH': await register('ios', 'de_CH'),
      es: await register('ios', 'es'),
      none: await register('android'),
      fr: android,
    }
    const shown = () => [
      (atApns(devices['de-AT']).payload as { aps: { alert: unknown } }).aps.alert,
      (atApns(devices['de-CH']).payload as { aps: { alert: unknown } }).aps.alert,
      (atApns(devices.es).payload as { aps: { alert: unknown } }).aps.alert,
      atFcm(devices.none).notification,
      atFcm(devices.fr).notification,
    ]
    const expected = [translations['de-at'], translations.de, hello, hello, translations.fr]
    await app.send(token, { ...hello, translations })
    expect(shown()).toEqual(expected)
    const { data } = await app.send(token, { ...hello, translations, userIds: [user.id] })
    expect(await app.completed(token, data.id)).toMatchObject({ sent: 5 })
    expect(app.apns.requestLog.countOf(ios)).toBe(2)
    expect(shown()).toEqual(expected)
  })

  test('locales are stored in canonical form, kept when omitted at registration, and validated', async () => {
    await newUser()
    const kept = async (of = user) => {
      const { rows } = await app.db.query('SELECT platform, locale FROM devices WHERE user_id = $1', [of.id])
      return rows.map((row) => `${row.platform} ${row.locale}`).sort()
    }
    expect(await kept()).toEqual(['android fr-CA', 'ios de-AT'])
    await app.mutate(user, 'devices.register', { platform: 'ios', token: ios })
    expect(await kept()).toEqual(['android fr-CA', 'ios de-AT'])
    await app.mutate(user, 'devices.register', { platform: 'ios', token: ios, locale: 'iw' })
    expect(await kept()).toEqual(['android fr-CA', 'ios he'])
    const wrong = await app.mutate(user, 'devices.register', { platform: 'ios', token: ios, locale: 'd e' })
    expect(wrong.status).toBe(400)
    // The phone now belongs to another user, whose language is unknown.
    const other = await app.user()
    await app.mutate(other, 'devices.register', { platform: 'ios', token: ios })
    expect(await kept(other)).toEqual(['ios null'])
    await newUser()
  })

  test.each([
    [{ 'not a tag': hello }, 'translations.not a tag'],
    [{ de: { title: 'a' } }, 'translations.de.body'],
    [{ de: hello, DE: hello }, 'translations.DE'],
    [{ de: { ...hello, badge: 1 } }, 'translations.de.badge'],
  ])('%j returns 400', async (given, field) => {
    const { status, data } = await app.send(token, { ...hello, translations: given })
    expect(status).toBe(400)
    expect(Object.keys(data.error.fieldErrors)).toEqual([field])
  })
})

describe('4096 bytes', () => {
  // The excess of a text of 5,000 bytes reveals the maximum length.
  const longest = async (make: (text: string) => object) => {
    const { status, data } = await app.send(token, { ...make('x'.repeat(5000)), dryRun: true })
    expect(status).toBe(413)
    const over = [...data.error.message.matchAll(/(\d+) bytes over/g)].map((m) => Number(m[1]))
    return 5000 - Math.max(...over)
  }

  test.each<[string, (text: string) => object]>([
    ['the text', (body) => ({ ...hello, body })],
    [
      'the longest translation in any language',
      (body) => ({ ...hello, translations: { de: { title: 'a', body }, fr: hello } }),
    ],
    ['a silent push', (text) => ({ silent: true, data: { text } })],
    ['the overlays', (text) => ({ ...hello, apns: { aps: { text } }, android: { data: { text } } })],
  ])(
    '%s is sent at the limit; one byte more returns 413, which says by how much it is too long',
    async (_, make) => {
      const bytes = await longest(make)
      await send(make('x'.repeat(bytes)))
      const { status, data } = await app.send(token, make('x'.repeat(bytes + 1)))
      expect(status).toBe(413)
      expect(data.error.message).toContain('1 byte over for')
    },
  )

  test('the error names the language', async () => {
    const translations = { de: { title: 'a', body: 'x'.repeat(5000) } }
    const { data } = await app.send(token, { ...hello, translations })
    expect(data.error.message).toMatch(
      /bytes over for APNs \(4096\) in de, \d+ bytes over for FCM \(4096\) in de/,
    )
  })
})

describe('headers for APNs', () => {
  test.each([
    ['apns-topic', 'is set by the service'],
    ['apns-id', 'is set by the service'],
    ['Authorization', 'is set by the service'],
    ['x-apns-new', 'is not known'],
    [':path', 'is not known'],
  ])('%s returns 400, which names it', async (name, why) => {
    const { status, data } = await app.send(token, { ...hello, apns: { headers: { [name]: 'x' } } })
    expect(status).toBe(400)
    expect(data.error.fieldErrors[`apns.headers.${name}`][0]).toContain(why)
  })

  test('a priority that conflicts with the push type fails with Apple’s reason, and the device stays', async () => {
    const headers = { 'apns-push-type': 'background', 'apns-priority': '10' }
    const { data } = await app.send(token, { ...hello, apns: { headers } })
    expect(data).toMatchObject({ sent: 1, failed: 1, removed: 0 })
    expect(data.failures).toMatchObject([{ platform: 'ios', reason: 'BadPriority' }])
    await send(hello)
  })
})
