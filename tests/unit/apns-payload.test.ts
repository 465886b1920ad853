import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collapseIdHeader, prepare } from '../../src/server/adapters/apns/payload.ts'
import { anyText } from '../support/any-text.ts'
import { notification } from '../support/emulators/push-gateways.ts'

const NOW = new Date('2026-01-02T03:04:05.000Z')
const prepared = (change = {}) => prepare(notification(change), 'com.example.app', NOW)
const headersOf = (change = {}) => Object.fromEntries(pairsOf(prepared(change).headers))
const pairsOf = (raw: readonly string[]) =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]!] as const] : []))
const payloadOf = (change = {}) => JSON.parse(prepared(change).body.toString())

test('title and body are the alert, and data is next to aps', () => {
  expect(payloadOf({ data: { screen: 'parcel', nested: { n: 1 } } })).toEqual({
    aps: { alert: { title: 'Title', body: 'Body' } },
    screen: 'parcel',
    nested: { n: 1 },
  })
})

test('badge and sound are in aps', () => {
  expect(payloadOf({ badge: 0, sound: 'ping.caf' }).aps).toEqual({
    alert: { title: 'Title', body: 'Body' },
    badge: 0,
    sound: 'ping.caf',
  })
})

test('a picture is next to aps and wakes the service extension', () => {
  const payload = payloadOf({ imageUrl: 'https://example.com/a.png', data: { imageUrl: 'other' } })
  expect(payload.imageUrl).toBe('https://example.com/a.png')
  expect(payload.aps['mutable-content']).toBe(1)
})

test('subtitle, thread, level, score, category and mutable content are in aps under Apple’s names', () => {
  const options = {
    subtitle: 'Sub',
    threadId: 'thread',
    interruptionLevel: 'time-sensitive',
    relevanceScore: 0.5,
    mutableContent: true,
    actionCategory: 'REPLY',
  }
  expect(payloadOf(options)).toEqual({
    aps: {
      alert: { title: 'Title', subtitle: 'Sub', body: 'Body' },
      'thread-id': 'thread',
      'interruption-level': 'time-sensitive',
      'relevance-score': 0.5,
      'mutable-content': 1,
      category: 'REPLY',
    },
  })
})

test('a link is next to aps', () => {
  expect(payloadOf({ link: 'myapp://orders/42' }).link).toBe('myapp://orders/42')
})

test('a silent push has only content-available, type background and priority 5, regardless of other options', () => {
  const silent = { silent: true, title: undefined, body: undefined, data: { sync: 1 } }
  expect(payloadOf(silent)).toEqual({ aps: { 'content-available': 1 }, sync: 1 })
  expect(headersOf({ ...silent, priority: 'high' })).toMatchObject({
    'apns-push-type': 'background',
    'apns-priority': '5',
  })
})

test('apns is merged into the payload: objects are merged, null removes a field, headers are replaced', () => {
  const apns = {
    aps: { alert: { body: null, 'loc-key': 'ARRIVED' }, badge: null, 'stale-date': 1 },
    headers: { 'apns-priority': '1' },
  }
  const { aps } = payloadOf({ badge: 3, apns })
  expect(aps).toEqual({ alert: { title: 'Title', 'loc-key': 'ARRIVED' }, 'stale-date': 1 })
  expect(headersOf({ apns })).toMatchObject({ 'apns-priority': '1', 'apns-push-type': 'alert' })
})

test('the headers contain topic, type, priority, expiration and collapse ID', () => {
  const expiresAt = new Date(NOW.getTime() + 60_000)
  expect(headersOf({ expiresAt })).toEqual({
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(expiresAt.getTime() / 1000),
    'apns-collapse-id': 'collapse-1',
  })
  expect(headersOf({ priority: 'normal' })['apns-priority']).toBe('5')
})

test('a TTL of 0 is apns-expiration 0, but one of less than a second is not', () => {
  expect(headersOf({ expiresAt: NOW })['apns-expiration']).toBe('0')
  const soon = new Date(NOW.getTime() + 1)
  expect(headersOf({ expiresAt: soon })['apns-expiration']).toBe(String(NOW.getTime() / 1000 + 1))
})

test('4096 bytes fit, and each additional one is counted', () => {
  const fixed = prepared({ body: '' }).body.length
  expect(prepared({ body: 'x'.repeat(4096 - fixed) }).bytesOver).toBe(0)
  expect(prepared({ body: 'x'.repeat(4097 - fixed) }).bytesOver).toBe(1)
  // The limit is in bytes, not characters.
  expect(prepared({ body: '🕊'.repeat(Math.ceil((4096 - fixed) / 4) + 1) }).bytesOver).toBeGreaterThan(0)
})

test('any collapse ID becomes a header of at most 64 bytes: equal IDs get the same one, others a different one', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (a, b) => {
      const header = collapseIdHeader(a)
      expect(header).toMatch(/^[\x20-\x7e]{1,64}$/)
      expect(collapseIdHeader(a)).toBe(header)
      if (a !== b) expect(collapseIdHeader(b)).not.toBe(header)
    }),
  )
  expect(collapseIdHeader('game 4711')).toBe('game 4711')
})
