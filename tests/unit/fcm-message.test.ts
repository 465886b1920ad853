import { expect, test } from 'vitest'
import { bodyFor, prepare } from '../../src/server/fcm/message.ts'
import { notification } from '../support/gateways.ts'

const NOW = new Date('2026-01-02T03:04:05.000Z')
const hour = { expiresAt: new Date(NOW.getTime() + 3_600_000) }
const prepared = (change = {}) => prepare(notification({ ...hour, ...change }), NOW)
const messageOf = (change = {}, token = 'tok') => JSON.parse(bodyFor(prepared(change), token)).message

test('title, body and data; what is no string becomes its JSON', () => {
  expect(messageOf({ data: { s: 'text', n: 1, o: { a: [true, null] }, z: null } })).toEqual({
    token: 'tok',
    notification: { title: 'Title', body: 'Body' },
    data: { s: 'text', n: '1', o: '{"a":[true,null]}', z: 'null' },
    android: { priority: 'HIGH', ttl: '3600s', notification: { tag: 'collapse-1' } },
  })
})

test('picture, sound, badge and normal priority', () => {
  const message = messageOf({ imageUrl: 'https://e.com/a.png', sound: 'ping', badge: 3, priority: 'normal' })
  expect(message.notification.image).toBe('https://e.com/a.png')
  expect(message.android).toEqual({
    priority: 'NORMAL',
    ttl: '3600s',
    notification: { tag: 'collapse-1', sound: 'ping', notification_count: 3 },
  })
})

test('ttl is in seconds, never below 0 nor above four weeks', () => {
  const ttl = (ms: number) => messageOf({ expiresAt: new Date(NOW.getTime() + ms) }).android.ttl
  expect(ttl(0)).toBe('0s')
  expect(ttl(-5000)).toBe('0s')
  expect(ttl(1)).toBe('1s')
  expect(ttl(2_419_200_001)).toBe('2419200s')
})

test('the token is put in as JSON: a quote in it cannot change the message', () => {
  const token = 'a","topic":"all'
  expect(messageOf({}, token).token).toBe(token)
})

test('4096 bytes fit, each one more is counted, the token does not count', () => {
  const fixed = Buffer.byteLength(bodyFor(prepared({ body: '' }), '')) - '{"message":{"token":"",'.length
  const limit = (extra: number) => prepared({ body: 'x'.repeat(4096 - fixed + extra) }).bytesOver
  expect(limit(0)).toBe(0)
  expect(limit(1)).toBe(1)
})
