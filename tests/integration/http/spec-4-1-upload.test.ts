// Every row of docs/spec.md section 4.1, over HTTP against the built server.

import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { png, put } from '../../support/app/upload-app.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import type { TestUser } from '../../support/users.ts'

const MIB = 1024 * 1024
let server: SharedServer
let user: TestUser

beforeAll(async () => {
  server = await sharedServer()
  user = await server.user()
})

/** Returns a file that starts with the leading bytes of a PDF and continues with random bytes. */
function pdf(size: number): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size - 9)])
}

async function begin(size = 2000) {
  return server.ok(user, 'upload.requestUploadUrl', { filename: 'a.png', mimeType: 'image/png', size })
}

async function initiate(size = 12 * MIB) {
  const totalParts = Math.ceil(size / (5 * MIB))
  return server.ok(user, 'upload.initiateMultipart', {
    filename: 'report.pdf',
    mimeType: 'application/pdf',
    size,
    totalParts,
  })
}

/** Sends one part and returns its ETag. */
async function sendPart(fileId: string, partNumber: number, bytes: Buffer): Promise<string> {
  const { uploadUrl } = await server.ok(user, 'upload.getPartUrl', { fileId, partNumber })
  const response = await put(uploadUrl, bytes)
  expect(response.status).toBe(200)
  return response.headers.get('etag')!
}

/** Returns the bytes at the file's URL. */
async function download(url: string): Promise<Buffer> {
  const redirect = await fetch(`${server.url}${new URL(url).pathname}`, {
    headers: user.headers,
    redirect: 'manual',
  })
  expect(redirect.status).toBe(302)
  const response = await fetch(redirect.headers.get('location')!)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('requestUploadUrl', () => {
  test('returns uploadUrl, fileId and key; a PUT with only Content-Type sends the bytes', async () => {
    const answer = await begin()
    expect(answer).toEqual({
      uploadUrl: expect.stringMatching(/^http/),
      fileId: expect.any(String),
      key: expect.any(String),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      headers: { 'Content-Type': 'image/png' },
    })
    expect((await put(answer.uploadUrl, png(2000), { 'Content-Type': 'image/png' })).status).toBe(200)
  })
})

describe('confirmUpload', () => {
  test('marks the file as successfully uploaded and returns { success, file: { id, filename, url } }', async () => {
    const bytes = png(2000, 7)
    const { uploadUrl, fileId } = await begin()
    await put(uploadUrl, bytes, { 'Content-Type': 'image/png' })
    const answer = await server.ok(user, 'upload.confirmUpload', { fileId })
    expect(answer).toEqual({
      success: true,
      file: { id: fileId, filename: 'a.png', url: `${server.env.NEXTAUTH_URL}/files/${fileId}` },
    })
    expect(sha(await download(answer.file.url))).toBe(sha(bytes))
    const { items } = await server.ok(user, 'files.list', {})
    expect(items.find((i: { id: string }) => i.id === fileId).state).toBe('READY')
  })
})

describe('multipart', () => {
  test('initiateMultipart returns fileId, uploadId and key', async () => {
    expect(await initiate()).toMatchObject({
      fileId: expect.any(String),
      uploadId: expect.any(String),
      key: expect.any(String),
      partSize: 5 * MIB,
    })
  })

  test('getPartUrl returns uploadUrl for a part, starting at 1', async () => {
    const { fileId } = await initiate()
    const answer = await server.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
    expect(answer.uploadUrl).toMatch(/^http/)
  })

  test('completePart returns the completed part numbers, ascending', async () => {
    const { fileId } = await initiate()
    const etag3 = await sendPart(fileId, 3, pdf(2 * MIB))
    expect(await server.ok(user, 'upload.completePart', { fileId, partNumber: 3, etag: etag3 })).toEqual({
      success: true,
      uploadedParts: [3],
    })
    const etag1 = await sendPart(fileId, 1, pdf(5 * MIB))
    expect(await server.ok(user, 'upload.completePart', { fileId, partNumber: 1, etag: etag1 })).toEqual({
      success: true,
      uploadedParts: [1, 3],
    })
  })

  test('completeMultipart finalizes after all parts, and the file is downloaded byte for byte', async () => {
    const size = 11 * MIB + 17
    const bytes = pdf(size)
    const { fileId } = await initiate(size)
    for (let n = 1; n <= 3; n++) {
      const etag = await sendPart(fileId, n, bytes.subarray((n - 1) * 5 * MIB, n * 5 * MIB))
      await server.ok(user, 'upload.completePart', { fileId, partNumber: n, etag })
    }
    const answer = await server.ok(user, 'upload.completeMultipart', { fileId })
    expect(answer).toEqual({
      success: true,
      file: { id: fileId, filename: 'report.pdf', url: `${server.env.NEXTAUTH_URL}/files/${fileId}` },
    })
    expect(sha(await download(answer.file.url))).toBe(sha(bytes))
  })

  test('abortMultipart cancels the upload and removes its parts', async () => {
    const { fileId, uploadId } = await initiate()
    await sendPart(fileId, 1, pdf(5 * MIB))
    expect(server.stack.s3.requestLog.uploads().some((u) => u.uploadId === uploadId)).toBe(true)
    expect(await server.ok(user, 'upload.abortMultipart', { fileId })).toEqual({ success: true })
    expect(server.stack.s3.requestLog.uploads().some((u) => u.uploadId === uploadId)).toBe(false)
  })
})
