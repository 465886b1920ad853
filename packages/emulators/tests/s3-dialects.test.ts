import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import * as s3 from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { describe, expect, test } from 'vitest'
import { DIALECTS, type Dialect, type S3Options } from '../src/s3/index.ts'
import { BUCKET, MIB, sdk, tempDir, testStore } from './s3.client.ts'

const Key = 'film.mp4'
const at = { Bucket: BUCKET, Key }

/** Starts an upload in a store of this dialect, and returns the calls on it. */
async function startStore(dialect: Dialect, options: Partial<S3Options> = {}) {
  const store = await testStore({ ...options, dialect })
  const client = sdk(store.url)
  const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(at))
  const upload = { ...at, UploadId }
  const put = async (PartNumber: number, Body: Buffer | string) => {
    const { ETag } = await client.send(new s3.UploadPartCommand({ ...upload, PartNumber, Body }))
    return { PartNumber, ETag }
  }
  const listed = async () => (await client.send(new s3.ListPartsCommand(upload))).Parts ?? []
  const complete = (Parts: s3.CompletedPart[]) =>
    client.send(new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  const abort = () => client.send(new s3.AbortMultipartUploadCommand(upload))
  const remove = () => client.send(new s3.DeleteObjectCommand(at))
  const read = async () => {
    const { Body } = await client.send(new s3.GetObjectCommand(at))
    return Buffer.from(await Body!.transformToByteArray())
  }
  /** Returns `ok`, or the error's code. */
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'ok',
      (error: Error) => error.name,
    )
  const part = () => put(1, 'x')
  return { store, client, upload, put, part, listed, complete, abort, remove, read, codeOf }
}

