import { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { S3Emulator } from '../src/s3/emulator.ts'
import { BUCKET, md5, sdk, send, sendSigned, signed, testStore } from './s3.client.ts'

let store: S3Emulator
let client: s3.S3Client
beforeEach(async () => {
  store = await testStore()
  client = sdk(store.url)
})

const at = (Key: string) => ({ Bucket: BUCKET, Key })
const put = (Key: string, Body: string, more: Partial<s3.PutObjectCommandInput> = {}) =>
  client.send(new s3.PutObjectCommand({ ...at(Key), Body, ...more }))
const text = async (Key: string, more: Partial<s3.GetObjectCommandInput> = {}) =>
  (await client.send(new s3.GetObjectCommand({ ...at(Key), ...more }))).Body?.transformToString()
function* chunksOf(bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
const fault = (name: string, status: number) => ({ name, $metadata: { httpStatusCode: status } })

describe('put, get, head, delete', () => {
  test('return bytes, ETag, headers and metadata', async () => {
    const stored = {
      ContentType: 'text/x',
      CacheControl: 'no-cache',
      ContentDisposition: 'inline; filename="a"',
    }
    const startedAt = Date.now()
    const { ETag } = await put('a', 'hello', { ...stored, Metadata: { name: 'value' } })
    expect(ETag).toBe(`"${md5('hello')}"`)
    const got = await client.send(new s3.GetObjectCommand(at('a')))
    expect(got).toMatchObject({
      ...stored,
      ETag,
      ContentLength: 5,
      AcceptRanges: 'bytes',
      Metadata: { name: 'value' },
    })
    expect(await got.Body?.transformToString()).toBe('hello')
    const head = await client.send(new s3.HeadObjectCommand(at('a')))
    expect(head).toMatchObject({ ...stored, ETag, ContentLength: 5 })
    // HTTP dates have whole seconds.
    expect(head.LastModified?.getTime()).toBeGreaterThan(startedAt - 1000)
    expect(head.LastModified?.getTime()).toBeLessThanOrEqual(Date.now())
  })

  test('return zeros between other bytes, which take no space where the file system supports holes', async () => {
    const MIB = 1 << 20
    const zeros = Buffer.alloc(2 * MIB)
    const bytes = Buffer.concat([zeros, Buffer.alloc(1000, 1), zeros, zeros, Buffer.from('end'), zeros])
    const stored = {
      ...at('zeros'),
      Body: Readable.from(chunksOf(bytes, 70_000)),
      ContentLength: bytes.length,
    }
    const { ETag } = await client.send(new s3.PutObjectCommand(stored))
    expect(ETag).toBe(`"${md5(bytes)}"`)
    const got = await client.send(new s3.GetObjectCommand(at('zeros')))
    expect(Buffer.compare(bytes, await got.Body!.transformToByteArray())).toBe(0)
    expect(await text('zeros', { Range: `bytes=${6 * MIB + 999}-${6 * MIB + 1002}` })).toBe('\0end')
  })

  test('give an empty object a length of 0 and the default type', async () => {
    await put('empty', '', { ContentLength: 0 })
    const head = await client.send(new s3.HeadObjectCommand(at('empty')))
    expect(head).toMatchObject({ ContentLength: 0, ContentType: 'application/octet-stream' })
    await sendSigned(store.url, {
      method: 'PUT',
      path: `/${BUCKET}/bare`,
      headers: { 'content-length': '0' },
    })
    const bare = await client.send(new s3.HeadObjectCommand(at('bare')))
    expect(bare.ContentType).toBe('binary/octet-stream')
    expect(await text('bare')).toBe('')
  })

  test('report a missing object as NoSuchKey, HEAD as a plain 404, and DELETE always as 204', async () => {
    await expect(text('x')).rejects.toMatchObject(fault('NoSuchKey', 404))
    const head = await sendSigned(store.url, { method: 'HEAD', path: `/${BUCKET}/x` })
    expect(head).toMatchObject({ status: 404, body: '' })
    await put('x', '1')
    for (let i = 0; i < 2; i++) {
      const gone = await client.send(new s3.DeleteObjectCommand(at('x')))
      expect(gone.$metadata.httpStatusCode).toBe(204)
    }
    await expect(text('x')).rejects.toMatchObject(fault('NoSuchKey', 404))
  })

  test('keep any kind of key, even in listings', async () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      '+',
      '%',
      ' ',
      '&',
      '<',
      '"',
      "'",
      'ü',
      '日本',
      '\u{1f426}',
      '\n',
      '../../../tests',
      'a',
    )
    const key = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => `k${pieces.join('')}`)
    const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(keys, async (names) => {
        for (const name of names) await put(name, name)
        for (const name of names) expect(await text(name)).toBe(name)
        const { Contents = [] } = await client.send(new s3.ListObjectsV2Command({ Bucket: BUCKET }))
        const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(Contents.map((one) => one.Key)).toEqual(sorted)
        const Objects = names.map((Key) => ({ Key }))
        await client.send(new s3.DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects } }))
        expect(store.requestLog.objects()).toEqual([])
      }),
      { numRuns: 15 },
    )
  })

  test('read a + in a path as a space, like AWS', async () => {
    await put('a b', 'space')
    store.faults.publicRead()
    expect((await send(store.url, { path: `/${BUCKET}/a+b` })).body).toBe('space')
    expect((await send(store.url, { path: `/${BUCKET}/a%2Bb` })).code).toBe('NoSuchKey')
  })

  test('limit keys to 1,024 bytes, and reject malformed escapes with InvalidURI', async () => {
    await put('ü'.repeat(512), 'x')
    await expect(put('ü'.repeat(513), 'x')).rejects.toMatchObject(fault('KeyTooLongError', 400))
    expect(await sendSigned(store.url, { path: `/${BUCKET}/%ff` })).toMatchObject({
      status: 400,
      code: 'InvalidURI',
    })
  })
})

