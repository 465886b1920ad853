import { createHash } from 'node:crypto'
import * as s3 from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { beforeEach, describe, expect, test } from 'vitest'
import type { S3Emulator } from '../src/s3/emulator.ts'
import { BUCKET, MIB, md5, sdk, sendSigned, testStore } from './s3.client.ts'

let store: S3Emulator
let client: s3.S3Client
let UploadId: string
const at = { Bucket: BUCKET, Key: 'dir/m' }
const big = Buffer.alloc(5 * MIB, 7)

beforeEach(async () => {
  store = await testStore()
  client = sdk(store.url)
  const created = await client.send(new s3.CreateMultipartUploadCommand({ ...at, ContentType: 'video/mp4' }))
  UploadId = created.UploadId ?? ''
})

const part = async (PartNumber: number, Body: Buffer | string) => {
  const { ETag } = await client.send(new s3.UploadPartCommand({ ...at, UploadId, PartNumber, Body }))
  return { PartNumber, ETag }
}
const complete = (Parts: s3.CompletedPart[], more: Partial<s3.CompleteMultipartUploadCommandInput> = {}) =>
  client.send(new s3.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts }, ...more }))
const list = (more: Partial<s3.ListPartsCommandInput> = {}) =>
  client.send(new s3.ListPartsCommand({ ...at, UploadId, ...more }))
const fault = (name: string, status: number) => ({ name, $metadata: { httpStatusCode: status } })

describe('CompleteMultipartUpload', () => {
  test('joins the parts in order, with the ETag of AWS', async () => {
    const last = await part(7, 'tail')
    const first = await part(2, big)
    const { ETag } = await complete([first, last])
    const digest = (data: Buffer | string) => createHash('md5').update(data).digest()
    expect(ETag).toBe(`"${md5(Buffer.concat([digest(big), digest('tail')]))}-2"`)
    const head = await client.send(new s3.HeadObjectCommand(at))
    expect(head).toMatchObject({ ETag, ContentLength: 5 * MIB + 4, ContentType: 'video/mp4' })
    const range = await client.send(
      new s3.GetObjectCommand({ ...at, Range: `bytes=${5 * MIB - 2}-${5 * MIB + 1}` }),
    )
    expect(await range.Body?.transformToString()).toBe('\u0007\u0007ta')
    const copied = await client.send(
      new s3.CopyObjectCommand({ Bucket: BUCKET, Key: 'c', CopySource: `${BUCKET}/${at.Key}` }),
    )
    expect(copied.CopyObjectResult?.ETag).toBe(`"${md5(Buffer.concat([big, Buffer.from('tail')]))}"`)
  })

  test('uses the last upload of a part and frees the previous one', async () => {
    await part(1, 'old')
    const { ETag } = await part(1, 'new')
    await expect(complete([{ PartNumber: 1, ETag: md5('old') }])).rejects.toMatchObject(
      fault('InvalidPart', 400),
    )
    expect(store.requestLog.bytesStored('dir/')).toBe(3)
    await complete([{ PartNumber: 1, ETag }])
    expect(store.requestLog.bytesStored()).toBe(3)
    expect(store.requestLog.uploads()).toEqual([])
  })

  test('rejects wrong order, unknown parts, wrong ETags and small parts, and leaves the upload open', async () => {
    const one = await part(1, big)
    const two = await part(2, 'small')
    const three = await part(3, 'x')
    await expect(complete([two, one])).rejects.toMatchObject(fault('InvalidPartOrder', 400))
    await expect(complete([one, one])).rejects.toMatchObject(fault('InvalidPartOrder', 400))
    await expect(complete([one, { PartNumber: 9, ETag: one.ETag }])).rejects.toMatchObject(
      fault('InvalidPart', 400),
    )
    await expect(complete([{ PartNumber: 1, ETag: two.ETag }])).rejects.toMatchObject(
      fault('InvalidPart', 400),
    )
    await expect(complete([one, two, three])).rejects.toMatchObject(fault('EntityTooSmall', 400))
    await expect(complete([])).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } })
    await complete([one, two])
  })

  test.each([
    '',
    '<CompleteMultipartUpload>',
    '<Other/>',
    '<CompleteMultipartUpload><Part/></CompleteMultipartUpload>',
  ])('rejects the document %j', async (body) => {
    const response = await sendSigned(store.url, {
      method: 'POST',
      path: `/${BUCKET}/${at.Key}?uploadId=${UploadId}`,
      body,
    })
    expect(response.status).toBe(400)
    expect(['MalformedXML', 'InvalidRequest']).toContain(response.code)
  })

  test('gets NoSuchUpload when repeated, or the same response with a quirk', async () => {
    const parts = [await part(1, 'x')]
    const { ETag } = await complete(parts)
    await expect(complete(parts)).rejects.toMatchObject(fault('NoSuchUpload', 404))
    store.faults.setQuirks({ repeatCompletion: true })
    expect((await complete(parts)).ETag).toBe(ETag)
  })

  test('does not overwrite with If-None-Match: *', async () => {
    await client.send(new s3.PutObjectCommand({ ...at, Body: 'there' }))
    const parts = [await part(1, 'x')]
    await expect(complete(parts, { IfNoneMatch: '*' })).rejects.toMatchObject(
      fault('PreconditionFailed', 412),
    )
  })
})

