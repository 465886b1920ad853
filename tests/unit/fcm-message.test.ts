import { readSendRequest } from '@pigeonhole/emulators/fcm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyFor, prepare } from '../../src/server/adapters/fcm/message.ts'
import { notification } from '../support/emulators/push-gateways.ts'

const NOW = new Date('2026-01-02T03:04:05.000Z')
const hour = { expiresAt: new Date(NOW.getTime() + 3_600_000) }
const prepared = (change = {}) => prepare(notification({ ...hour, ...change }), NOW)
const messageOf = (change = {}, token = 'tok') => JSON.parse(bodyFor(prepared(change), token)).message

test('contains title, body and data; values other than strings become JSON', () => {
  expect(messageOf({ data: { s: 'text', n: 1, o: { a: [true, null] }, z: null } })).toEqual({
    token: 'tok',
    notification: { title: 'Title', body: 'Body' },
    data: { s: 'text', n: '1', o: '{"a":[true,null]}', z: 'null' },
    android: { priority: 'HIGH', ttl: '3600s', notification: { tag: 'collapse-1' } },
  })
})

test('contains picture, sound, badge and normal priority', () => {
  const message = messageOf({ imageUrl: 'https://e.com/a.png', sound: 'ping', badge: 3, priority: 'normal' })
  expect(message.notification.image).toBe('https://e.com/a.png')
  expect(message.android).toEqual({
    priority: 'NORMAL',
    ttl: '3600s',
    notification: { tag: 'collapse-1', sound: 'ping', notification_count: 3 },
  })
})

test('a channel is in android.notification, a link in data', () => {
  const message = messageOf({ androidChannelId: 'orders', link: 'https://e.com/1', data: { a: 1 } })
  expect(message.android.notification).toEqual({ tag: 'collapse-1', channel_id: 'orders' })
  expect(message.data).toEqual({ a: '1', link: 'https://e.com/1' })
})

test('a silent push is a data message without notification; the caller’s collapse ID becomes the collapse key', () => {
  const silent = { silent: true, title: undefined, body: undefined, data: { sync: 1 }, messageId: 'm' }
  const message = messageOf({ ...silent, priority: 'normal', collapseId: 'm' })
  expect(message).toEqual({
    token: 'tok',
    data: { sync: '1' },
    android: { priority: 'NORMAL', ttl: '3600s' },
  })
  expect(messageOf({ ...silent, collapseId: 'sync' }).android.collapse_key).toBe('sync')
})

test('android is merged into the message, in snake or camel case, and its data is added to ours', () => {
  const android = {
    directBootOk: true,
    ttl: '5s',
    notification: { channelId: 'other', tag: null, vibrate_timings: ['0.5s'] },
    data: { b: 'two', a: 'new' },
  }
  const message = messageOf({ androidChannelId: 'orders', data: { a: 'one' }, link: 'x:y', android })
  expect(message.android).toEqual({
    priority: 'HIGH',
    ttl: '5s',
    direct_boot_ok: true,
    notification: { channel_id: 'other', vibrate_timings: ['0.5s'] },
  })
  expect(message.data).toEqual({ a: 'new', b: 'two', link: 'x:y' })
})

test('ttl is in seconds, never below 0 or above four weeks', () => {
  const ttl = (ms: number) => messageOf({ expiresAt: new Date(NOW.getTime() + ms) }).android.ttl
  expect(ttl(0)).toBe('0s')
  expect(ttl(-5000)).toBe('0s')
  expect(ttl(1)).toBe('1s')
  expect(ttl(2_419_200_001)).toBe('2419200s')
})

test('the token is inserted as JSON: a quote in it cannot change the message', () => {
  const token = 'a","topic":"all'
  expect(messageOf({}, token).token).toBe(token)
})

test('4096 bytes fit, each additional one is counted, and the token does not count', () => {
  const { bytesOver } = prepared({ body: 'x'.repeat(5000) })
  const limit = (extra: number) => prepared({ body: 'x'.repeat(5000 - bytesOver + extra) }).bytesOver
  expect([limit(-1), limit(0), limit(1), limit(2)]).toEqual([0, 0, 1, 2])
})

test('characters that JSON escapes count with their escaped bytes', () => {
  const of = (text: string) => prepared({ body: `${text.repeat(2500)}${'x'.repeat(5000)}` }).bytesOver
  expect(of('"')).toBe(of('x'))
  expect(of('\n')).toBe(of('x'))
  expect(of('ü')).toBe(of('xx'))
})

test('the excess equals what the local FCM, with its own count, rejects', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 })
  fc.assert(
    fc.property(
      fc.record({
        title: text,
        body: text,
        data: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 8 }),
        imageUrl: fc.option(text, { nil: undefined }),
        sound: fc.option(text, { nil: undefined }),
        badge: fc.option(fc.nat(), { nil: undefined }),
        link: fc.option(text, { nil: undefined }),
        androidChannelId: fc.option(text, { nil: undefined }),
        android: fc.constantFrom(
          undefined,
          {
            notification: {
              title: 'other',
              sticky: true,
              vibrateTimings: ['1s', '2s'],
              notification_count: 3,
            },
          },
          { data: { a: 'b', link: 'x' }, directBootOk: true },
        ),
      }),
      fc.integer({ min: -3, max: 3 }),
      (change, extra) => {
        fc.pre(!Object.keys(change.data).some((name) => /^(from$|message_type$|google|gcm)/.test(name)))
        const filled = { ...change, body: change.body + 'x'.repeat(8000) }
        const { bytesOver } = prepared(filled)
        const fitted = { ...filled, body: filled.body.slice(0, filled.body.length - bytesOver + extra) }
        const answer = readSendRequest(bodyFor(prepared(fitted), 'tok'), () => true)
        expect(prepared(fitted).bytesOver).toBe(Math.max(0, extra))
        expect('reason' in answer).toBe(extra > 0)
      },
    ),
  )
})
