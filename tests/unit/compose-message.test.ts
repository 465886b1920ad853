// Messages built by the page "New message" from user input: the server accepts them, or the page reports the error.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { saveTemplateInput, sendInput, sendTestInput } from '../../src/server/domain/push/messages/schema.ts'
import { buildPush, buildTemplate, buildTest } from '../../src/ui/messages/compose/build-message.ts'
import { type Draft, draftOf, EMPTY_DRAFT } from '../../src/ui/messages/compose/draft.ts'
import { anyText } from '../support/any-text.ts'

const NOW = new Date('2026-11-22T12:00:00Z')
const written: Draft = { ...EMPTY_DRAFT, title: 'Parcel', body: 'It is here' }

const anything = fc.oneof(
  anyText({ maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('\ud800', '\0', '🐦', ' ', 'a', '=', '\n') }),
)
/** Generates one of these values, unchanged or with other text around it, or any text. */
const like = (...values: string[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('', ...values) },
    { weight: 1, arbitrary: fc.constantFrom(...values).map((value) => ` ${value}\n`) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...values), anything).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: anything },
  )
const texts = like('Hello', 'x'.repeat(4000), 'x'.repeat(4001), ' ', '\u00a0')
/** Returns JSON that starts with `open` and has this many nested objects. */
const nested = (open: string, depth: number) => `${open}${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth)}`
const NAMES = [
  'aps',
  'from',
  'message_type',
  'google.c',
  'gcm',
  'imageUrl',
  'link',
  '__proto__',
  'a',
  'orderId',
]

const drafts: fc.Arbitrary<Draft> = fc.record({
  title: texts,
  body: texts,
  subtitle: texts,
  category: like('orders', 'x'.repeat(100), 'x'.repeat(101)),
  link: like(
    'https://a.example/b',
    'myapp://orders/42',
    'javascript:alert(1)',
    'JavaScript:x',
    'About:blank',
    'view-source:a',
    'https://me@a.example',
    'https:\\me@a.example',
    'myapp://me@a',
    'https://a.example/@me',
    '/orders',
    'a:',
  ),
  imageUrl: like(
    'https://a.example/@b.png',
    'HTTP://a.example',
    'https://me:secret@a.example',
    'https://',
    'ftp://a.example/b.png',
    'b.png',
  ),
  sound: like('default', 'x'.repeat(200), 'x'.repeat(201)),
  badge: like('0', '3', '-1', '1.5', '2147483647', '2147483648', '1e3', '٣'),
  priority: fc.constantFrom('' as const, 'high' as const, 'normal' as const),
  silent: fc.boolean(),
  collapseId: like('storm', 'ü'.repeat(32), 'ü'.repeat(33), 'a\nb', 'a\u0085b'),
  ttlSeconds: like('0', '2419200', '2419201', '1.5', '-1'),
  threadId: like('a', 'x'.repeat(200), 'x'.repeat(201)),
  interruptionLevel: fc.constantFrom('' as const, 'passive' as const, 'time-sensitive' as const),
  relevanceScore: like('0', '1', '0.5', '0,25', '1.1', '.5', '1e-7', '-0'),
  mutableContent: fc.boolean(),
  actionCategory: like('reply', 'x'.repeat(201)),
  androidChannelId: like('news', 'x'.repeat(201)),
  apns: like(
    '{"aps":{"a":1},"headers":{"apns-priority":"5"}}',
    '{"aps":[]}',
    '{"aps":null}',
    '{"alert":"a"}',
    '{"headers":{"apns-topic":"a"}}',
    '{"headers":{"apns-priority":5}}',
    '{"headers":{"apns-collapse-id":"a b"}}',
    '{"headers":{"__proto__":"a"}}',
    '{"aps":{"a":"\\u0000"}}',
    nested('{"aps":', 20),
    nested('{"aps":', 21),
    '{',
  ),
  android: like(
    '{"direct_boot_ok":true,"notification":{"color":"#fff"},"data":{"a":"b"}}',
    '{"notification":null}',
    '{"notification":[]}',
    '{"notification":1}',
    '{"data":null}',
    '{"data":{"a":1}}',
    '{"data":{"gcm.x":"1"}}',
    '{"data":{"__proto__":"1"}}',
    '{"a\\ud800":1}',
    nested('{"a":', 19),
    nested('{"a":', 20),
    '[]',
  ),
  data: fc
    .array(
      fc
        .tuple(fc.constantFrom(...NAMES), fc.constantFrom('=', ' = ', '', '=='), anything)
        .map((p) => p.join('')),
      { maxLength: 3 },
    )
    .map((lines) => lines.join('\n')),
  translations: fc.array(
    fc.record({
      locale: like('de', 'pt_BR', 'pt-br', 'iw', 'he', 'x', 'de-', '__proto__'),
      title: texts,
      body: texts,
    }),
    { maxLength: 3 },
  ),
  to: fc.constantFrom('owner' as const, 'all' as const, 'topic' as const, 'users' as const),
  topic: like('news.sport', 'a b', 'ä', 'x'.repeat(100), 'x'.repeat(101)),
  picked: fc.array(fc.record({ id: like('a', 'b'), name: texts }), { maxLength: 2 }),
  app: fc.constantFrom('', 'shop'),
  users: like('a', 'a, b;c\nd', ',', Array.from({ length: 1001 }, (_, i) => i).join(' ')),
  later: fc.boolean(),
  sendAt: like('2026-11-23T18:00', '2026-11-22T11:59', '2027-01-01T00:00', '2026', 'soon'),
})

