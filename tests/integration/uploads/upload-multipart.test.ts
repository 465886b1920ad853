import { AbortMultipartUploadCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { BUCKET, drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const MB = 1024 * 1024
const PART = 5 * MB

describe('multipart uploads trust the store, not the client', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp({ DEFAULT_STORAGE_QUOTA_BYTES: String(20 * 1024 * MB) })
    user = await app.user()
  })
  afterAll(async () => {
    expect(await drift(app.db)).toEqual([])
    await app.close()
  })

  async function begin(size: number, totalParts = Math.ceil(size / PART)) {
    const input = { filename: 'a.png', mimeType: 'image/png', size, totalParts }
    return { size, totalParts, ...(await app.ok(user, 'upload.initiateMultipart', input)) }
  }

  /** Sends parts of any number and length, which our URLs would not allow. */
  async function sendUnplanned(
    { key, uploadId }: { key: string; uploadId: string },
    parts: [number: number, body: Buffer | string][],
  ) {
    const client = createS3Client(app.config.s3)
    for (const [PartNumber, Body] of parts)
      await client.send(
        new UploadPartCommand({ Bucket: BUCKET, Key: key, UploadId: uploadId, PartNumber, Body }),
      )
    client.destroy()
  }

  async function send(
    file: { fileId: string; size: number; partSize: number },
    partNumber: number,
    bytes: Buffer,
  ) {
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: file.fileId, partNumber })
    const answer = await put(
      uploadUrl,
      bytes.subarray((partNumber - 1) * file.partSize, partNumber * file.partSize),
    )
    expect(answer.status).toBe(200)
    return answer.headers.get('etag')!
  }

  const complete = (file: { fileId: string }) =>
    app.call(user, 'upload.completeMultipart', { fileId: file.fileId })
  const status = (file: { fileId: string }) => app.ok(user, 'upload.status', { fileId: file.fileId })

  test('recorded parts that were never sent are reported as missing, and can still be sent', async () => {
    const bytes = png(2 * PART + 1000)
    const file = await begin(bytes.length)
    const sent = await send(file, 2, bytes)
    for (const partNumber of [1, 2, 3]) {
      const etag = partNumber === 2 ? sent : 'made-up'
      await app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber, etag })
    }
    const early = await complete(file)
    expect(early.error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/missing in the object store: 1, 3\./),
    })
    expect(await status(file)).toMatchObject({ state: 'UPLOADING' })
    for (const partNumber of [1, 3]) {
      const etag = await send(file, partNumber, bytes)
      await app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber, etag })
    }
    expect((await complete(file)).data?.success).toBe(true)
  })

  test('error.data.missingParts contains every missing part; the message names the first 20', async () => {
    const file = await begin(150 * MB)
    const { status: httpStatus, error } = await complete(file)
    expect(httpStatus).toBe(400)
    expect(error?.code).toBe('BAD_REQUEST')
    expect(error?.missingParts).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
    expect(error).not.toHaveProperty('wrongParts')
    expect(error?.message).toContain(`${Array.from({ length: 20 }, (_, i) => i + 1).join(', ')} and 10 more`)
    await app.ok(user, 'upload.abortMultipart', { fileId: file.fileId })
  })

  test('a recorded ETag that differs from the stored one is reported by part until it is corrected', async () => {
    const bytes = png(PART + 1000)
    const file = await begin(bytes.length)
    const etags = [await send(file, 1, bytes), await send(file, 2, bytes)]
    await app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber: 1, etag: etags[0] })
    await app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber: 2, etag: etags[0] })
    const { error } = await complete(file)
    expect(error?.message).toMatch(/recorded ETag is not the stored one: 2\b/)
    expect(error?.wrongParts).toEqual([2])
    expect(error).not.toHaveProperty('missingParts')
    await app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber: 2, etag: `W/${etags[1]}` })
    expect((await complete(file)).data?.success).toBe(true)
  })

  test('ETags with and without quotes are equal', async () => {
    const bytes = png(1000)
    const file = await begin(bytes.length)
    const etag = await send(file, 1, bytes)
    expect(etag).toMatch(/^".*"$/)
    await app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber: 1, etag: etag.slice(1, -1) })
    expect((await complete(file)).data?.success).toBe(true)
  })

  test('parts that have a wrong size or are beyond the part plan are reported by number if the store accepted them', async () => {
    const bytes = png(2 * PART + 1000)
    const file = await begin(bytes.length)
    await send(file, 1, bytes)
    await send(file, 3, bytes)
    await sendUnplanned(file, [
      [2, png(5 * MB + 1)],
      [4, png(10)],
    ])
    const { error } = await complete(file)
    expect(error?.code).toBe('BAD_REQUEST')
    expect(error?.wrongParts).toEqual([2])
    expect(error?.message).toMatch(/wrong size: 2 .*beyond the planned 3: 4\./s)
    // A part of the wrong size must be sent again, so it does not count as uploaded.
    expect((await status(file)).uploadedParts).toEqual([1, 3])
    await app.ok(user, 'upload.abortMultipart', { fileId: file.fileId })
  })

  test('if half of the parts are never reported, the status still lists them, and completion works', async () => {
    const bytes = png(4 * PART + 1000)
    const file = await begin(bytes.length)
    for (const partNumber of [4, 2]) await send(file, partNumber, bytes)
    for (const partNumber of [5, 1]) {
      const etag = await send(file, partNumber, bytes)
      await app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber, etag })
    }
    expect(await status(file)).toMatchObject({
      uploadedParts: [1, 2, 4, 5],
      totalParts: 5,
      state: 'UPLOADING',
    })
    await send(file, 3, bytes)
    expect((await complete(file)).data?.success).toBe(true)
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId: file.fileId })
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('completePart works in any order, repeatedly and in parallel, and returns the recorded numbers, ascending', async () => {
    const file = await begin(50 * MB)
    const numbers = [7, 3, 10, 1, 9, 2, 8, 5, 4, 6]
    const answers = await Promise.all(
      numbers.map((partNumber) =>
        app.ok(user, 'upload.completePart', { fileId: file.fileId, partNumber, etag: `e${partNumber}` }),
      ),
    )
    for (const [i, { uploadedParts }] of answers.entries()) {
      expect(uploadedParts).toContain(numbers[i])
      expect(uploadedParts).toEqual([...uploadedParts].sort((a, b) => a - b))
    }
    const again = { fileId: file.fileId, partNumber: 7, etag: 'e7' }
    expect((await app.ok(user, 'upload.completePart', again)).uploadedParts).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
    expect(await app.ok(user, 'upload.completePart', again)).toEqual(
      await app.ok(user, 'upload.completePart', again),
    )
    await app.ok(user, 'upload.abortMultipart', { fileId: file.fileId })
  })

  test('a 5 GB upload in 1,024 parts is planned, signed in 11 calls and listed correctly', async () => {
    const file = await begin(5 * 1024 * MB)
    expect(file).toMatchObject({ partSize: PART, totalParts: 1024 })
    const all = Array.from({ length: 1024 }, (_, i) => i + 1)
    const lengths: number[] = []
    for (let at = 0; at < all.length; at += 100) {
      const { parts } = await app.ok(user, 'upload.getPartUrls', {
        fileId: file.fileId,
        partNumbers: all.slice(at, at + 100),
      })
      lengths.push(parts.length)
      expect(parts[0].uploadUrl).toContain(`partNumber=${at + 1}&`)
    }
    expect(lengths).toEqual([...Array(10).fill(100), 24])
    // ListParts needs several pages, and the last part is on the last page.
    app.s3.faults.setQuirks({ listingPage: 20 })
    const sent = [...all.slice(0, 23), 1024].filter((n) => n !== 3)
    await sendUnplanned(
      file,
      sent.map((n) => [n, 'x']),
    )
    const { error } = await complete(file)
    expect(error?.missingParts).toEqual(all.filter((n) => !sent.includes(n)))
    expect(error?.wrongParts).toEqual(sent)
    expect(error?.message).toMatch(
      /missing in the object store: 3, 24, 25, .* and 981 more\..*wrong size: 1, 2, 4, .* and 3 more/s,
    )
    app.s3.requestLog.clear()
    expect((await status(file)).uploadedParts).toEqual([])
    expect(app.s3.requestLog.entries().filter((entry) => entry.operation === 'ListParts')).toHaveLength(2)
    await app.ok(user, 'upload.abortMultipart', { fileId: file.fileId })
    expect(app.s3.requestLog.uploads(file.key)).toEqual([])
    app.s3.faults.reset()
  })

  test('a completed file whose type differs from the declared one is removed, and its quota is released at once', async () => {
    const html = Buffer.alloc(1000, '<!DOCTYPE html><script>alert(1)</script>')
    const file = await begin(html.length)
    await send(file, 1, html)
    const before = await app.ok(user, 'account.usage')
    const answer = await complete(file)
    expect(answer.error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('not image/png as declared'),
    })
    expect(await complete(file)).toEqual({
      ...answer,
      error: { ...answer.error, requestId: expect.any(String) },
    })
    expect(await status(file)).toMatchObject({ state: 'REJECTED', uploadedParts: [] })
    expect(app.s3.requestLog.bytesStored(file.key)).toBe(0)
    expect((await app.ok(user, 'account.usage')).reserved).toBe(before.reserved - html.length)
  })

  test('completing an upload that the store has lost reports it and releases its quota', async () => {
    const file = await begin(6 * MB)
    const before = await app.ok(user, 'account.usage')
    const client = createS3Client(app.config.s3)
    await client.send(
      new AbortMultipartUploadCommand({ Bucket: BUCKET, Key: file.key, UploadId: file.uploadId }),
    )
    client.destroy()
    expect((await status(file)).uploadedParts).toEqual([])
    expect((await complete(file)).error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('has neither this upload nor a finished file'),
    })
    expect((await app.ok(user, 'account.usage')).reserved).toBe(before.reserved - 6 * MB)
  })

  test('an object left by a crashed completion is accepted', async () => {
    const file = await begin(1000)
    await send(file, 1, png(1000))
    const client = createS3Client(app.config.s3)
    await client.send(
      new PutObjectCommand({ Bucket: BUCKET, Key: file.key, Body: png(1000), ContentType: 'image/png' }),
    )
    await client.send(
      new AbortMultipartUploadCommand({ Bucket: BUCKET, Key: file.key, UploadId: file.uploadId }),
    )
    client.destroy()
    expect((await status(file)).uploadedParts).toEqual([1])
    expect((await complete(file)).data?.success).toBe(true)
  })
})
