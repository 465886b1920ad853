import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Gateways, Platform } from '../../src/server/domain/push/delivery/gateway.ts'
import { createPushApps } from '../../src/server/domain/push/delivery/push-apps.ts'
import { canonicalLocale, lookUpLocale } from '../../src/server/domain/push/devices/locale.ts'
import type { Notification } from '../../src/server/domain/push/messages/notification.ts'
import { prepareMessage } from '../../src/server/domain/push/messages/prepared-message.ts'

test.each([
  ['de', 'de'],
  ['de-at', 'de-AT'],
  ['de_AT', 'de-AT'],
  ['ZH-HANT-tw', 'zh-Hant-TW'],
  // Codes that old Android versions use for Hebrew and Indonesian.
  ['iw', 'he'],
  ['in_ID', 'id-ID'],
  ['', null],
  ['d', null],
  ['de-', null],
  ['en_US@calendar=buddhist', null],
  ['not a tag', null],
])('canonicalLocale(%j) is %j', (tag, canonical) => {
  expect(canonicalLocale(tag)).toBe(canonical)
})

test.each([
  ['de-AT', ['de', 'de-AT'], 'de-AT'],
  ['de-AT', ['de', 'de-DE'], 'de'],
  ['de', ['de-DE'], undefined],
  ['den', ['de'], undefined],
  ['zh-Hant-TW', ['zh', 'zh-Hant'], 'zh-Hant'],
  ['de-DE-u-co-phonebk', ['de-DE'], 'de-DE'],
  ['de-DE-u-co-phonebk', ['de'], 'de'],
  ['fr', [], undefined],
])('a device in %s with translations %j gets %j', (locale, tags, found) => {
  expect(lookUpLocale(locale, new Set(tags))).toBe(found)
})

test('the result is always the locale itself or its part before a hyphen', () => {
  const subtag = fc.stringMatching(/^[a-z]{2,4}$/)
  fc.assert(
    fc.property(fc.array(subtag, { minLength: 1, maxLength: 4 }), fc.array(subtag), (parts, others) => {
      const locale = parts.join('-')
      const tags = new Set([...others, parts[0]!])
      const found = lookUpLocale(locale, tags)
      expect(found === locale || locale.startsWith(`${found}-`)).toBe(true)
    }),
  )
})

const message = {
  id: 'message',
  userId: null,
  content: {
    title: 'Hello',
    body: 'World',
    category: 'general',
    ttlSeconds: 60,
    priority: 'high' as const,
    translations: { de: { title: 'Hallo', body: 'Welt' }, fr: { title: 'Bonjour', body: 'Monde' } },
  },
  createdAt: new Date(),
  expiresAt: new Date(),
}

test('each language is encoded once per gateway, regardless of the number of devices', () => {
  const encoded: string[] = []
  const gateway = (platform: Platform) => ({
    platform,
    prepare({ title }: Notification) {
      encoded.push(`${platform} ${title}`)
      return { platform, bytesOver: title === 'Bonjour' ? 7 : 0 }
    },
    send: async () => ({ kind: 'accepted' as const }),
    close: async () => {},
  })
  const gateways: Gateways = { ios: gateway('ios'), android: gateway('android'), web: gateway('web') }
  const prepared = prepareMessage(
    createPushApps(new Map([['default', gateways]]), () => gateways),
    message,
  )
  for (let n = 0; n < 1000; n++)
    for (const locale of [null, 'de', 'de-AT', 'de-CH', 'en', 'fr-CA'])
      prepared.for({ app: 'default', platform: n % 2 === 0 ? 'ios' : 'android', locale })
  expect(encoded.sort()).toEqual([
    'android Bonjour',
    'android Hallo',
    'android Hello',
    'ios Bonjour',
    'ios Hallo',
    'ios Hello',
  ])
  expect(prepared.bytesOver('ios')).toEqual({ bytes: 7, language: 'fr' })
  expect(encoded).toHaveLength(6)
})
