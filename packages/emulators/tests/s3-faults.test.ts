import * as s3 from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, test } from 'vitest'
import type { S3Emulator } from '../src/s3/emulator.ts'
import { BUCKET, MIB, sdk, sendSigned, testStore } from './s3.client.ts'

let store: S3Emulator
let client: s3.S3Client
beforeEach(async () => {
  store = await testStore()
  client = sdk(store.url)
})

const put = (key: string, body: string | Buffer = 'hello') =>
  sendSigned(store.url, { method: 'PUT', path: `/${BUCKET}/${key}`, body })
const get = (key: string) => sendSigned(store.url, { path: `/${BUCKET}/${key}` })

describe('rules', () => {
  test('respond with errors to the first two requests, with Retry-After, and serve the third', async () => {
    store.faults.add({
      operation: 'PutObject',
      first: 2,
      action: { kind: 'fail', code: 'SlowDown', retryAfterSeconds: 3 },
    })
    for (let i = 0; i < 2; i++) {
      expect(await put('a')).toMatchObject({ status: 503, code: 'SlowDown', headers: { 'retry-after': '3' } })
    }
    expect(store.requestLog.objects()).toEqual([])
    expect((await put('a')).status).toBe(200)
  })

  test('match by operation, prefix, pattern, part and count', async () => {
    const fail = { kind: 'fail', code: 'InternalError' } as const
    store.faults.add({ keyPrefix: 'p/', action: fail })
    store.faults.add({ keyPattern: '\\.png$', nth: 2, action: fail })
    const id = store.faults.add({ operation: ['GetObject', 'HeadObject'], bucket: BUCKET, action: fail })
    const statuses = []
    for (const key of ['p/x', 'a.png', 'b.png', 'c.png', 'd']) statuses.push((await put(key)).status)
    expect(statuses).toEqual([500, 200, 500, 200, 200])
    expect((await get('d')).status).toBe(500)
    store.faults.remove(id)
    expect((await get('d')).status).toBe(200)
    store.faults.reset()
    expect((await put('p/x')).status).toBe(200)
  })

  test('draw the same numbers for the same seed', async () => {
    const draw = async () => {
      store.faults.reset()
      store.faults.add({ probability: 0.5, seed: 42, action: { kind: 'fail', code: 'SlowDown' } })
      const statuses = []
      for (let i = 0; i < 20; i++) statuses.push((await put('a')).status)
      return statuses
    }
    const first = await draw()
    expect(await draw()).toEqual(first)
    expect(new Set(first)).toEqual(new Set([200, 503]))
  })

  test('complete the operation and lose the response', async () => {
    store.faults.add({ operation: 'PutObject', first: 1, action: { kind: 'drop', point: 'after' } })
    await expect(put('a')).rejects.toThrow()
    expect(store.requestLog.objects('a')).toHaveLength(1)
    await store.requestLog.waitFor((entry) => entry.aborted)
    store.faults.add({
      operation: 'PutObject',
      action: { kind: 'fail', code: 'InternalError', point: 'after' },
    })
    expect((await put('b')).status).toBe(500)
    expect(store.requestLog.objects('b')).toHaveLength(1)
  })

  test('drop before the operation, or in the middle of a body', async () => {
    store.faults.add({ keyPrefix: 'a', action: { kind: 'drop' } })
    store.faults.add({ keyPrefix: 'b', action: { kind: 'drop', afterBytes: MIB } })
    await expect(put('a')).rejects.toThrow()
    await expect(put('b', Buffer.alloc(3 * MIB))).rejects.toThrow()
    const entry = await store.requestLog.waitFor((one) => one.key === 'b')
    expect(entry).toMatchObject({ aborted: true, status: 0 })
    expect(entry.bytesIn).toBeGreaterThanOrEqual(MIB)
    expect(store.requestLog.objects()).toEqual([])
  })

  test('put an error into a 200, which the SDK reads as an error', async () => {
    await put('s')
    store.faults.add({
      operation: 'CopyObject',
      action: { kind: 'fail', code: 'InternalError', in200: true },
    })
    const copy = new s3.CopyObjectCommand({ Bucket: BUCKET, Key: 'd', CopySource: `${BUCKET}/s` })
    await expect(client.send(copy)).rejects.toMatchObject({ name: 'InternalError' })
    expect(store.requestLog.entries().at(-1)).toMatchObject({ status: 200, code: 'InternalError' })
  })

  test('truncate a GET and misreport sizes', async () => {
    await put('a', 'x'.repeat(1000))
    store.faults.add({ operation: 'GetObject', action: { kind: 'truncate', bytes: 100 } })
    store.faults.add({
      operation: 'HeadObject',
      action: { kind: 'misreportSize', addBytes: -1 },
    })
    await expect(get('a')).rejects.toThrow(/aborted|hang up|ECONNRESET/)
    expect((await store.requestLog.waitFor((one) => one.operation === 'GetObject')).bytesOut).toBe(100)
    const head = await client.send(new s3.HeadObjectCommand({ Bucket: BUCKET, Key: 'a' }))
    expect(head.ContentLength).toBe(999)
    store.faults.reset()
    store.faults.add({ operation: 'GetObject', action: { kind: 'misreportSize', addBytes: 5 } })
    const range = await client.send(new s3.GetObjectCommand({ Bucket: BUCKET, Key: 'a', Range: 'bytes=0-9' }))
    expect([range.ContentRange, range.ContentLength]).toEqual(['bytes 0-9/1005', 10])
    store.faults.reset()
    store.faults.add({ operation: 'ListParts', action: { kind: 'misreportSize', addBytes: -1 } })
    const at = { Bucket: BUCKET, Key: 'm' }
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(at))
    await client.send(new s3.UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'xyz' }))
    const { Parts } = await client.send(new s3.ListPartsCommand({ ...at, UploadId }))
    expect(Parts?.[0]?.Size).toBe(2)
  })

  test('slow down bodies and responses', async () => {
    store.faults.add({
      operation: ['PutObject', 'GetObject'],
      action: { kind: 'throttle', bytesPerSecond: 2 * MIB },
    })
    store.faults.add({ operation: 'HeadBucket', action: { kind: 'latency', ms: 50 } })
    await put('a', Buffer.alloc(MIB / 2))
    await get('a')
    await sendSigned(store.url, { method: 'HEAD', path: `/${BUCKET}` })
    const took = async (operation: string) => {
      return (await store.requestLog.waitFor((one) => one.operation === operation)).durationMs
    }
    expect(await took('PutObject')).toBeGreaterThan(200)
    expect(await took('GetObject')).toBeGreaterThan(200)
    expect(await took('HeadBucket')).toBeGreaterThan(45)
  })
})

