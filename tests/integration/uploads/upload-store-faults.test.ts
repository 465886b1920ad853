import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  ListPartsCommand,
} from '@aws-sdk/client-s3'
import type { FaultRule } from '@pigeonhole/emulators/s3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { BUCKET, drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const MIB = 1024 * 1024
const SIZE = 5000
/** Five times as long as a call takes to give up after three attempts. Without limits, a call never ends. */
const LIMIT_MS = 75_000

describe('a store that misbehaves', () => {
  let app: UploadApp
  beforeAll(async () => {
    app = await startUploadApp()
  })
  afterEach(async () => {
    app.s3.faults.reset()
    app.s3.faults.release()
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(() => app?.close())

  const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

  async function staged(user: TestUser) {
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(created.uploadUrl, png(SIZE), created.headers)
    return created
  }

  async function uploaded(user: TestUser, size = SIZE) {
    const created = await app.ok(user, 'upload.initiateMultipart', { ...input, size, totalParts: 1 })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: created.fileId, partNumber: 1 })
    await put(uploadUrl, png(size))
    return created
  }

  async function expectInternal(call: Promise<Awaited<ReturnType<UploadApp['call']>>>) {
    const startedAt = performance.now()
    const { status, error } = await call
    expect([status, error?.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(error?.requestId).toEqual(expect.any(String))
    // No internal detail may be shown.
    expect(JSON.stringify(error)).not.toMatch(/ECONN|127\.0\.0\.1|staging|files\/|holes|node_modules|SQL|S3/)
    return performance.now() - startedAt
  }

  // Run this first, because the SDK retries only while few calls have failed recently.
  test('that creates a multipart upload and loses the response: after the retry, only the upload with the returned ID stays', async () => {
    const user = await app.user()
    app.s3.faults.add({
      operation: 'CreateMultipartUpload',
      first: 1,
      action: { kind: 'drop', point: 'after' },
    })
    const created = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    expect(app.s3.requestLog.uploads(created.key).map((upload) => upload.uploadId)).toEqual([
      created.uploadId,
    ])
  })

  test('that is unavailable: calls that need it soon fail with INTERNAL_SERVER_ERROR, reserve nothing, and succeed later', async () => {
    const user = await app.user()
    const [simple, multi, unfinished] = [await staged(user), await uploaded(user), await uploaded(user)]
    const ready = await staged(user)
    await app.ok(user, 'upload.confirmUpload', { fileId: ready.fileId })
    const before = await app.ok(user, 'account.usage')
    await app.s3.down()
    try {
      const calls = [
        app.call(user, 'upload.initiateMultipart', { ...input, totalParts: 1 }),
        app.call(user, 'upload.confirmUpload', { fileId: simple.fileId }),
        app.call(user, 'upload.completeMultipart', { fileId: multi.fileId }),
        app.call(user, 'upload.abortMultipart', { fileId: unfinished.fileId }),
        app.call(user, 'upload.status', { fileId: multi.fileId }),
      ]
      for (const ms of await Promise.all(calls.map(expectInternal))) expect(ms).toBeLessThan(LIMIT_MS)
      expect(await app.ok(user, 'account.usage')).toEqual(before)
      // The file is deleted before the call to the store, and counts against the quota until its bytes are removed.
      await expectInternal(app.call(user, 'files.delete', { fileId: ready.fileId }))
      expect(await app.ok(user, 'account.usage')).toEqual({
        ...before,
        used: 0,
        reserved: before.reserved + SIZE,
      })
      // Calls that need no store still work.
      await app.ok(user, 'upload.requestUploadUrl', input)
      await app.ok(user, 'files.list')
    } finally {
      await app.s3.up()
    }
    await app.ok(user, 'upload.confirmUpload', { fileId: simple.fileId })
    await app.ok(user, 'upload.completeMultipart', { fileId: multi.fileId })
    await app.ok(user, 'upload.abortMultipart', { fileId: unfinished.fileId })
    await app.ok(user, 'files.delete', { fileId: ready.fileId })
    // The new upload counts, and so does the deleted file, whose URL is still valid.
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 2 * SIZE, reserved: 2 * SIZE })
  })

  test.each(['NoSuchKey', 'NoSuchUpload', 'AccessDenied'])(
    'that responds to ListParts with 404 (%s): an upload that it still lists as unfinished does not end',
    async (code) => {
      const user = await app.user()
      const { fileId } = await uploaded(user)
      for (const operation of ['ListParts', 'AbortMultipartUpload'] as const)
        app.s3.faults.add({ operation, action: { kind: 'fail', code, status: 404 } })
      await expectInternal(app.call(user, 'upload.completeMultipart', { fileId }))
      // Every store responds with NoSuchUpload to both an abort and a listing of an ended upload.
      if (code !== 'NoSuchUpload') await expectInternal(app.call(user, 'upload.abortMultipart', { fileId }))
      app.s3.faults.reset()
      expect(await app.ok(user, 'account.usage')).toMatchObject({ reserved: SIZE })
      await app.ok(user, 'upload.completeMultipart', { fileId })
    },
  )

  const always = (
    operation: FaultRule['operation'],
    action: FaultRule['action'],
    more: Partial<FaultRule> = {},
  ) => app.s3.faults.add({ operation, action, ...more })

  test.each([
    ['confirmUpload', 'HeadObject', { kind: 'fail', code: 'SlowDown' }],
    ['confirmUpload', 'GetObject', { kind: 'fail', code: 'InternalError' }],
    ['confirmUpload', 'GetObject', { kind: 'truncate', bytes: 100 }],
    ['confirmUpload', 'GetObject', { kind: 'drop' }],
    ['confirmUpload', 'GetObject', { kind: 'throttle', bytesPerSecond: 20 }],
    ['confirmUpload', 'CopyObject', { kind: 'fail', code: 'InternalError' }],
    ['confirmUpload', 'CopyObject', { kind: 'fail', code: 'InternalError', in200: true }],
    ['confirmUpload', 'CopyObject', { kind: 'fail', code: 'AccessDenied' }],
    ['completeMultipart', 'ListParts', { kind: 'fail', code: 'SlowDown' }],
    ['completeMultipart', 'CompleteMultipartUpload', { kind: 'fail', code: 'InternalError' }],
    ['completeMultipart', 'CompleteMultipartUpload', { kind: 'fail', code: 'InternalError', in200: true }],
    ['completeMultipart', 'GetObject', { kind: 'fail', code: 'InternalError' }],
    ['completeMultipart', 'GetObject', { kind: 'truncate', bytes: 100 }],
    ['abortMultipart', 'AbortMultipartUpload', { kind: 'fail', code: 'InternalError' }],
  ] as [string, FaultRule['operation'], FaultRule['action']][])(
    '%s when %s always does %j: internal error, then the call succeeds again',
    async (call, operation, action) => {
      const user = await app.user()
      const { fileId } = call === 'confirmUpload' ? await staged(user) : await uploaded(user)
      always(operation, action)
      const ms = await expectInternal(app.call(user, `upload.${call}`, { fileId }))
      expect(ms).toBeLessThan(LIMIT_MS)
      expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: SIZE })
      app.s3.faults.reset()
      await app.ok(user, `upload.${call}`, { fileId })
      const aborted = call === 'abortMultipart'
      expect(await app.ok(user, 'account.usage')).toMatchObject({ used: aborted ? 0 : SIZE, reserved: 0 })
    },
  )

  test('that is too slow to respond: each call ends', async () => {
    const user = await app.user()
    const [simple, multi] = [await staged(user), await uploaded(user)]
    for (const operation of ['GetObject', 'ListParts', 'CreateMultipartUpload'] as const)
      always(operation, { kind: 'hold', name: 'never' })
    const calls = [
      app.call(user, 'upload.confirmUpload', { fileId: simple.fileId }),
      app.call(user, 'upload.completeMultipart', { fileId: multi.fileId }),
      app.call(user, 'upload.initiateMultipart', { ...input, totalParts: 1 }),
      app.call(user, 'upload.status', { fileId: multi.fileId }),
    ]
    for (const ms of await Promise.all(calls.map(expectInternal))) expect(ms).toBeLessThan(2 * LIMIT_MS)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 2 * SIZE })
  })

  test('that completes slowly: completion waits for it, in one request', async () => {
    const user = await app.user()
    const { fileId, key } = await uploaded(user)
    always('CompleteMultipartUpload', { kind: 'latency', ms: 10_000 })
    app.s3.requestLog.clear()
    await app.ok(user, 'upload.completeMultipart', { fileId })
    const asked = app.s3.requestLog.entries().filter((entry) => entry.operation === 'CompleteMultipartUpload')
    expect(asked.map((entry) => entry.key)).toEqual([key])
  })

  test('that completes but loses the response: the same call finds the file', async () => {
    const user = await app.user()
    const { fileId } = await uploaded(user)
    always('CompleteMultipartUpload', { kind: 'drop', point: 'after' }, { first: 1 })
    await app.ok(user, 'upload.completeMultipart', { fileId })
    expect(await app.ok(user, 'upload.status', { fileId })).toMatchObject({
      state: 'READY',
      uploadedParts: [1],
    })
  })

  test('that creates a multipart upload but loses the response: no quota stays reserved, and the sweeper aborts it', async () => {
    const user = await app.user()
    always('CreateMultipartUpload', { kind: 'drop', point: 'after' })
    await expectInternal(app.call(user, 'upload.initiateMultipart', { ...input, totalParts: 1 }))
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
    expect(await app.ok(user, 'files.list')).toEqual({ items: [], nextCursor: null })
    app.s3.faults.reset()
    expect(app.s3.requestLog.uploads(`files/${user.id}`).length).toBeGreaterThan(0)
    await app.services.sweeper.sweep()
    expect(app.s3.requestLog.uploads(`files/${user.id}`)).toEqual([])
  })

  test('that reports a wrong size of a staged object: it is rejected and removed, and counts against the quota until its URL expires', async () => {
    const user = await app.user()
    const { fileId } = await staged(user)
    always('GetObject', { kind: 'misreportSize', addBytes: 1 })
    const { error } = await app.call(user, 'upload.confirmUpload', { fileId })
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(`${SIZE + 1} bytes, not ${SIZE}`),
    })
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: SIZE })
  })

  test('that reports wrong sizes of parts: the error names their numbers, and nothing is lost', async () => {
    const user = await app.user()
    const { fileId } = await uploaded(user)
    always('ListParts', { kind: 'misreportSize', addBytes: -1 })
    const { error } = await app.call(user, 'upload.completeMultipart', { fileId })
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(/wrong size: 1\b/) })
    app.s3.faults.reset()
    await app.ok(user, 'upload.completeMultipart', { fileId })
  })

  test('two simultaneous confirmations or completions: one does the work, both get the response', async () => {
    const user = await app.user()
    const [simple, multi] = [await staged(user), await uploaded(user, 6 * MIB - MIB)]
    app.s3.requestLog.clear()
    const answers = await Promise.all(
      [0, 1, 2, 3].flatMap(() => [
        app.call(user, 'upload.confirmUpload', { fileId: simple.fileId }),
        app.call(user, 'upload.completeMultipart', { fileId: multi.fileId }),
      ]),
    )
    for (const [i, answer] of answers.entries()) expect(answer).toEqual(answers[i % 2])
    const count = (operation: string) =>
      app.s3.requestLog.entries().filter((entry) => entry.operation === operation).length
    expect([count('CopyObject'), count('CompleteMultipartUpload')]).toEqual([1, 1])
  })

  test.each(['InternalError', 'AccessDenied'])(
    '%s for the abort of an upload that the store no longer has: it still ends',
    async (code) => {
      const user = await app.user()
      const [lost, completed] = [await uploaded(user), await uploaded(user)]
      const client = createS3Client(app.config.s3)
      const at = ({ key, uploadId }: { key: string; uploadId: string }) => {
        return { Bucket: BUCKET, Key: key, UploadId: uploadId }
      }
      await client.send(new AbortMultipartUploadCommand(at(lost)))
      const { Parts = [] } = await client.send(new ListPartsCommand(at(completed)))
      await client.send(new CompleteMultipartUploadCommand({ ...at(completed), MultipartUpload: { Parts } }))
      client.destroy()
      always('AbortMultipartUpload', { kind: 'fail', code })
      for (const { fileId, key } of [lost, completed]) {
        await app.ok(user, 'upload.abortMultipart', { fileId })
        expect(app.s3.requestLog.bytesStored(key)).toBe(0)
      }
      expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
    },
  )
})
