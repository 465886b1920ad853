// /api/openapi.json and the server accept the same bodies. Descriptions contain what JSON Schema cannot express: bytes
// of collapseId, depth of data, unpaired surrogates, white space around labels, malformed URLs.

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { handleOpenapi, openapiDocument } from '../../src/server/api/openapi/openapi.ts'
import { sendInput } from '../../src/server/domain/push/messages/schema.ts'
import { createTokenInput } from '../../src/server/domain/push/tokens/schema.ts'

const ajv = new Ajv2020({ formats: { iri: true, 'date-time': true } })
const { paths } = openapiDocument('https://files.example.com')
type Body = {
  content: { 'application/json': { schema: { properties: Record<string, { description?: string }> } } }
}
/** Returns the schema of the body of a POST to a path. */
const documented = (path: string) =>
  (paths![path]!.post!.requestBody as Body).content['application/json'].schema

test('the document is created once for all callers, and cached copies get 304', async () => {
  let created = 0
  const baseUrl = {
    // Called each time the document is created.
    toJSON() {
      created++
      return 'https://once.example.com'
    },
  }
  const services = Promise.resolve({ config: { baseUrl } }) as never
  const ask = (headers = {}) => handleOpenapi(new Request('http://x/api/openapi.json', { headers }), services)
  await Promise.all(Array.from({ length: 20 }, () => ask()))
  const whole = await ask()
  expect(await whole.json()).toEqual(openapiDocument('https://once.example.com'))
  const again = await ask({ 'if-none-match': whole.headers.get('etag')! })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect(created).toBe(1)
})

test('the document is sent compressed as Accept-Encoding allows, and compressed once', async () => {
  const services = Promise.resolve({ config: { baseUrl: 'https://compressed.example.com' } }) as never
  const ask = (accept: string | null, headers = {}) =>
    handleOpenapi(
      new Request('http://x/api/openapi.json', {
        headers: { ...headers, ...(accept !== null && { 'accept-encoding': accept }) },
      }),
      services,
    )
  const encodings: [string | null, string | null][] = [
    [null, null],
    ['', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['BR ; q=1.0', 'br'],
    ['*', 'br'],
    ['*;q=0', null],
    ['identity, deflate', null],
  ]
  const etags = new Set<string | null>()
  for (const [accept, encoding] of encodings) {
    const response = await ask(accept)
    expect(response.headers.get('content-encoding'), `${accept}`).toBe(encoding)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    const etag = response.headers.get('etag')!
    etags.add(etag)
    expect((await ask(accept, { 'if-none-match': etag })).status).toBe(304)
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (encoding !== null) expect(bytes.length).toBeLessThan(30_000)
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? '']
    const text = new TextDecoder().decode(decode ? decode(bytes) : bytes)
    expect(JSON.parse(text)).toEqual(openapiDocument('https://compressed.example.com'))
  }
  expect(etags.size).toBe(3)
})

const hello = { title: 'Hello', body: 'World' }

/** Generates a valid body with up to four fields changed to these values, or omitted. */
function bodies(right: object, fields: Record<string, unknown[]>) {
  const changes = Object.entries(fields).map(([name, values]) =>
    fc
      .oneof({ weight: 9, arbitrary: fc.constantFrom(undefined, ...values) }, { weight: 1, arbitrary: wild })
      .map((value) => ({ [name]: value })),
  )
  return fc
    .array(fc.oneof(...changes), { maxLength: 4 })
    .map((list): object => Object.assign({}, right, ...list))
}
const wild = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
)
const NAMES = [
  'a',
  'aps',
  'apsx',
  'from',
  'fromage',
  'message_type',
  'google.c',
  'gcmx',
  'Google',
  'imageUrl',
  'link',
  '',
  '__proto__',
]
const data = fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })
const texts = ['x', ' x ', '', ' ', '\n', 'a\0b', '🐦'.repeat(200), '\u00a0', 'ü']