describe('a held request', () => {
  test('has done nothing before the operation, and everything but the response after it', async () => {
    const id = store.faults.add({
      operation: 'PutObject',
      action: { kind: 'hold', name: 'h', point: 'before' },
    })
    const sending = put('a')
    expect(await store.faults.waitForHeld('h')).toMatchObject({
      operation: 'PutObject',
      key: 'a',
      point: 'before',
    })
    expect(store.requestLog.objects()).toEqual([])
    store.faults.remove(id)
    expect(store.faults.release('other')).toBe(0)
    expect(store.faults.release('h')).toBe(1)
    expect((await sending).status).toBe(200)
    store.faults.add({ operation: 'PutObject', action: { kind: 'hold', name: 'late', point: 'after' } })
    const second = put('b')
    await store.faults.waitForHeld('late')
    expect(store.requestLog.objects('b')).toHaveLength(1)
    store.faults.release()
    expect((await second).status).toBe(200)
  })

  test('completes an upload although its client has disconnected', async () => {
    const at = { Bucket: BUCKET, Key: 'm' }
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(at))
    const { ETag } = await client.send(
      new s3.UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'x' }),
    )
    store.faults.add({ operation: 'CompleteMultipartUpload', action: { kind: 'hold', name: 'h' } })
    const gone = new AbortController()
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
    const sending = client.send(new s3.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }), {
      abortSignal: gone.signal,
    })
    sending.catch(() => {})
    await store.faults.waitForHeld('h')
    gone.abort()
    await expect(sending).rejects.toThrow()
    await expect.poll(() => store.faults.held()[0]?.clientGone).toBe(true)
    store.faults.release()
    const entry = await store.requestLog.waitFor((one) => one.operation === 'CompleteMultipartUpload')
    expect(entry).toMatchObject({ status: 200, aborted: true })
    expect(store.requestLog.objects('m')).toHaveLength(1)
  })

  test('still reads the object that it found, although it has been deleted', async () => {
    await put('a')
    store.faults.add({ operation: 'GetObject', action: { kind: 'hold', name: 'h', point: 'after' } })
    const reading = get('a')
    await store.faults.waitForHeld('h')
    await sendSigned(store.url, { method: 'DELETE', path: `/${BUCKET}/a` })
    store.faults.release()
    expect((await reading).body).toBe('hello')
  })

  test('does not keep the store from closing', async () => {
    const other = await testStore()
    other.faults.add({ action: { kind: 'hold', name: 'h' } })
    const sending = sendSigned(other.url, { path: `/${BUCKET}/a` })
    sending.catch(() => {})
    await other.faults.waitForHeld('h')
    await other.close()
    await expect(sending).rejects.toThrow()
  })
})

describe('down and up', () => {
  test('reset connections, then serve again at the same address', async () => {
    await put('a')
    await store.down()
    await expect(get('a')).rejects.toThrow(/ECONNREFUSED/)
    await store.up()
    expect((await get('a')).body).toBe('hello')
  })
})

describe('the request log', () => {
  test('has an entry for every request', async () => {
    await put('a')
    await get('missing')
    const [one, two] = [
      await store.requestLog.waitFor((e) => e.seq === 1),
      await store.requestLog.waitFor((e) => e.seq === 2),
    ]
    expect(one).toMatchObject({
      operation: 'PutObject',
      bucket: BUCKET,
      key: 'a',
      status: 200,
      bytesIn: 5,
      bytesOut: 0,
      auth: 'header',
      aborted: false,
    })
    expect(two).toMatchObject({ operation: 'GetObject', status: 404, code: 'NoSuchKey' })
    expect(store.requestLog.entries(1)).toEqual([two])
    store.requestLog.clear()
    expect(store.requestLog.entries()).toEqual([])
    await expect(store.requestLog.waitFor(() => true, 20)).rejects.toThrow('No matching request within 20 ms')
  })
})