describe('ranges and conditions', () => {
  beforeEach(() => put('r', '0123456789', { ContentType: 'text/plain' }))

  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('the range %s is served', async (Range, body, ContentRange) => {
    const got = await client.send(new s3.GetObjectCommand({ ...at('r'), Range }))
    expect(got).toMatchObject({
      ContentRange,
      ContentLength: body.length,
      $metadata: { httpStatusCode: 206 },
    })
    expect(await got.Body?.transformToString()).toBe(body)
  })

  test('ranges without a byte get 416, and malformed ones are ignored', async () => {
    for (const Range of ['bytes=10-', 'bytes=-0', 'bytes=20-30']) {
      await expect(text('r', { Range })).rejects.toMatchObject(fault('InvalidRange', 416))
    }
    for (const Range of ['bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2'])
      expect(await text('r', { Range })).toBe('0123456789')
  })

  test('reads support If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since', async () => {
    const etag = `"${md5('0123456789')}"`
    expect(await text('r', { IfMatch: etag })).toBe('0123456789')
    await expect(text('r', { IfMatch: '"x"' })).rejects.toMatchObject(fault('PreconditionFailed', 412))
    const old = new Date(Date.now() - 3600_000)
    const later = new Date(Date.now() + 3600_000)
    await expect(text('r', { IfUnmodifiedSince: old })).rejects.toMatchObject(
      fault('PreconditionFailed', 412),
    )
    expect(await text('r', { IfModifiedSince: old })).toBe('0123456789')
    const unchanged = [
      ['if-none-match', etag],
      ['if-modified-since', later.toUTCString()],
    ] as const
    for (const [name, value] of unchanged) {
      const headers = { [name]: value }
      const response = await sendSigned(store.url, { path: `/${BUCKET}/r`, headers })
      expect(response).toMatchObject({ status: 304, body: '', headers: { etag } })
    }
  })

  test('writes support conditions', async () => {
    await expect(put('r', 'x', { IfNoneMatch: '*' })).rejects.toMatchObject(fault('PreconditionFailed', 412))
    await put('new', 'x', { IfNoneMatch: '*' })
    await expect(put('r', 'x', { IfMatch: '"y"' })).rejects.toMatchObject(fault('PreconditionFailed', 412))
    await expect(put('none', 'x', { IfMatch: '"y"' })).rejects.toMatchObject(fault('NoSuchKey', 404))
    await put('r', 'x', { IfMatch: md5('0123456789') })
  })

  test('presigned URLs support response-* overrides', async () => {
    const ask = {
      ResponseContentType: 'image/png',
      ResponseContentDisposition: `attachment; filename*=UTF-8''%C3%BC.png`,
      ResponseCacheControl: 'no-store',
    }
    const response = await fetch(await getSignedUrl(client, new s3.GetObjectCommand({ ...at('r'), ...ask })))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': ask.ResponseContentDisposition,
      'cache-control': 'no-store',
    })
  })
})

