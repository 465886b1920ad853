// docs/spec.md sections 5, 7 and 8 for uploads: every error code, and every limit at its boundary.

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { png, put } from '../../support/app/upload-app.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import type { TestUser } from '../../support/users.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
let server: SharedServer
let user: TestUser
let other: TestUser
let fileId: string
let multipartId: string

beforeAll(async () => {
  server = await sharedServer()
  user = await server.user({ quotaBytes: 20 * GIB })
  other = await server.user()
  fileId = (
    await server.ok(user, 'upload.requestUploadUrl', { filename: 'a', mimeType: 'image/png', size: 1 })
  ).fileId
  multipartId = (
    await server.ok(user, 'upload.initiateMultipart', {
      filename: 'a',
      mimeType: 'video/mp4',
      size: 12 * MIB,
      totalParts: 3,
    })
  ).fileId
})

const simple = (size: unknown, mimeType: unknown = 'image/png') => ({ filename: 'a.png', mimeType, size })
const multipart = (size: number, totalParts = Math.ceil(size / (5 * MIB))) => ({
  filename: 'a',
  mimeType: 'video/mp4',
  size,
  totalParts,
})

function everyProcedure(id: string, multipartFile = id): [string, object][] {
  return [
    ['upload.confirmUpload', { fileId: id }],
    ['upload.getPartUrl', { fileId: multipartFile, partNumber: 1 }],
    ['upload.getPartUrls', { fileId: multipartFile, partNumbers: [1] }],
    ['upload.completePart', { fileId: multipartFile, partNumber: 1, etag: 'e' }],
    ['upload.completeMultipart', { fileId: multipartFile }],
    ['upload.abortMultipart', { fileId: multipartFile }],
    ['upload.status', { fileId: id }],
  ]
}

describe('UNAUTHORIZED', () => {
  test.each([
    ['upload.requestUploadUrl', simple(1)],
    ['upload.initiateMultipart', multipart(12 * MIB)],
    ...everyProcedure(randomUUID()),
  ])('%s without a session returns 401', async (procedure, input) => {
    const answer = await server.call(null, procedure, input)
    expect(answer.status).toBe(401)
    expect(answer.error).toMatchObject({ code: 'UNAUTHORIZED', httpStatus: 401 })
    const wrong = { headers: { authorization: 'Bearer not-a-session' } }
    expect((await server.call(wrong, procedure, input)).error?.code).toBe('UNAUTHORIZED')
  })
})

describe('BAD_REQUEST', () => {
  test.each(['text/html', 'image/svg+xml', '', 'IMAGE/PNG ', 'image/png; charset=utf-8'])(
    'an unsupported MIME type is rejected: %s',
    async (mimeType) => {
      for (const [procedure, input] of [
        ['upload.requestUploadUrl', simple(1, mimeType)],
        ['upload.initiateMultipart', { ...multipart(12 * MIB), mimeType }],
      ] as const) {
        const answer = await server.call(user, procedure, input)
        expect(answer.status).toBe(400)
        expect(answer.error?.code).toBe('BAD_REQUEST')
        expect(answer.error?.fieldErrors?.mimeType?.join()).toContain('image/jpeg')
      }
    },
  )

  test.each([
    'image/jpeg',
    'image/png',
    'image/gif',
    'image/webp',
    'application/pdf',
    'video/mp4',
    'video/quicktime',
  ])('the allowed type %s is accepted', async (mimeType) => {
    expect((await server.call(user, 'upload.requestUploadUrl', simple(1, mimeType))).status).toBe(200)
  })

  test.each([0, -1, 1.5, '10', null, 1e300])('an invalid size is rejected: %j', async (size) => {
    expect((await server.call(user, 'upload.requestUploadUrl', simple(size))).error?.code).toBe('BAD_REQUEST')
    expect((await server.call(user, 'upload.initiateMultipart', { ...multipart(1), size })).error?.code).toBe(
      'BAD_REQUEST',
    )
  })
})

