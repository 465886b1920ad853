import { createHmac } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { beforeEach, describe, expect, test } from 'vitest'
import { type S3Emulator, startS3 } from '../src/s3/emulator.ts'
import {
  BUCKET,
  KEY,
  md5,
  md5Base64,
  REGION,
  sdk,
  send,
  sendRaw,
  sendSigned,
  sha256,
  signed,
  signingKey,
  tempDir,
  testStore,
} from './s3.client.ts'

let store: S3Emulator
let dir: string
beforeEach(async () => {
  dir = await tempDir()
  store = await testStore({ dir })
})

const put = { method: 'PUT', path: `/${BUCKET}/a`, body: 'hello' }
const crc = (text: string): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64')
}

async function nothingStored(): Promise<void> {
  expect(store.requestLog.objects()).toEqual([])
  await expect.poll(() => readdir(join(dir, 'blobs'))).toEqual([])
}

describe('a request’s claims about its body are checked', () => {
  test.each([
    ['Content-MD5', { 'content-md5': md5Base64('other') }, 'BadDigest'],
    ['Content-MD5 format', { 'content-md5': 'abc' }, 'InvalidDigest'],
    ['CRC32', { 'x-amz-checksum-crc32': crc('other') }, 'BadDigest'],
    ['SHA-256 checksum', { 'x-amz-checksum-sha256': 'AAAA' }, 'BadDigest'],
  ])('a wrong %s is rejected', async (_name, headers, code) => {
    expect(await sendSigned(store.url, { ...put, headers })).toMatchObject({ status: 400, code })
    await nothingStored()
  })

  test('correct ones are accepted and returned', async () => {
    const headers = { 'content-md5': md5Base64('hello'), 'x-amz-checksum-crc32': crc('hello') }
    const response = await sendSigned(store.url, { ...put, headers })
    expect(response.headers).toMatchObject({
      etag: `"${md5('hello')}"`,
      'x-amz-checksum-crc32': crc('hello'),
    })
  })

  test('unsupported checksums and unknown x-amz-* headers are rejected', async () => {
    const ask = (headers: Record<string, string>) => sendSigned(store.url, { ...put, headers })
    expect((await ask({ 'x-amz-checksum-crc64nvme': 'AAAA' })).status).toBe(501)
    expect(await ask({ 'x-amz-object-lock-mode': 'GOVERNANCE' })).toMatchObject({
      status: 501,
      code: 'NotImplemented',
    })
  })
})

