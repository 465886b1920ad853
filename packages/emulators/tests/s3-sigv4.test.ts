import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authenticate } from '../src/s3/auth.ts'
import { decodeAwsChunked } from '../src/s3/chunked.ts'
import { decodeKey, parseQuery } from '../src/s3/encoding.ts'
import type { SignedRequest } from '../src/s3/signature.ts'
import type { Auth } from '../src/s3/types.ts'

/**
 * Examples of the AWS documentation: an implementation that agrees with them agrees with AWS.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
const ID = 'AKIAIOSFODNN7EXAMPLE'
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const RULES = {
  region: 'us-east-1',
  credentials: new Map([[ID, { accessKeyId: ID, secretAccessKey: SECRET }]]),
  now: Date.parse('2013-05-24T00:00:00Z'),
  ignoreUnsignedAmzHeaders: false,
  rejectsUnsignedContentType: false,
}
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function example(
  method: string,
  url: string,
  headers: Record<string, string>,
  signedHeaders: string,
  signature: string,
): SignedRequest {
  const [rawPath = '', query = ''] = url.split('?')
  return {
    method,
    rawPath,
    query: parseQuery(query),
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      'x-amz-date': '20130524T000000Z',
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${ID}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signedHeaders},Signature=${signature}`,
    },
  }
}

const chunkedExample = example(
  'PUT',
  '/examplebucket/chunkObject.txt',
  {
    host: 's3.amazonaws.com',
    'content-encoding': 'aws-chunked',
    'content-length': '66824',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  },
  'content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class',
  '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
)

describe('the examples of the AWS documentation are accepted', () => {
  test.each([
    [
      'GET with a range',
      example(
        'GET',
        '/test.txt',
        { range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY },
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    ],
    [
      'PUT with a storage class',
      example(
        'PUT',
        '/test%24file.text',
        {
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
          'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        },
        'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
        '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      ),
    ],
    [
      'GET of a sub-resource',
      example(
        'GET',
        '/?lifecycle',
        { 'x-amz-content-sha256': EMPTY },
        'host;x-amz-content-sha256;x-amz-date',
        'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      ),
    ],
    [
      'list of objects',
      example(
        'GET',
        '/?max-keys=2&prefix=J',
        { 'x-amz-content-sha256': EMPTY },
        'host;x-amz-content-sha256;x-amz-date',
        '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      ),
    ],
    ['chunked upload', chunkedExample],
  ])('%s has the documented signature', (_name, request) => {
    expect(authenticate(request, RULES).accessKeyId).toBe(ID)
  })

  test('presigned GET has the documented signature', () => {
    const query =
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'
    const headers = { host: 'examplebucket.s3.amazonaws.com' }
    const auth = authenticate(
      { method: 'GET', rawPath: '/test.txt', query: parseQuery(query), headers },
      RULES,
    )
    expect(auth.kind).toBe('presigned')
  })
})

describe('signed chunks', () => {
  const chunk = (size: string, signature: string, data: string): string =>
    `${size};chunk-signature=${signature}\r\n${data}\r\n`
  const body = [
    chunk('10000', 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648', 'a'.repeat(65536)),
    chunk('400', '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497', 'a'.repeat(1024)),
    chunk('0', 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9', ''),
  ].join('')

  async function decode(text: string, auth: Auth, pieceBytes: number): Promise<string> {
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let i = 0; i < text.length; i += pieceBytes) yield Buffer.from(text.slice(i, i + pieceBytes))
    }
    let out = ''
    for await (const data of decodeAwsChunked(
      pieces(),
      { signed: true, trailer: false, seed: auth.seed },
      {},
    )) {
      out += data.toString()
    }
    return out
  }

  test('of the documentation are decoded, wherever the stream is cut', async () => {
    const auth = authenticate(chunkedExample, RULES)
    for (const pieceBytes of [7, 1000, 100_000]) {
      expect(await decode(body, auth, pieceBytes)).toBe('a'.repeat(66560))
    }
  })

  test('are rejected if a byte is changed (wrong signature) or the end is missing (incomplete body)', async () => {
    const auth = authenticate(chunkedExample, RULES)
    const changed = `${body.slice(0, 70_000 - 4000)}b${body.slice(70_000 - 3999)}`
    await expect(decode(changed, auth, 4096)).rejects.toMatchObject({ code: 'SignatureDoesNotMatch' })
    await expect(decode(body.slice(0, -90), auth, 4096)).rejects.toMatchObject({ code: 'IncompleteBody' })
  })
})

describe('all URLs that the SDK presigns are accepted', () => {
  // Fragments on which canonicalization often fails, and any other Unicode.
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '//',
      '+',
      '%',
      '%2F',
      ' ',
      '  ',
      '../../../tests',
      '.',
      '~',
      "!'()*",
      '&=?#',
      'ü',
      '\u{1f426}',
      '\t',
      ';',
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  )
  const key = fc
    .array(piece, { minLength: 1, maxLength: 12 })
    .map((pieces) => pieces.join(''))
    .filter((text) => text !== '' && Buffer.byteLength(text) <= 1024)

  test('for all kinds of keys, metadata and types, and the key arrives unchanged', async () => {
    const credentials = { accessKeyId: ID, secretAccessKey: SECRET }
    const client = new S3Client({
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:9000',
      forcePathStyle: true,
      credentials,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    })
    await fc.assert(
      fc.asyncProperty(key, fc.string({ minLength: 1, maxLength: 20 }), async (name, type) => {
        const command = new PutObjectCommand({ Bucket: 'files', Key: name, ContentType: type })
        const text = await getSignedUrl(client, command, { signableHeaders: new Set(['content-type']) })
        const [path = '', query = ''] = text.slice('http://127.0.0.1:9000'.length).split('?')
        const headers = { host: '127.0.0.1:9000', 'content-type': type.trim() }
        const request = { method: 'PUT', rawPath: path, query: parseQuery(query), headers }
        expect(authenticate(request, { ...RULES, now: Date.now() }).kind).toBe('presigned')
        expect(decodeKey(path)).toBe(`/files/${name}`)
        const other = { ...request, rawPath: `${path}x` }
        expect(() => authenticate(other, { ...RULES, now: Date.now() })).toThrow('signature')
      }),
      { numRuns: 300 },
    )
    client.destroy()
  })
})