describe('parts', () => {
  test('have numbers from 1 to 10000 and require an existing upload', async () => {
    await part(1, 'x')
    await part(10_000, 'x')
    await expect(part(0, 'x')).rejects.toMatchObject(fault('InvalidArgument', 400))
    await expect(part(10_001, 'x')).rejects.toMatchObject(fault('InvalidArgument', 400))
    const other = { Bucket: BUCKET, Key: 'other', UploadId, PartNumber: 1, Body: 'x' }
    await expect(client.send(new s3.UploadPartCommand(other))).rejects.toMatchObject(
      fault('NoSuchUpload', 404),
    )
  })

  test('can be sent to a presigned URL with a signed length', async () => {
    const command = new s3.UploadPartCommand({ ...at, UploadId, PartNumber: 1, ContentLength: 4 })
    const url = await getSignedUrl(client, command, { signableHeaders: new Set(['host', 'content-length']) })
    expect((await fetch(url, { method: 'PUT', body: '12345' })).status).toBe(403)
    const response = await fetch(url, { method: 'PUT', body: '1234' })
    expect(response.headers.get('etag')).toBe(`"${md5('1234')}"`)
    const entry = await store.requestLog.waitFor(
      (one) => one.operation === 'UploadPart' && one.status === 200,
    )
    expect(entry).toMatchObject({
      partNumber: 1,
      uploadId: UploadId,
      auth: 'presigned',
      bytesIn: 4,
      aborted: false,
    })
  })

  test('are listed in pages of at most 1000', async () => {
    const numbers = Array.from({ length: 1024 }, (_, i) => 1024 - i)
    while (numbers.length > 0) await Promise.all(numbers.splice(0, 32).map((n) => part(n, `part ${n}`)))
    const first = await list()
    expect(first).toMatchObject({ IsTruncated: true, MaxParts: 1000, NextPartNumberMarker: '1000' })
    expect(first.Parts?.map((one) => one.PartNumber)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1))
    const rest = await list({ PartNumberMarker: first.NextPartNumberMarker, MaxParts: 5000 })
    expect(rest.Parts).toHaveLength(24)
    expect(rest.IsTruncated).toBe(false)
    expect(rest.Parts?.[0]).toMatchObject({ PartNumber: 1001, Size: 9, ETag: `"${md5('part 1001')}"` })
    expect((await list({ MaxParts: 2, PartNumberMarker: '4' })).Parts?.map((one) => one.PartNumber)).toEqual([
      5, 6,
    ])
  })

  test('can be copied from objects, and keep their bytes', async () => {
    await client.send(new s3.PutObjectCommand({ Bucket: BUCKET, Key: 's', Body: '0123456789' }))
    const copy = (CopySourceRange?: string) =>
      client.send(
        new s3.UploadPartCopyCommand({
          ...at,
          UploadId,
          PartNumber: 1,
          CopySource: `${BUCKET}/s`,
          CopySourceRange,
        }),
      )
    expect((await copy()).CopyPartResult?.ETag).toBe(`"${md5('0123456789')}"`)
    expect((await copy('bytes=2-4')).CopyPartResult?.ETag).toBe(`"${md5('234')}"`)
    await expect(copy('bytes=2-99')).rejects.toMatchObject(fault('InvalidArgument', 400))
    const { CopyPartResult } = await copy()
    await client.send(new s3.DeleteObjectCommand({ Bucket: BUCKET, Key: 's' }))
    await complete([{ PartNumber: 1, ETag: CopyPartResult?.ETag }])
    const { Body } = await client.send(new s3.GetObjectCommand(at))
    expect(await Body?.transformToString()).toBe('0123456789')
  })
})

describe('AbortMultipartUpload', () => {
  test('gets 204; then all calls return NoSuchUpload, and the bytes are gone', async () => {
    const one = await part(1, 'x')
    const abort = () => client.send(new s3.AbortMultipartUploadCommand({ ...at, UploadId }))
    expect((await abort()).$metadata.httpStatusCode).toBe(204)
    expect(store.requestLog.bytesStored()).toBe(0)
    for (const call of [abort, () => part(1, 'x'), () => list(), () => complete([one])]) {
      await expect(call()).rejects.toMatchObject(fault('NoSuchUpload', 404))
    }
  })

  test('wins over a part that is still being sent', async () => {
    store.faults.add({ operation: 'UploadPart', action: { kind: 'hold', name: 'part' } })
    const sending = part(1, 'x')
    await store.faults.waitForHeld('part')
    await client.send(new s3.AbortMultipartUploadCommand({ ...at, UploadId }))
    store.faults.release()
    await expect(sending).rejects.toMatchObject(fault('NoSuchUpload', 404))
    expect(store.requestLog.bytesStored()).toBe(0)
  })
})

describe('unfinished uploads', () => {
  test('are listed by key and age, in pages, by prefix', async () => {
    for (const Key of ['b', 'a', 'dir/m', 'c/1'])
      await client.send(new s3.CreateMultipartUploadCommand({ Bucket: BUCKET, Key }))
    const ask = (more: Partial<s3.ListMultipartUploadsCommandInput>) =>
      client.send(new s3.ListMultipartUploadsCommand({ Bucket: BUCKET, ...more }))
    const keys: string[] = []
    let marker: Partial<s3.ListMultipartUploadsCommandInput> = {}
    for (;;) {
      const page = await ask({ MaxUploads: 1, ...marker })
      keys.push(...(page.Uploads?.map((one) => one.Key ?? '') ?? []))
      if (!page.IsTruncated) break
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    }
    expect(keys).toEqual(['a', 'b', 'c/1', 'dir/m', 'dir/m'])
    expect((await ask({ Prefix: 'dir/' })).Uploads).toHaveLength(2)
    const folded = await ask({ Delimiter: '/' })
    expect(folded.CommonPrefixes?.map((one) => one.Prefix)).toEqual(['c/', 'dir/'])
    expect(folded.Uploads?.map((one) => one.Key)).toEqual(['a', 'b'])
  })
})
