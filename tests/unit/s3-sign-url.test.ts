import { S3Client } from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUrlSigner, type ToSign } from '../../src/server/adapters/s3/sign-url.ts'

const { sha256 } = new S3Client({ region: 'eu-west-1' }).config
const REGION = 'eu-west-1'

const credentials = fc.record(
  {
    accessKeyId: fc.stringMatching(/^[A-Z0-9]{16,20}$/),
    secretAccessKey: fc.string({ minLength: 1 }),
    sessionToken: fc.stringMatching(/^[A-Za-z0-9+/=]{20,60}$/),
  },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
)
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
const request: fc.Arbitrary<ToSign> = fc.record({
  method: fc.constantFrom('PUT', 'GET'),
  key: text.filter((key) => !/^\.|\/\./.test(key)),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { 'content-length': '5' },
    { 'content-type': 'image/png', 'content-length': '1048576' },
  ),
  query: fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z-]{1,20}$/), text, { noNullPrototype: true }),
})

/** Sorts the query by name, because URLs that differ only in order are the same request. */
function parts(url: string): { place: string; query: string[] } {
  const [place = '', search = ''] = url.split('?')
  return { place, query: search.split('&').sort() }
}

async function bySdk(given: ToSign, signing: Parameters<typeof createUrlSigner>[0]): Promise<string> {
  const { protocol, hostname, port } = new URL(signing.origin)
  const { method, key, headers = {}, query = {} } = given
  const encode = (part: string) =>
    encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  const presigner = new S3RequestPresigner({ credentials: signing.credentials, region: REGION, sha256 })
  const signed = await presigner.presign(
    {
      protocol,
      hostname,
      port: port === '' ? undefined : Number(port),
      method,
      path: signing.pathPrefix + key.split('/').map(encode).join('/'),
      headers: { ...headers },
      query: { ...query },
    },
    {
      signingDate: signing.date,
      expiresIn: signing.seconds,
      signableHeaders: new Set(['host', ...Object.keys(headers)]),
      unhoistableHeaders: new Set(Object.keys(headers)),
    },
  )
  const search = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${encode(name)}=${encode(String(value))}`,
  )
  return `${signing.origin}${signed.path}?${search.join('&')}`
}

test('every URL equals the SDK’s in signature, names and values', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 3 }),
      credentials,
      fc.constantFrom('http://127.0.0.1:9000', 'https://holes.s3.eu-west-1.amazonaws.com'),
      fc.constantFrom('/', '/holes/'),
      fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
      fc.integer({ min: 1, max: 604_800 }),
      async (requests, keys, origin, pathPrefix, date, seconds) => {
        const signing = { origin, pathPrefix, region: REGION, credentials: keys, date, seconds }
        const sign = createUrlSigner(signing)
        for (const one of requests) expect(parts(sign(one))).toEqual(parts(await bySdk(one, signing)))
      },
    ),
    { numRuns: 200 },
  )
})

test('the cached signing key depends on the day, the region and the credentials', async () => {
  const signing = {
    origin: 'http://127.0.0.1:9000',
    pathPrefix: '/',
    region: REGION,
    credentials: { accessKeyId: 'A', secretAccessKey: 'one' },
    date: new Date('2026-11-22T00:00:00Z'),
    seconds: 60,
  }
  const others = [
    { ...signing, date: new Date('2026-11-23T00:00:00Z') },
    { ...signing, region: 'us-east-1' },
    { ...signing, credentials: { accessKeyId: 'A', secretAccessKey: 'two' } },
  ]
  const urlOf = (one: typeof signing) => createUrlSigner(one)({ method: 'GET', key: 'a' })
  const urls = others.map((other) => [urlOf(signing), urlOf(other)])
  expect(new Set(urls.map(([own]) => own)).size).toBe(1)
  expect(new Set(urls.flat()).size).toBe(4)
  // Compare with the SDK's signature, which uses the next day's key after ours was cached.
  expect(parts(urls[0]![1]!)).toEqual(parts(await bySdk({ method: 'GET', key: 'a' }, others[0]!)))
})