describe('copy', () => {
  const copy = (Key: string, CopySource: string, more: Partial<s3.CopyObjectCommandInput> = {}) =>
    client.send(new s3.CopyObjectCommand({ ...at(Key), CopySource, ...more }))

  test('keeps bytes and headers, or replaces the headers', async () => {
    await put('dir/ü +.txt', 'body', { ContentType: 'text/x', Metadata: { a: '1' } })
    const source = `${BUCKET}/${encodeURIComponent('dir/ü +.txt')}`
    const { CopyObjectResult } = await copy('one', source)
    expect(CopyObjectResult?.ETag).toBe(`"${md5('body')}"`)
    await copy('two', `/${source}`, {
      MetadataDirective: 'REPLACE',
      ContentType: 'text/y',
      Metadata: { b: '2' },
    })
    const head = (key: string) => client.send(new s3.HeadObjectCommand(at(key)))
    expect(await head('one')).toMatchObject({ ContentType: 'text/x', Metadata: { a: '1' } })
    expect(await head('two')).toMatchObject({ ContentType: 'text/y', Metadata: { b: '2' } })
    await client.send(new s3.DeleteObjectCommand(at('dir/ü +.txt')))
    expect(await text('one')).toBe('body')
  })

  test('respects x-amz-copy-source-if-match, unless it behaves like Ceph', async () => {
    await put('s', 'body')
    expect(await copy('d', `${BUCKET}/s`, { CopySourceIfMatch: `"${md5('body')}"` })).toBeDefined()
    const wrong = { CopySourceIfMatch: '"x"' }
    await expect(copy('e', `${BUCKET}/s`, wrong)).rejects.toMatchObject(fault('PreconditionFailed', 412))
    const none = { CopySourceIfNoneMatch: `"${md5('body')}"` }
    await expect(copy('e', `${BUCKET}/s`, none)).rejects.toMatchObject(fault('PreconditionFailed', 412))
    expect(store.requestLog.objects('e')).toEqual([])
    store.faults.setQuirks({ ignoreCopySourceIfMatch: true })
    expect((await copy('e', `${BUCKET}/s`, wrong)).CopyObjectResult?.ETag).toBe(`"${md5('body')}"`)
  })

  test('rejects missing sources, copies to itself and malformed sources', async () => {
    await put('s', 'body')
    await expect(copy('d', `${BUCKET}/x`)).rejects.toMatchObject(fault('NoSuchKey', 404))
    await expect(copy('d', 'other/x')).rejects.toMatchObject(fault('NoSuchBucket', 404))
    await expect(copy('s', `${BUCKET}/s`)).rejects.toMatchObject(fault('InvalidRequest', 400))
    await expect(copy('d', 'nonsense')).rejects.toMatchObject(fault('InvalidArgument', 400))
    await copy('s', `${BUCKET}/s`, { MetadataDirective: 'REPLACE' })
  })
})

describe('errors', () => {
  test.each(['acl', 'tagging', 'versionId=1', 'torrent', 'attributes'])(
    'GET ?%s returns 501, not the object',
    async (sub) => {
      await put('a', 'x')
      const response = await sendSigned(store.url, { path: `/${BUCKET}/a?${sub}` })
      expect(response).toMatchObject({ status: 501, code: 'NotImplemented' })
    },
  )

  test('are documents with a request ID, and escaped', async () => {
    const response = await sendSigned(store.url, { path: `/${BUCKET}/%3C%26%22%27%01` })
    expect(response.body).toContain('<Key>&lt;&amp;&quot;&apos;&#1;</Key>')
    expect(response.headers['content-type']).toBe('application/xml')
    expect(response.body).toContain(`<RequestId>${response.headers['x-amz-request-id']}</RequestId>`)
    expect((await sendSigned(store.url, { method: 'POST', path: `/${BUCKET}/a` })).status).toBe(405)
  })

  test('reject an unknown ACL, and a signed one is accepted', async () => {
    await put('a', 'x')
    await client.send(new s3.PutObjectAclCommand({ ...at('a'), ACL: 'public-read' }))
    expect((await send(store.url, { path: `/${BUCKET}/a` })).status).toBe(200)
    const request = signed(store.url, {
      method: 'PUT',
      path: `/${BUCKET}/a?acl=`,
      headers: { 'x-amz-acl': 'odd' },
    })
    expect((await send(store.url, request)).code).toBe('InvalidArgument')
  })
})