test.each([
  // Dialect, then the errors of ListParts, UploadPart, Abort.
  ['aws', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload'],
  ['ceph', 'NoSuchKey', 'NoSuchUpload', 'NoSuchUpload'],
  ['swift', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload'],
  ['minio', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload'],
] as const)(
  '%s responds for an aborted upload: %s to ListParts, %s to a part, %s to an abort',
  async (...codes) => {
    const { listed, part, abort, codeOf } = await startStore(codes[0])
    await part()
    await abort()
    expect([await codeOf(listed()), await codeOf(part()), await codeOf(abort())]).toEqual(codes.slice(1))
  },
)

test.each([
  // Dialect, then the errors of ListParts, UploadPart, Abort, and of a repeated completion.
  ['aws', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload'],
  ['ceph', 'NoSuchKey', 'NoSuchUpload', 'NoSuchUpload', 'ok'],
  ['swift', 'ok', 'ok', 'NoSuchKey', 'ok'],
  ['minio', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload', 'NoSuchUpload'],
] as const)(
  '%s responds for a completed upload: %s to ListParts, %s to a part, %s to an abort, %s to a completion',
  async (...codes) => {
    const { listed, part, abort, complete, remove, codeOf, store } = await startStore(codes[0])
    const parts = [await part()]
    await complete(parts)
    const found = [
      await codeOf(listed()),
      await codeOf(part()),
      await codeOf(abort()),
      await codeOf(complete(parts)),
    ]
    expect(found).toEqual(codes.slice(1))
    await remove()
    expect(await codeOf(listed())).toBe(codes[0] === 'ceph' ? 'NoSuchKey' : 'NoSuchUpload')
    expect(await codeOf(complete(parts))).toBe('NoSuchUpload')
    expect(store.requestLog.bytesStored()).toBe(0)
  },
)

test.each(DIALECTS)('%s limits part numbers', async (dialect) => {
  const { put } = await startStore(dialect)
  const most = dialect === 'swift' ? 1000 : 10_000
  await put(most, 'x')
  await expect(put(most + 1, 'x')).rejects.toMatchObject({
    name: 'InvalidArgument',
    message: expect.stringContaining(`between 1 and ${most},`),
  })
})

test.each(DIALECTS)(
  '%s decides what the holder of a presigned URL can add, and whether a copy condition applies',
  async (dialect) => {
    const { client, store, upload } = await startStore(dialect)
    const command = new s3.PutObjectCommand({ Bucket: BUCKET, Key: 'other' })
    const added = await fetch(await getSignedUrl(client, command), {
      method: 'PUT',
      headers: { 'x-amz-meta-added': 'yes' },
      body: 'x',
    })
    expect(added.status).toBe(['swift', 'minio'].includes(dialect) ? 200 : 403)

    const part = new s3.UploadPartCommand({ ...upload, PartNumber: 1 })
    const typed = await fetch(await getSignedUrl(client, part), {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: 'x',
    })
    expect(typed.status).toBe(dialect === 'ceph' ? 403 : 200)

    await client.send(new s3.PutObjectCommand({ Bucket: BUCKET, Key: 'source', Body: 'x' }))
    const copy = client.send(
      new s3.CopyObjectCommand({ ...at, CopySource: `${BUCKET}/source`, CopySourceIfMatch: '"other"' }),
    )
    if (dialect === 'ceph') await copy
    else await expect(copy).rejects.toMatchObject({ name: 'PreconditionFailed' })
    // A reset restores the dialect's behavior after a test changed it.
    store.faults.setQuirks({ ignoreCopySourceIfMatch: dialect !== 'ceph' })
    store.faults.reset()
    expect(store.faults.quirks.ignoreCopySourceIfMatch).toBe(dialect === 'ceph')
  },
)

test.each([
  ['aws', 'ok', 'ok', 'ok'],
  ['ceph', 'ok', 'ok', 'ok'],
  ['swift', 'NotImplemented', 'NotImplemented', 'NotImplemented'],
  ['minio', 'NotImplemented', 'MalformedXML', 'ok'],
] as const)(
  '%s supports: CORS rules %s, rules for unfinished uploads %s, rules for expiry %s',
  async (...codes) => {
    const { client, codeOf } = await startStore(codes[0])
    const rule = (action: Partial<s3.LifecycleRule>) =>
      new s3.PutBucketLifecycleConfigurationCommand({
        Bucket: BUCKET,
        LifecycleConfiguration: { Rules: [{ Status: 'Enabled', Filter: { Prefix: 'a/' }, ...action }] },
      })
    const cors = new s3.PutBucketCorsCommand({
      Bucket: BUCKET,
      CORSConfiguration: { CORSRules: [{ AllowedMethods: ['PUT'], AllowedOrigins: ['*'] }] },
    })
    expect([
      await codeOf(client.send(cors)),
      await codeOf(client.send(rule({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }))),
      await codeOf(client.send(rule({ Expiration: { Days: 1 } }))),
    ]).toEqual(codes.slice(1))
  },
)

describe('swift', () => {
  test('lists new and replaced parts only after a delay', async () => {
    const { put, listed, complete, store } = await startStore('swift')
    store.faults.setQuirks({ partListingLagMs: 60_000 })
    await put(1, 'x')
    expect(await listed()).toEqual([])
    store.faults.setQuirks({ partListingLagMs: 0 })
    const one = await put(2, 'y')
    expect(await listed()).toMatchObject([one])
    store.faults.setQuirks({ partListingLagMs: 60_000 })
    const other = await put(2, 'z')
    expect(await listed()).toMatchObject([one])
    // A completion reads the parts themselves.
    await complete([other])
  })

  test('breaks a file whose part is replaced after completion, never serves other bytes, and repairs it with the correct part', async () => {
    const { put, complete, read, client, codeOf } = await startStore('swift')
    const bytes = Buffer.alloc(5 * MIB + 10, 'a')
    const parts = [await put(1, bytes.subarray(0, 5 * MIB)), await put(2, bytes.subarray(5 * MIB))]
    await complete(parts)
    await put(2, Buffer.alloc(10, 'b'))
    expect(await codeOf(read())).toBe('BrokenMPU')
    const { ContentLength } = await client.send(new s3.HeadObjectCommand(at))
    expect(ContentLength).toBe(bytes.length)
    await put(2, bytes.subarray(5 * MIB))
    expect((await read()).equals(bytes)).toBe(true)
  })

  test('keeps a part that arrives during an abort, unreachable for all calls', async () => {
    const { abort, listed, codeOf, store, client, upload } = await startStore('swift')
    const url = await getSignedUrl(client, new s3.UploadPartCommand({ ...upload, PartNumber: 1 }))
    const part = request(url, { method: 'PUT', headers: { 'content-length': '4', expect: '100-continue' } })
    part.flushHeaders()
    // The store has already looked for the upload when it asks for the body.
    await once(part, 'continue')
    await abort()
    part.end('late')
    const [response] = (await once(part, 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(200)
    expect(await codeOf(listed())).toBe('NoSuchUpload')
    expect(await codeOf(abort())).toBe('NoSuchUpload')
    const { Uploads } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket: BUCKET }))
    expect(Uploads ?? []).toEqual([])
    expect(store.requestLog.bytesStored(Key)).toBe(4)
  })

  test('knows completed uploads after a restart', async () => {
    const dir = await tempDir()
    const { put, complete, store, upload } = await startStore('swift', { dir })
    await complete([await put(1, 'x')])
    await store.close()
    const again = sdk((await testStore({ dir, dialect: 'swift' })).url)
    expect((await again.send(new s3.ListPartsCommand(upload))).Parts).toHaveLength(1)
  })
})
