import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collapseIdHeader, prepare } from '../../src/server/apns/payload.ts'
import { notification } from '../support/emulators/push-gateways.ts'

const NOW = new Date('2026-01-02T03:04:05.000Z')
const prepared = (change = {}) => prepare(notification(change), 'com.example.app', NOW)
const payloadOf = (change = {}) => JSON.parse(prepared(change).body.toString())

test('title and body are the alert, data stands beside aps', () => {
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

test('a picture goes beside aps and wakes the service extension', () => {
  const payload = payloadOf({ imageUrl: 'https://example.com/a.png', data: { imageUrl: 'other' } })
  expect(payload.imageUrl).toBe('https://example.com/a.png')
  expect(payload.aps['mutable-content']).toBe(1)
})

test('the headers say topic, type, priority, expiration and collapse id', () => {
  const expiresAt = new Date(NOW.getTime() + 60_000)
  expect(prepared({ expiresAt }).headers).toEqual({
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(expiresAt.getTime() / 1000),
    'apns-collapse-id': 'collapse-1',
  })
  expect(prepared({ priority: 'normal' }).headers['apns-priority']).toBe('5')
})

test('a TTL of 0 is apns-expiration 0, one of less than a second is not', () => {
  expect(prepared({ expiresAt: NOW }).headers['apns-expiration']).toBe('0')
  const soon = new Date(NOW.getTime() + 1)
  expect(prepared({ expiresAt: soon }).headers['apns-expiration']).toBe(String(NOW.getTime() / 1000 + 1))
})

test('4096 bytes fit, each one more is counted', () => {
  const fixed = prepared({ body: '' }).body.length
  expect(prepared({ body: 'x'.repeat(4096 - fixed) }).bytesOver).toBe(0)
  expect(prepared({ body: 'x'.repeat(4097 - fixed) }).bytesOver).toBe(1)
  // Bytes, not characters.
  expect(prepared({ body: '🕊'.repeat(Math.ceil((4096 - fixed) / 4) + 1) }).bytesOver).toBeGreaterThan(0)
})

test('any collapse id becomes a header of at most 64 bytes, always the same, and different for different ids', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      const header = collapseIdHeader(a)
      expect(header).toMatch(/^[\x20-\x7e]{1,64}$/)
      expect(collapseIdHeader(a)).toBe(header)
      if (a !== b) expect(collapseIdHeader(b)).not.toBe(header)
    }),
  )
  expect(collapseIdHeader('game 4711')).toBe('game 4711')
})