describe('lengths', () => {
  test('a missing length gets 411, and more than 5 GiB are rejected before a byte is sent', async () => {
    const chunked = { 'transfer-encoding': 'chunked', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    expect(await sendSigned(store.url, { ...put, headers: chunked })).toMatchObject({
      status: 411,
      code: 'MissingContentLength',
    })
    const { path, headers } = signed(store.url, {
      ...put,
      headers: { 'content-length': String(5 * 1024 ** 3 + 1) },
    })
    const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
    const response = await sendRaw(store.url, `PUT ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    expect(response).toContain('<Code>EntityTooLarge</Code>')
  })

  test('a body that ends early is not stored', async () => {
    const { path, headers } = signed(store.url, { ...put, headers: { 'content-length': '5' } })
    const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
    const response = await sendRaw(store.url, `PUT ${path} HTTP/1.1\r\n${lines.join('')}\r\nhel`)
    expect(response).toContain('<Code>IncompleteBody</Code>')
    await store.requestLog.waitFor((entry) => entry.code === 'IncompleteBody' && entry.aborted)
    await nothingStored()
  })

  test('an object is kept if its replacement fails', async () => {
    await sendSigned(store.url, put)
    await sendSigned(store.url, { ...put, body: 'other', headers: { 'content-md5': md5Base64('x') } })
    expect((await sendSigned(store.url, { path: put.path })).body).toBe('hello')
  })

  test('a rejected upload leaves the connection usable and the error readable', async () => {
    const url = await getSignedUrl(sdk(store.url), new PutObjectCommand({ Bucket: 'missing', Key: 'k' }))
    const body = Buffer.alloc(3_000_000)
    const response = await fetch(url, { method: 'PUT', body })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('<Code>NoSuchBucket</Code>')
    const headers = { 'content-md5': md5Base64('x'), 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    expect((await sendSigned(store.url, { ...put, body, headers })).code).toBe('BadDigest')
  })
})

describe('aws-chunked', () => {
  test('works with a stream in the SDK’s default mode (trailing CRC32), and is verified when read', async () => {
    const client = sdk(store.url, {
      requestChecksumCalculation: 'WHEN_SUPPORTED',
      responseChecksumValidation: 'WHEN_SUPPORTED',
    })
    const pieces = Array.from({ length: 40 }, (_, i) => Buffer.alloc(10_000, i))
    const whole = Buffer.concat(pieces)
    const Body = Readable.from(pieces)
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 's', Body, ContentLength: whole.length }))
    const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 's', ChecksumMode: 'ENABLED' }))
    expect(md5(Buffer.from((await got.Body?.transformToByteArray()) ?? []))).toBe(md5(whole))
    expect(got.ChecksumCRC32).toBeDefined()
    expect(got.ContentEncoding).toBeUndefined()
  })

  const unsigned = (body: string, decoded: number, trailer = crc('hello')) =>
    sendSigned(store.url, {
      ...put,
      body: body.replace('TRAILER', `x-amz-checksum-crc32:${trailer}\r\n`),
      headers: {
        'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'content-encoding': 'aws-chunked',
        'x-amz-decoded-content-length': String(decoded),
        'x-amz-trailer': 'x-amz-checksum-crc32',
      },
    })

  test('has its trailer, length and framing checked', async () => {
    expect((await unsigned('3\r\nhel\r\n2\r\nlo\r\n0\r\nTRAILER\r\n', 5)).status).toBe(200)
    expect((await unsigned('5\r\nhello\r\n0\r\nTRAILER\r\n', 5, crc('x'))).code).toBe('BadDigest')
    expect((await unsigned('5\r\nhello\r\n0\r\n\r\n', 5)).code).toBe('BadDigest')
    expect((await unsigned('5\r\nhello\r\n0\r\nTRAILER\r\n', 6)).code).toBe('IncompleteBody')
    expect((await unsigned('5\r\nhello\r\n', 5)).code).toBe('IncompleteBody')
    expect((await unsigned('5\r\nhelloX\r\n0\r\nTRAILER\r\n', 5)).code).toBe('InvalidRequest')
    expect((await unsigned('zz\r\n', 5)).code).toBe('InvalidRequest')
    expect(store.requestLog.objects()).toHaveLength(1)
  })

  test('supports signed chunks with a signed trailer', async () => {
    const mode = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'
    const trailer = `x-amz-checksum-crc32:${crc('hello')}`
    const request = signed(store.url, {
      ...put,
      headers: {
        'x-amz-content-sha256': mode,
        'content-encoding': 'aws-chunked',
        'x-amz-decoded-content-length': '5',
        'x-amz-trailer': 'x-amz-checksum-crc32',
      },
    })
    const stamp = request.headers?.['x-amz-date'] ?? ''
    const key = signingKey(KEY.secretAccessKey, stamp.slice(0, 8), REGION, 's3')
    const scope = `${stamp.slice(0, 8)}/${REGION}/s3/aws4_request`
    const sign = (...lines: string[]): string =>
      createHmac('sha256', key).update(lines.join('\n')).digest('hex')
    const chunk = (previous: string, data: string): string =>
      sign('AWS4-HMAC-SHA256-PAYLOAD', stamp, scope, previous, sha256(''), sha256(data))
    const one = chunk(request.signature, 'hello')
    const end = chunk(one, '')
    const last = sign('AWS4-HMAC-SHA256-TRAILER', stamp, scope, end, sha256(`${trailer}\n`))
    const body = (signature: string): string =>
      `5;chunk-signature=${one}\r\nhello\r\n0;chunk-signature=${end}\r\n${trailer}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`
    expect((await send(store.url, { ...request, body: body(end) })).code).toBe('SignatureDoesNotMatch')
    expect(store.requestLog.objects()).toEqual([])
    expect((await send(store.url, { ...request, body: body(last) })).status).toBe(200)
  })
})

describe('across restarts', () => {
  test('objects, parts and settings are kept, and unfinished bytes are removed', async () => {
    await sendSigned(store.url, put)
    await sendSigned(store.url, { ...put, path: `/${BUCKET}/gone` })
    await sendSigned(store.url, { method: 'DELETE', path: `/${BUCKET}/gone` })
    const created = await sendSigned(store.url, { method: 'POST', path: `/${BUCKET}/m?uploads=` })
    const id = /<UploadId>(.+)<\/UploadId>/.exec(created.body)?.[1]
    await sendSigned(store.url, { ...put, path: `/${BUCKET}/m?partNumber=1&uploadId=${id}` })
    await store.close()
    const { appendFile, writeFile } = await import('node:fs/promises')
    await appendFile(join(dir, 'journal.jsonl'), '{"t":"put","bucket":"fi')
    await writeFile(join(dir, 'blobs', 'orphan'), 'x')
    const again = await startS3({ dir, region: REGION, ...KEY, buckets: [BUCKET, 'second'] })
    try {
      expect(again.requestLog.objects()).toMatchObject([{ bucket: BUCKET, key: 'a', size: 5 }])
      expect(again.requestLog.uploads()).toMatchObject([{ key: 'm', parts: [1], bytes: 5 }])
      expect(again.requestLog.bytesStored()).toBe(10)
      expect((await sendSigned(again.url, { path: put.path })).body).toBe('hello')
      expect(await readdir(join(dir, 'blobs'))).toHaveLength(2)
    } finally {
      await again.close()
    }
  })
})
