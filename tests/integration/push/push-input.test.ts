import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { iosToken, type PushApp, startPushApp } from '../../support/app/push-app.ts'

let app: PushApp
let token: string
let device: string

beforeAll(async () => {
  app = await startPushApp({ idle: true })
  const owner = await app.user()
  device = iosToken()
  await app.mutate(owner, 'devices.register', { platform: 'ios', token: device })
  token = await app.tokenOf(owner.id)
})
afterAll(() => app.close())

const hello = { title: 'Hello', body: 'World' }
const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

describe('POST /api/push/send rejects, names the field and sends nothing:', () => {
  test.each([
    ['no title', { body: 'b' }, 'title'],
    ['no body', { title: 't' }, 'body'],
    ['an empty title', { ...hello, title: '' }, 'title'],
    ['a blank body', { ...hello, body: ' \n' }, 'body'],
    ['a number for the title', { ...hello, title: 1 }, 'title'],
    ['NUL in the body', { ...hello, body: 'a\0b' }, 'body'],
    ['an unpaired surrogate', { ...hello, title: '\ud800' }, 'title'],
    ['a misspelled userId', { ...hello, userID: 'x' }, 'userID'],
    ['null for userId', { ...hello, userId: null }, 'userId'],
    ['userId and all', { ...hello, userId: 'x', all: true }, 'all'],
    ['all as text', { ...hello, all: 'true' }, 'all'],
    ['data as a list', { ...hello, data: [1] }, 'data'],
    ['data as text', { ...hello, data: 'x' }, 'data'],
    ['data as null', { ...hello, data: null }, 'data'],
    ['aps in data', { ...hello, data: { aps: {} } }, 'data.aps'],
    ['from in data', { ...hello, data: { from: 'me' } }, 'data.from'],
    ['message_type in data', { ...hello, data: { message_type: 'x' } }, 'data.message_type'],
    ['google* in data', { ...hello, data: { 'google.c.a.e': 1 } }, 'data.google.c.a.e'],
    ['gcm* in data', { ...hello, data: { gcmx: 1 } }, 'data.gcmx'],
    [
      'imageUrl in data too, which iOS could not distinguish',
      { ...hello, imageUrl: 'https://example.com/cat.png', data: { imageUrl: 'x' } },
      'data.imageUrl',
    ],
    ['NUL deep in data', { ...hello, data: { a: [{ b: 'x\0' }] } }, 'data'],
    ['data nested 21 levels', { ...hello, data: deep(21) }, 'data'],
    [
      'data nested 20,000 levels',
      `{"title":"t","body":"b","data":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
      'data',
    ],
    ['a long collapseId', { ...hello, collapseId: 'ü'.repeat(33) }, 'collapseId'],
    ['a line break in the collapseId', { ...hello, collapseId: 'a\r\nb: c' }, 'collapseId'],
    ['a negative ttlSeconds', { ...hello, ttlSeconds: -1 }, 'ttlSeconds'],
    ['ttlSeconds above 28 days', { ...hello, ttlSeconds: 2_419_201 }, 'ttlSeconds'],
    ['an unknown priority', { ...hello, priority: 'urgent' }, 'priority'],
    ['a negative badge', { ...hello, badge: -1 }, 'badge'],
    ['an empty sound', { ...hello, sound: '' }, 'sound'],
    ['an imageUrl that is not a URL', { ...hello, imageUrl: 'cat.png' }, 'imageUrl'],
    ['an imageUrl with an unsupported scheme', { ...hello, imageUrl: 'javascript:alert(1)' }, 'imageUrl'],
    ['an imageUrl with a space', { ...hello, imageUrl: ' https://example.com/cat.png' }, 'imageUrl'],
    ['an empty category', { ...hello, category: '' }, 'category'],
    ['dryRun as text', { ...hello, dryRun: 'yes' }, 'dryRun'],
  ])('%s', async (_, body, field) => {
    const { status, data } = await app.send(token, body)
    expect(status).toBe(400)
    expect(data).toEqual({
      error: { code: 'BAD_REQUEST', message: expect.stringContaining(field), fieldErrors: expect.anything() },
      requestId: expect.any(String),
    })
    expect(Object.keys(data.error.fieldErrors)).toEqual([field])
    expect(app.apns.requestLog.counts.accepted).toBe(0)
  })

  test('a user name or password in imageUrl, and says why', async () => {
    for (const imageUrl of [
      'https://me@e.com/a.png',
      'http://me:secret@10.0.0.1/a.png',
      'https:///me@e.com',
    ]) {
      const { data } = await app.send(token, { ...hello, imageUrl })
      expect(data.error.fieldErrors.imageUrl).toEqual([
        expect.stringMatching(/password, because everyone .* read/),
      ])
    }
  })

  test.each(['', 'x'.repeat(256)])('an empty Idempotency-Key, or one of 256 characters', async (key) => {
    const { status, data } = await app.send(token, hello, { 'idempotency-key': key })
    expect(status).toBe(400)
    expect(data.error.fieldErrors).toHaveProperty('Idempotency-Key')
  })

  test('a payload over a gateway’s 4096 bytes, and reports the excess for each gateway', async () => {
    const size = async (length: number) =>
      app.send(token, { ...hello, body: 'x'.repeat(length), dryRun: true })
    const { status, data } = await size(5000)
    expect(status).toBe(413)
    expect(data.error.code).toBe('PAYLOAD_TOO_LARGE')
    const over = /(\d+) bytes over for APNs/.exec(data.error.message)
    // The user has only an iPhone. A broadcast could reach both platforms.
    expect(data.error.message).not.toContain('FCM')
    const toAll = await app.send(token, { ...hello, body: 'x'.repeat(5000), dryRun: true, all: true })
    expect(toAll.data.error.message).toMatch(
      /\d+ bytes over for APNs \(4096\), \d+ bytes over for FCM \(4096\)/,
    )
    // Shortened by that many bytes, the payload fits exactly.
    expect((await size(5000 - Number(over?.[1]))).status).toBe(200)
    const oneMore = await size(5001 - Number(over?.[1]))
    expect(oneMore.data.error.message).toContain('1 byte over for APNs')
    const real = await app.send(token, { ...hello, body: 'x'.repeat(5000) })
    expect(real.status).toBe(413)
    expect(app.apns.requestLog.counts.accepted).toBe(0)
  })
})

describe('POST /api/push/send accepts', () => {
  test('every optional field, all: false, and data with unusual names and any values', async () => {
    const data = { n: 1, nested: { a: [true, null] }, 'with space': 'ü', constructor: 'x', Google: 'fine' }
    const { status, data: answer } = await app.send(token, {
      ...hello,
      all: false,
      category: 'news',
      collapseId: 'ü'.repeat(32),
      ttlSeconds: 2_419_200,
      priority: 'normal',
      badge: 3,
      sound: 'ping.caf',
      imageUrl: 'https://example.com/cat.png',
      dryRun: false,
      data,
    })
    expect(status).toBe(200)
    expect(answer).toMatchObject({ sent: 1, failed: 0 })
    const [push] = app.apns.requestLog.acceptedFor(device)
    expect(push?.payload).toMatchObject({ aps: { badge: 3, sound: 'ping.caf' }, ...data })
  })

  test.each(['http://10.0.0.1:8080/a.png', 'http://pictures.local/@me.png?a=b@c'])(
    'imageUrl %s: any host, even with an @ after it',
    async (imageUrl) => {
      expect((await app.send(token, { ...hello, imageUrl, dryRun: true })).status).toBe(200)
    },
  )

  test('ttlSeconds 0: delivered immediately or not at all', async () => {
    const { data } = await app.send(token, { ...hello, ttlSeconds: 0 })
    expect(data.sent).toBe(1)
    expect(app.apns.requestLog.acceptedFor(device).at(-1)?.headers['apns-expiration']).toBe('0')
  })
})