const cases: Array<[string, z.ZodType, fc.Arbitrary<object>]> = [
  [
    '/api/push/send',
    sendInput,
    fc
      .tuple(
        bodies(hello, {
          title: texts,
          body: texts,
          userId: ['', 'x'],
          externalUserId: ['auth0|1', ''],
          topic: ['news', 'a'.repeat(100), 'a'.repeat(101), '', 'a b', 'A.z_0~-', 'ä'],
          sendAt: [
            '2026-12-24T18:00:00+01:00',
            '2026-12-24T18:00:00.000Z',
            '2026-12-24T18:00:00',
            '2026-12-24',
            '2026-13-24T18:00:00Z',
            'tomorrow',
          ],
          userIds: [[], ['x'], ['x', 'x'], Array(1000).fill('x'), Array(1001).fill('x'), [1], 'x'],
          all: [true, false],
          category: ['news', 'x'.repeat(100), 'x'.repeat(101), '🐦'.repeat(100), ' ', '', 'a\0'],
          collapseId: ['c', 'c'.repeat(64), 'c'.repeat(65), '', 'a\nb', 'a\u0085b'],
          ttlSeconds: [0, -1, 1.5, 2_419_200, 2_419_201],
          priority: ['high', 'normal', 'low'],
          badge: [0, -1, 2_147_483_647, 2_147_483_648],
          sound: ['ping', '', '🐦'.repeat(200), 'x'.repeat(201)],
          imageUrl: [
            'https://e.com/a.png',
            'HTTP://e.com',
            'http://10.0.0.1/@me',
            'https://me:secret@e.com/a.png',
            'HTTPS:///me@e.com',
            'cat.png',
            'ftp://e.com',
            ' https://e.com',
            'https://e.com/a b',
            '',
          ],
          silent: [true, false],
          subtitle: texts,
          threadId: ['t', '', 'x'.repeat(201)],
          interruptionLevel: ['passive', 'active', 'time-sensitive', 'critical'],
          relevanceScore: [0, 0.5, 1, 1.1, -1],
          mutableContent: [true, false],
          actionCategory: ['A', '', 'x'.repeat(200)],
          androidChannelId: ['c', '', 'x'.repeat(201)],
          link: [
            'https://e.com/1',
            'myapp://orders/1',
            'mailto:a@e.com',
            'JavaScript:alert(1)',
            'data:,x',
            'FILE:///etc/passwd',
            'Intent://x#Intent;scheme=x;end',
            'android-app://com.x/http/e.com',
            'https://me@e.com/',
            'https:\\\\me@e.com/',
            'https:me:secret@e.com',
            'myapp://me@orders/1',
            'https://e.com/@a',
            'myapp:a@b',
            '/x',
            'a b',
          ],
          translations: [
            {},
            { de: hello },
            { de: hello, 'pt-BR': { ...hello, subtitle: 's' } },
            { de: { title: 'a' } },
            { de: { ...hello, subtitle: ' ' } },
            { 'not a tag': hello },
            { d: hello },
            { de: { ...hello, sound: 'x' } },
          ],
          apns: [
            {},
            { aps: { 'thread-id': 'x' } },
            { headers: { 'apns-priority': '5', 'apns-push-type': 'alert' } },
            { headers: { 'apns-topic': 'x' } },
            { headers: { 'x-new': 'x' } },
            { headers: { 'apns-priority': '' } },
            { headers: { 'apns-priority': 'a\r\nb' } },
            { headers: { 'apns-priority': 5 } },
            { aps: [] },
            { topic: 'x' },
          ],
          android: [
            {},
            { direct_boot_ok: true, notification: { channelId: 'x' } },
            { notification: null },
            { notification: 'x' },
            { notification: [] },
            { data: { a: 'b' } },
            { data: { a: 1 } },
            { data: { gcmx: 'b' } },
            { data: null },
          ],
          dryRun: [true, false],
          userID: ['x'],
        }),
        fc.option(data, { nil: undefined }),
      )
      .map(([body, extra]) => ({ ...body, ...(extra !== undefined && { data: extra }) })),
  ],
  [
    '/api/push/token',
    createTokenInput,
    bodies(
      { userId: 'x', name: 'n' },
      {
        userId: ['', 'x'],
        name: ['n', '', ' ', '🐦'.repeat(100), 'n'.repeat(101), 'a\0'],
        expiresInDays: [1, 0, 3650, 3651, 1.5],
        allowBroadcast: [true, false],
        scopes: [['self'], ['users', 'broadcast'], ['broadcast'], [], ['self', 'self'], ['all'], 'self'],
        nam: ['x'],
      },
    ),
  ],
]

test.each(cases)('POST %s: the document accepts the same bodies as the server', (path, schema, arbitrary) => {
  const isDocumented = ajv.compile(documented(path))
  let taken = 0
  fc.assert(
    fc.property(arbitrary, (body) => {
      const json: unknown = JSON.parse(JSON.stringify(body))
      const isTaken = schema.safeParse(json).success
      if (isTaken) taken++
      expect(isDocumented(json)).toBe(isTaken)
    }),
    { numRuns: 3000 },
  )
  expect(taken).toBeGreaterThan(50)
})

describe('rules that only descriptions contain', () => {
  const schema = documented('/api/push/send')
  const isDocumented = ajv.compile(schema)

  test.each([
    ['collapseId', { collapseId: 'ü'.repeat(33) }, /64 bytes/],
    ['data', { data: { a: '\ud800' } }, /surrogate/],
    ['data', { data: JSON.parse(`${'{"a":'.repeat(21)}1${'}'.repeat(21)}`) }, /20 levels/],
    ['category', { category: ` ${'x'.repeat(100)} ` }, /before the limit is checked/],
  ])('%s', (field, change, words) => {
    const body = { ...hello, ...change }
    expect(isDocumented(body)).not.toBe(sendInput.safeParse(body).success)
    expect(schema.properties[field]!.description).toMatch(words)
  })
})