/** Mostly valid drafts, with one to three arbitrary fields. */
const nearlyValid = fc
  .tuple(drafts, fc.subarray(Object.keys(EMPTY_DRAFT) as (keyof Draft)[], { minLength: 1, maxLength: 3 }))
  .map(([wild, fields]) => ({ ...written, ...Object.fromEntries(fields.map((name) => [name, wild[name]])) }))

const isWrong = (errors: object) => Object.keys(errors).length > 0

describe('messages from the composer', () => {
  test('go to the chosen app, or to all apps', () => {
    expect(buildPush({ ...written, app: 'shop' }, NOW).message).toMatchObject({ apps: ['shop'] })
    expect(buildPush(written, NOW).message).not.toHaveProperty('apps')
    expect(buildPush({ ...written, app: 'shop', silent: true }, NOW).message.apps).toEqual(['shop'])
  })

  test('every push and test without errors is accepted by the server', () => {
    let taken = 0
    fc.assert(
      fc.property(fc.oneof(drafts, nearlyValid), (draft) => {
        for (const [built, schema] of [
          [buildPush(draft, NOW), sendInput],
          [buildTest(draft), sendTestInput],
        ] as const) {
          if (isWrong(built.errors)) continue
          taken++
          const sent = JSON.parse(JSON.stringify(built.message))
          expect(schema.safeParse(sent).error?.issues).toBeUndefined()
        }
      }),
      { numRuns: 1000 },
    )
    // Check that the drafts include valid ones.
    expect(taken).toBeGreaterThan(200)
  })

  test('every template without errors is accepted by the server and restores the same message', () => {
    fc.assert(
      fc.property(fc.oneof(drafts, nearlyValid), (draft) => {
        const { message: content, errors } = buildTemplate(draft)
        if (isWrong(errors)) return
        const input = JSON.parse(JSON.stringify({ name: 'a', content }))
        expect(saveTemplateInput.safeParse(input).error?.issues).toBeUndefined()
        expect(buildTemplate({ ...EMPTY_DRAFT, ...draftOf(input.content) }).message).toEqual(content)
      }),
    )
  })

  test('a silent message has no visible content and needs no title', () => {
    const filled = draftOf({
      ...{
        title: 'a',
        body: 'b',
        subtitle: 'c',
        link: 'https://a.example',
        imageUrl: 'https://a.example/b.png',
      },
      ...{ sound: 'default', badge: 1, threadId: 'a', interruptionLevel: 'passive', relevanceScore: 1 },
      ...{ mutableContent: true, actionCategory: 'a', androidChannelId: 'a', silent: true },
      translations: { de: { title: 'a', body: 'b' } },
    })
    const kept = { collapseId: 'storm', ttlSeconds: '60', data: 'a=1', apns: '{"aps":{"b":1}}' }
    const { message, errors } = buildPush({ ...EMPTY_DRAFT, ...filled, ...kept, badge: 'wrong' }, NOW)
    expect(errors).toEqual({})
    const rest = { collapseId: 'storm', ttlSeconds: 60, data: { a: '1' }, apns: { aps: { b: 1 } } }
    expect(message).toEqual({ silent: true, ...rest })
    expect(sendInput.safeParse(message).success).toBe(true)
  })

  test('a message has exactly one target, and none for the token’s owner', () => {
    const target = (part: Partial<Draft>) => {
      const { message, errors } = buildPush({ ...written, ...part }, NOW)
      expect(errors).toEqual({})
      const { title: _, body: __, ...rest } = message
      return rest
    }
    const filled = { topic: 'news', users: 'a b' }
    expect(target(filled)).toEqual({})
    expect(target({ ...filled, to: 'all' })).toEqual({ all: true })
    expect(target({ ...filled, to: 'topic' })).toEqual({ topic: 'news' })
    expect(target({ ...filled, to: 'users' })).toEqual({ userIds: ['a', 'b'] })
    expect(target({ to: 'users', users: ' a,\n' })).toEqual({ userId: 'a' })
  })

  test.each([
    [{ title: ' ' }, 'title'],
    [{ body: '' }, 'body'],
    [{ link: 'javascript:alert(1)' }, 'link'],
    [{ imageUrl: 'picture.png' }, 'imageUrl'],
    [{ badge: '1.5' }, 'badge'],
    [{ category: 'x'.repeat(101) }, 'category'],
    [{ collapseId: 'x'.repeat(65) }, 'collapseId'],
    [{ ttlSeconds: '2419201' }, 'ttlSeconds'],
    [{ relevanceScore: '1.5' }, 'relevanceScore'],
    [{ threadId: 'x'.repeat(201) }, 'threadId'],
    [{ actionCategory: 'x'.repeat(201) }, 'actionCategory'],
    [{ androidChannelId: 'x'.repeat(201) }, 'androidChannelId'],
    [{ apns: '{"aps":' }, 'apns'],
    [{ apns: '{"alert":{}}' }, 'apns'],
    [{ apns: '{"headers":{"apns-topic":"a"}}' }, 'apns'],
    [{ android: '{"notification":"a"}' }, 'android'],
    [{ android: '{"data":{"a":1}}' }, 'android'],
    [{ data: 'orderId' }, 'data'],
    [{ data: 'a=1\na=2' }, 'data'],
    [{ data: 'aps=1' }, 'data'],
    [{ data: 'link=1', link: 'https://a.example' }, 'data'],
    [{ translations: [{ locale: 'x!', title: 'a', body: 'b' }] }, 'translations.0.locale'],
    [{ translations: [{ locale: 'de', title: '', body: 'b' }] }, 'translations.0.title'],
    [{ to: 'topic', topic: 'a b' }, 'topic'],
    [{ to: 'users', users: ' , ' }, 'users'],
    [{ later: true }, 'sendAt'],
    [{ later: true, sendAt: '2020-01-01T00:00' }, 'sendAt'],
    [{ later: true, sendAt: '2027-01-01T00:00' }, 'sendAt'],
  ] as [Partial<Draft>, string][])('the error for %j is reported', (part, field) => {
    expect(Object.keys(buildPush({ ...written, ...part }, NOW).errors)).toEqual([field])
  })

  test('a repeated language in another spelling is reported at the second one', () => {
    const translations = ['pt-BR', 'pt_br'].map((locale) => ({ locale, title: 'a', body: 'b' }))
    expect(Object.keys(buildTest({ ...written, translations }).errors)).toEqual(['translations.1.locale'])
  })
})
