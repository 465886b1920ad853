import * as s3 from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, test } from 'vitest'
import type { S3Emulator } from '../src/s3/emulator.ts'
import { BUCKET, md5, sdk, sendSigned, testStore } from './s3.client.ts'

let store: S3Emulator
let client: s3.S3Client
beforeEach(async () => {
  store = await testStore()
  client = sdk(store.url)
})

const put = (Key: string, Body: string) => client.send(new s3.PutObjectCommand({ Bucket: BUCKET, Key, Body }))
const fault = (name: string, status: number) => ({ name, $metadata: { httpStatusCode: status } })

describe('lists and buckets', () => {
  test('listings have pages, fold at the delimiter and start after a key', async () => {
    for (const key of ['a/1', 'a/2', 'b/1', 'b/2/3', 'c', 'd', '\u{1f426}', '\uffee']) await put(key, 'x')
    const pages = async (more: Partial<s3.ListObjectsV2CommandInput>) => {
      const out: string[][] = []
      let ContinuationToken: string | undefined
      do {
        const page = await client.send(
          new s3.ListObjectsV2Command({ Bucket: BUCKET, ...more, ContinuationToken }),
        )
        const folded = page.CommonPrefixes?.map((one) => one.Prefix ?? '') ?? []
        out.push([...folded, ...(page.Contents?.map((one) => one.Key ?? '') ?? [])])
        expect(page.KeyCount).toBe(out.at(-1)?.length)
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken)
      return out
    }
    expect(await pages({ MaxKeys: 3 })).toEqual([
      ['a/1', 'a/2', 'b/1'],
      ['b/2/3', 'c', 'd'],
      ['\uffee', '\u{1f426}'],
    ])
    store.faults.setQuirks({ listingPage: 5 })
    expect((await pages({ MaxKeys: 6 })).map((page) => page.length)).toEqual([5, 3])
    store.faults.reset()
    expect(await pages({ Delimiter: '/', MaxKeys: 1 })).toEqual([
      ['a/'],
      ['b/'],
      ['c'],
      ['d'],
      ['\uffee'],
      ['\u{1f426}'],
    ])
    expect(await pages({ Delimiter: '/', Prefix: 'b/' })).toEqual([['b/2/', 'b/1']])
    expect(await pages({ StartAfter: 'b/2/3', Prefix: 'b' })).toEqual([[]])
    expect(await pages({ StartAfter: 'c', MaxKeys: 1, EncodingType: 'url' })).toEqual([
      ['d'],
      ['%EF%BF%AE'],
      ['%F0%9F%90%A6'],
    ])
  })

  test('version 1 listings are paged by marker', async () => {
    for (const key of ['a/1', 'a/2', 'b', 'c']) await put(key, 'x')
    const list = (more: Partial<s3.ListObjectsCommandInput>) =>
      client.send(new s3.ListObjectsCommand({ Bucket: BUCKET, MaxKeys: 2, ...more }))
    const keys = (page: s3.ListObjectsCommandOutput) => page.Contents?.map((one) => one.Key)
    const first = await list({})
    expect(first).toMatchObject({ IsTruncated: true, Marker: '' })
    expect(first.NextMarker).toBeUndefined()
    expect(keys(first)).toEqual(['a/1', 'a/2'])
    const second = await list({ Marker: 'a/2' })
    expect(second).toMatchObject({ IsTruncated: false, Marker: 'a/2' })
    expect(keys(second)).toEqual(['b', 'c'])
    const folded = await list({ Delimiter: '/' })
    expect(folded).toMatchObject({ NextMarker: 'b', CommonPrefixes: [{ Prefix: 'a/' }] })
    expect(keys(await list({ Delimiter: '/', Marker: folded.NextMarker }))).toEqual(['c'])
  })

  test('buckets can be created, found, listed and deleted', async () => {
    await client.send(new s3.CreateBucketCommand({ Bucket: 'second' }))
    await expect(client.send(new s3.CreateBucketCommand({ Bucket: 'second' }))).rejects.toMatchObject(
      fault('BucketAlreadyOwnedByYou', 409),
    )
    await expect(client.send(new s3.CreateBucketCommand({ Bucket: 'UPPER' }))).rejects.toMatchObject(
      fault('InvalidBucketName', 400),
    )
    const { Buckets } = await client.send(new s3.ListBucketsCommand({}))
    expect(Buckets?.map((one) => one.Name)).toEqual([BUCKET, 'second'])
    await client.send(new s3.HeadBucketCommand({ Bucket: 'second' }))
    const { LocationConstraint } = await client.send(new s3.GetBucketLocationCommand({ Bucket: 'second' }))
    expect(LocationConstraint).toBe('eu-central-1')
    await client.send(new s3.PutObjectCommand({ Bucket: 'second', Key: 'k', Body: 'x' }))
    const remove = () => client.send(new s3.DeleteBucketCommand({ Bucket: 'second' }))
    await expect(remove()).rejects.toMatchObject(fault('BucketNotEmpty', 409))
    await client.send(new s3.DeleteObjectCommand({ Bucket: 'second', Key: 'k' }))
    await remove()
    await expect(client.send(new s3.ListObjectsV2Command({ Bucket: 'second' }))).rejects.toMatchObject(
      fault('NoSuchBucket', 404),
    )
  })

  test('virtual-host style is supported', async () => {
    await put('dir/a', 'hello')
    const headers = { host: `${BUCKET}.localhost:${store.port}` }
    expect((await sendSigned(store.url, { path: '/dir/a', headers })).body).toBe('hello')
    expect((await sendSigned(store.url, { path: '/?list-type=2', headers })).body).toContain(
      '<Key>dir/a</Key>',
    )
  })

  test('DeleteObjects requires a digest and a document', async () => {
    const ask = (body: string, headers = {}) =>
      sendSigned(store.url, { method: 'POST', path: `/${BUCKET}?delete=`, body, headers })
    expect((await ask('<Delete/>')).code).toBe('InvalidRequest')
    const digest = (body: string) => ({ 'content-md5': Buffer.from(md5(body), 'hex').toString('base64') })
    expect((await ask('<Delete>', digest('<Delete>'))).code).toBe('MalformedXML')
    expect((await ask('<Delete/>', digest('<Delete/>'))).code).toBe('MalformedXML')
  })

  test('lifecycle configurations are validated, kept, and applied on request', async () => {
    const Rules: s3.LifecycleRule[] = [
      { ID: 'staging', Status: 'Enabled', Filter: { Prefix: 'staging/' }, Expiration: { Days: 2 } },
      {
        ID: 'mp',
        Status: 'Enabled',
        Filter: { Prefix: '' },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 8 },
      },
    ]
    const LifecycleConfiguration = { Rules }
    const get = () => client.send(new s3.GetBucketLifecycleConfigurationCommand({ Bucket: BUCKET }))
    await expect(get()).rejects.toMatchObject(fault('NoSuchLifecycleConfiguration', 404))
    await client.send(
      new s3.PutBucketLifecycleConfigurationCommand({ Bucket: BUCKET, LifecycleConfiguration }),
    )
    expect((await get()).Rules).toEqual(Rules)
    await put('staging/a', 'x')
    await put('final/a', 'x')
    await client.send(new s3.CreateMultipartUploadCommand({ Bucket: BUCKET, Key: 'final/m' }))
    const day = 86_400_000
    expect(store.applyLifecycle(Date.now() + day)).toEqual({ expired: [], aborted: [] })
    expect(store.applyLifecycle(Date.now() + 3 * day)).toEqual({ expired: ['staging/a'], aborted: [] })
    expect(store.applyLifecycle(Date.now() + 9 * day).aborted).toHaveLength(1)
    const bad = { ...LifecycleConfiguration, Rules: [{ Status: 'Enabled' as const, Filter: { Prefix: '' } }] }
    await expect(
      client.send(
        new s3.PutBucketLifecycleConfigurationCommand({ Bucket: BUCKET, LifecycleConfiguration: bad }),
      ),
    ).rejects.toMatchObject(fault('InvalidRequest', 400))
    await client.send(new s3.DeleteBucketLifecycleCommand({ Bucket: BUCKET }))
    await expect(get()).rejects.toMatchObject(fault('NoSuchLifecycleConfiguration', 404))
  })
})