describe('limits', () => {
  test('simple upload: 10 MB is accepted; one byte more is rejected, and the error names multipart', async () => {
    expect((await server.call(user, 'upload.requestUploadUrl', simple(10 * MIB))).status).toBe(200)
    const answer = await server.call(user, 'upload.requestUploadUrl', simple(10 * MIB + 1))
    expect(answer.error?.code).toBe('BAD_REQUEST')
    expect(answer.error?.message).toContain('initiateMultipart')
  })

  test('multipart: 5 GB is accepted, one byte more is rejected', async () => {
    const answer = await server.call(user, 'upload.initiateMultipart', multipart(5 * GIB))
    expect(answer.status).toBe(200)
    expect((await server.call(user, 'upload.abortMultipart', { fileId: answer.data.fileId })).status).toBe(
      200,
    )
    expect((await server.call(user, 'upload.initiateMultipart', multipart(5 * GIB + 1))).error?.code).toBe(
      'BAD_REQUEST',
    )
  })

  test('multipart: more parts than a part size of 5 MB needs are rejected; fewer, larger ones are accepted', async () => {
    expect((await server.call(user, 'upload.initiateMultipart', multipart(12 * MIB, 4))).error?.code).toBe(
      'BAD_REQUEST',
    )
    expect((await server.call(user, 'upload.initiateMultipart', multipart(12 * MIB, 2))).data.partSize).toBe(
      6 * MIB,
    )
  })

  test.each([0, -1, 4, 1.5])('part number %j of three is rejected', async (partNumber) => {
    for (const procedure of ['upload.getPartUrl', 'upload.completePart'])
      expect(
        (await server.call(user, procedure, { fileId: multipartId, partNumber, etag: 'e' })).error?.code,
      ).toBe('BAD_REQUEST')
  })

  test('the default quota is exactly 500 MB', async () => {
    const fresh = await server.user()
    expect(await server.ok(fresh, 'account.usage')).toEqual({ used: 0, reserved: 0, quota: 500 * MIB })
    await server.ok(fresh, 'upload.initiateMultipart', multipart(499 * MIB))
    const over = await server.call(fresh, 'upload.requestUploadUrl', simple(MIB + 1))
    expect(over.status).toBe(413)
    expect(over.error).toMatchObject({ code: 'QUOTA_EXCEEDED', httpStatus: 413 })
    expect((await server.call(fresh, 'upload.requestUploadUrl', simple(MIB))).status).toBe(200)
    expect((await server.call(fresh, 'upload.requestUploadUrl', simple(1))).error?.code).toBe(
      'QUOTA_EXCEEDED',
    )
    expect((await server.call(fresh, 'upload.initiateMultipart', multipart(11 * MIB))).error?.code).toBe(
      'QUOTA_EXCEEDED',
    )
    expect(await server.ok(fresh, 'account.usage')).toEqual({
      used: 0,
      reserved: 500 * MIB,
      quota: 500 * MIB,
    })
  })
})

describe('NOT_FOUND', () => {
  test.each(['no-such-id', '', "' OR 1=1 --", '../../etc/passwd', randomUUID()])(
    'for an invalid ID: %j',
    async (id) => {
      for (const [procedure, input] of everyProcedure(id)) {
        const answer = await server.call(user, procedure, input)
        expect([procedure, answer.status, answer.error?.code]).toEqual([procedure, 404, 'NOT_FOUND'])
      }
    },
  )

  test("another user's file looks exactly like one that does not exist", async () => {
    const strip = ({ requestId: _, ...rest }: object & { requestId?: string }) => rest
    for (const [procedure, input] of everyProcedure(fileId, multipartId)) {
      const foreign = await server.call(other, procedure, input)
      const unknown = await server.call(other, procedure, { ...input, fileId: randomUUID() })
      expect(foreign.status).toBe(404)
      expect(strip(foreign.error!)).toEqual(strip(unknown.error!))
    }
    const page = await fetch(`${server.url}/files/${fileId}`, { headers: other.headers, redirect: 'manual' })
    expect(page.status).toBe(404)
  })
})

describe('INTERNAL_SERVER_ERROR', () => {
  test('is returned soon when the store is down, without internal details, and no quota stays reserved', async () => {
    const victim = await server.user()
    const upload = await server.ok(victim, 'upload.requestUploadUrl', simple(2000))
    await put(upload.uploadUrl, png(2000), { 'Content-Type': 'image/png' })
    await server.stack.s3.down()
    try {
      const confirm = await server.call(victim, 'upload.confirmUpload', { fileId: upload.fileId })
      expect(confirm.status).toBe(500)
      expect(confirm.error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', requestId: expect.any(String) })
      expect(JSON.stringify(confirm)).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|staging|stack|\.ts/)
      const initiate = await server.call(victim, 'upload.initiateMultipart', multipart(12 * MIB))
      expect(initiate.error?.code).toBe('INTERNAL_SERVER_ERROR')
    } finally {
      await server.stack.s3.up()
    }
    expect((await server.ok(victim, 'account.usage')).reserved).toBe(2000)
    expect((await server.ok(victim, 'upload.confirmUpload', { fileId: upload.fileId })).success).toBe(true)
  })
})
