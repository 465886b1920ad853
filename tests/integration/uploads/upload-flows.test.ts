import { PutObjectCommand } from '@aws-sdk/client-s3'
import { DIALECTS } from '@pigeonhole/emulators/s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { stagingKey } from '../../../src/server/domain/uploads/keys.ts'
import { BUCKET, drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { until } from '../../support/until.ts'

const MIB = 1024 * 1024

describe.each(DIALECTS)('both upload flows, on a store with the dialect %s', (dialect) => {
  let app: UploadApp
  beforeAll(async () => {
    app = await startUploadApp({}, { dialect })
  })
  afterAll(() => app.close())

  test('a simple upload (request, PUT, confirm) is listed, counts against the quota, and downloads the same bytes', async () => {
    const user = await app.user()
    const bytes = png(300_000)
    const input = { filename: 'Föto 1.png', mimeType: 'image/png', size: bytes.length }
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    expect(created.key).toMatch(/^files\/.*\/Foto_1\.png$/)
    expect(created.headers).toEqual({ 'Content-Type': 'image/png' })
    expect(Date.parse(created.expiresAt) - Date.now()).toBeGreaterThan(14 * 60_000)
    expect(await app.ok(user, 'account.usage')).toEqual({
      used: 0,
      reserved: bytes.length,
      quota: 524_288_000,
    })

    const early = await app.call(user, 'upload.confirmUpload', { fileId: created.fileId })
    expect(early.error?.code).toBe('BAD_REQUEST')
    expect(early.error?.message).toMatch(/no bytes .* yet/)

    expect((await put(created.uploadUrl, bytes, created.headers)).status).toBe(200)
    const confirmed = await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    expect(confirmed).toEqual({
      success: true,
      file: { id: created.fileId, filename: 'Föto 1.png', url: `http://app.test/files/${created.fileId}` },
    })
    expect(await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })).toEqual(confirmed)
    expect(await app.ok(user, 'account.usage')).toEqual({
      used: bytes.length,
      reserved: 0,
      quota: 524_288_000,
    })
    const { items } = await app.ok(user, 'files.list')
    expect(items).toMatchObject([
      { id: created.fileId, state: 'READY', url: confirmed.file.url, size: bytes.length },
    ])
    expect(app.s3.requestLog.objects('staging/')).toEqual([])
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId: created.fileId })
    const got = await fetch(url)
    expect(got.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true)
    expect(await drift(app.db)).toEqual([])
  })

  test('confirmation and completion read size and leading bytes in one request', async () => {
    const user = await app.user()
    const input = { filename: 'a.png', mimeType: 'image/png', size: 5000 }
    const simple = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(simple.uploadUrl, png(5000), simple.headers)
    const parts = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: parts.fileId, partNumber: 1 })
    await put(uploadUrl, png(5000))
    const listed = async () =>
      (await app.ok(user, 'upload.status', { fileId: parts.fileId })).uploadedParts.includes(1)
    await until('the part is listed, which takes longer on Swift', listed)
    const asked = async (procedure: string, fileId: string) => {
      app.s3.requestLog.clear()
      await app.ok(user, procedure, { fileId })
      return app.s3.requestLog.entries().map((entry) => entry.operation)
    }
    expect(await asked('upload.confirmUpload', simple.fileId)).toEqual([
      'GetObject',
      'CopyObject',
      'HeadObject',
      'DeleteObject',
    ])
    expect(await asked('upload.completeMultipart', parts.fileId)).toEqual([
      'ListParts',
      'CompleteMultipartUpload',
      'GetObject',
    ])
  })

  test('a file without bytes, which the store accepted without the URL, is rejected', async () => {
    const user = await app.user()
    const input = { filename: 'a.png', mimeType: 'image/png', size: 5000 }
    const { fileId, key } = await app.ok(user, 'upload.requestUploadUrl', input)
    const client = createS3Client(app.config.s3)
    const Key = stagingKey(key)
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: Buffer.alloc(0) }))
    client.destroy()
    const { error } = await app.call(user, 'upload.confirmUpload', { fileId })
    expect(error?.message).toMatch(/received 0 bytes, not 5000/)
  })

  test('a multipart upload (initiate, parts in any order, completePart, complete) downloads the same bytes', async () => {
    const user = await app.user()
    const bytes = png(10 * MIB + 7, 9)
    const created = await app.ok(user, 'upload.initiateMultipart', {
      filename: 'film.png',
      mimeType: 'image/png',
      size: bytes.length,
      totalParts: 3,
    })
    expect(created).toMatchObject({
      partSize: 5 * MIB,
      uploadId: expect.any(String),
      key: expect.any(String),
    })
    for (const partNumber of [3, 1, 2]) {
      const part = await app.ok(user, 'upload.getPartUrl', { fileId: created.fileId, partNumber })
      const slice = bytes.subarray((partNumber - 1) * created.partSize, partNumber * created.partSize)
      const answer = await put(part.uploadUrl, slice, part.headers)
      expect(answer.status).toBe(200)
      const etag = answer.headers.get('etag')
      const recorded = await app.ok(user, 'upload.completePart', { fileId: created.fileId, partNumber, etag })
      expect(recorded.uploadedParts).toContain(partNumber)
    }
    expect(await app.ok(user, 'upload.status', { fileId: created.fileId })).toMatchObject({
      state: 'UPLOADING',
      uploadedParts: [1, 2, 3],
      totalParts: 3,
      partSize: 5 * MIB,
      size: bytes.length,
    })
    const done = await app.ok(user, 'upload.completeMultipart', { fileId: created.fileId })
    expect(await app.ok(user, 'upload.completeMultipart', { fileId: created.fileId })).toEqual(done)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: bytes.length, reserved: 0 })
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId: created.fileId })
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true)
    expect(await drift(app.db)).toEqual([])
  })

  test('an aborted multipart upload leaves nothing in the store and releases its quota', async () => {
    const user = await app.user()
    const created = await app.ok(user, 'upload.initiateMultipart', {
      filename: 'film.mp4',
      mimeType: 'video/mp4',
      size: 10 * MIB + 7,
      totalParts: 3,
    })
    const { parts } = await app.ok(user, 'upload.getPartUrls', {
      fileId: created.fileId,
      partNumbers: [1, 2, 3],
    })
    expect((await put(parts[2].uploadUrl, Buffer.alloc(7))).status).toBe(200)
    expect(await app.ok(user, 'upload.abortMultipart', { fileId: created.fileId })).toEqual({ success: true })
    expect(await app.ok(user, 'upload.abortMultipart', { fileId: created.fileId })).toEqual({ success: true })
    expect(app.s3.requestLog.uploads(created.key)).toEqual([])
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
    const complete = await app.call(user, 'upload.completeMultipart', { fileId: created.fileId })
    expect(complete.error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('aborted') })
  })
})
