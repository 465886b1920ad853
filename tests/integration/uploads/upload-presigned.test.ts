import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { createObjectStore } from '../../../src/server/adapters/s3/object-store.ts'
import { createPresigner } from '../../../src/server/adapters/s3/presigner.ts'
import { systemClock } from '../../../src/server/kernel/clock.ts'
import { BUCKET, png, put, startStore, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const MIB = 1024 * 1024

describe('a presigned URL', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp()
    user = await app.user()
  })
  afterEach(() => {
    app.s3.faults.reset()
    app.s3.faults.setQuirks({ ignoreUnsignedAmzHeaders: false })
  })
  afterAll(() => app?.close())

  const begin = (size: number, mimeType = 'image/png') =>
    app.ok(user, 'upload.requestUploadUrl', { filename: 'a.png', mimeType, size })
  const download = async (fileId: string) => {
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
    const answer = await fetch(url)
    return { headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }

  test.each([
    ['a byte more', 1001, 'image/png'],
    ['a byte less', 999, 'image/png'],
    ['nothing', 0, 'image/png'],
    ['a different type', 1000, 'text/html'],
    ['no type', 1000, undefined],
  ])('of a simple upload rejects %s', async (_, size, type) => {
    const created = await begin(1000)
    const answer = await put(
      created.uploadUrl,
      png(2000).subarray(0, size),
      type ? { 'content-type': type } : {},
    )
    expect(answer.status).toBe(403)
    expect(app.s3.requestLog.bytesStored('staging/')).toBe(0)
  })

  test('of a part accepts exactly the planned number of bytes', async () => {
    const created = await app.ok(user, 'upload.initiateMultipart', {
      filename: 'a.png',
      mimeType: 'image/png',
      size: 5 * MIB + 100,
      totalParts: 2,
    })
    const { uploadUrl, headers } = await app.ok(user, 'upload.getPartUrl', {
      fileId: created.fileId,
      partNumber: 2,
    })
    expect(headers).toEqual({})
    expect(new URL(uploadUrl).searchParams.get('X-Amz-Expires')).toBe('3600')
    expect((await put(uploadUrl, png(101))).status).toBe(403)
    expect((await put(uploadUrl, png(99))).status).toBe(403)
    expect((await put(uploadUrl, png(100))).status).toBe(200)
    await app.ok(user, 'upload.abortMultipart', { fileId: created.fileId })
  })

  test('is valid for one key and one method, and only until it expires', async () => {
    const created = await begin(1000)
    expect(new URL(created.uploadUrl).searchParams.get('X-Amz-Expires')).toBe('900')
    const other = created.uploadUrl.replace(/staging\/[^?]*/, created.key)
    expect((await put(other, png(1000), created.headers)).status).toBe(403)
    expect((await fetch(created.uploadUrl)).status).toBe(403)
    expect((await fetch(created.uploadUrl, { method: 'DELETE' })).status).toBe(403)
    app.s3.faults.setClockOffset(16 * 60_000)
    expect((await put(created.uploadUrl, png(1000), created.headers)).status).toBe(403)
    app.s3.faults.setClockOffset(0)
  })

  test('that was already used cannot change confirmed bytes', async () => {
    const created = await begin(1000)
    await put(created.uploadUrl, png(1000, 1), created.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    expect((await put(created.uploadUrl, png(1000, 2), created.headers)).status).toBe(200)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    expect((await download(created.fileId)).bytes.equals(png(1000, 1))).toBe(true)
  })

  test('of a part that was already used cannot change a completed file', async () => {
    const created = await app.ok(user, 'upload.initiateMultipart', {
      filename: 'a.png',
      mimeType: 'image/png',
      size: 100,
      totalParts: 1,
    })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: created.fileId, partNumber: 1 })
    await put(uploadUrl, png(100, 1))
    await app.ok(user, 'upload.completeMultipart', { fileId: created.fileId })
    expect((await put(uploadUrl, png(100, 2))).status).toBe(404)
    expect((await download(created.fileId)).bytes.equals(png(100, 1))).toBe(true)
  })

  describe.each([
    ['refuses', false, 403],
    ['accepts', true, 200],
  ])('at a store that %s unsigned x-amz-* headers', (_, lenient, status) => {
    test('makes nothing public, and leaves no client metadata on the file', async () => {
      app.s3.faults.setQuirks({ ignoreUnsignedAmzHeaders: lenient })
      const created = await begin(1000)
      const evil = {
        ...created.headers,
        'x-amz-acl': 'public-read',
        'x-amz-meta-evil': '1',
        'cache-control': 'public, max-age=31536000',
      }
      expect((await put(created.uploadUrl, png(1000), evil)).status).toBe(status)
      if (!lenient) await put(created.uploadUrl, png(1000), created.headers)
      await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
      expect((await fetch(`${app.s3.url}/${BUCKET}/${created.key}`)).status).toBe(403)
      const { headers } = await download(created.fileId)
      expect(headers.get('content-type')).toBe('image/png')
      for (const name of ['x-amz-meta-evil', 'cache-control']) expect(headers.get(name)).toBeNull()
    })

    test('cannot copy another user’s file, because its key cannot be derived from what others know', async () => {
      const victim = await app.user()
      const theirs = await app.ok(victim, 'upload.requestUploadUrl', {
        filename: 'secret.png',
        mimeType: 'image/png',
        size: 1000,
      })
      await put(theirs.uploadUrl, png(1000, 7), theirs.headers)
      await app.ok(victim, 'upload.confirmUpload', { fileId: theirs.fileId })
      app.s3.faults.setQuirks({ ignoreUnsignedAmzHeaders: lenient })
      // Another user has the link, and even knows the owner's ID, the name and the size.
      const created = await begin(1000)
      for (const guess of [
        `files/${victim.id}/${theirs.fileId}/secret.png`,
        `files/${victim.id}/${theirs.fileId}-${'0'.repeat(32)}/secret.png`,
        `staging/${theirs.fileId}`,
      ]) {
        const headers = { ...created.headers, 'x-amz-copy-source': `/${BUCKET}/${guess}` }
        expect((await put(created.uploadUrl, png(1000), headers)).status).toBe(lenient ? 404 : 403)
      }
      const confirm = await app.call(user, 'upload.confirmUpload', { fileId: created.fileId })
      expect(confirm.error?.code).toBe('BAD_REQUEST')
    })
  })

  test('works with temporary credentials of the default chain', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-s3-'))
    const temporary = {
      accessKeyId: 'temporary',
      secretAccessKey: 'secret-of-an-hour',
      sessionToken: 'token/+=',
    }
    const s3 = await startStore(dir, { additionalCredentials: [temporary] })
    vi.stubEnv('AWS_ACCESS_KEY_ID', temporary.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', temporary.secretAccessKey)
    vi.stubEnv('AWS_SESSION_TOKEN', temporary.sessionToken)
    const settings = { ...app.config.s3, endpoint: s3.url, publicEndpoint: s3.url, credentials: undefined }
    const store = createObjectStore(settings, systemClock)
    try {
      const { url } = await store.presignPut('staging/x', 'image/png', 10, { seconds: 60 })
      expect((await put(url, png(10), { 'content-type': 'image/png' })).status).toBe(200)
      expect(await store.head('staging/x', AbortSignal.timeout(5000))).toMatchObject({ size: 10 })
    } finally {
      vi.unstubAllEnvs()
      store.close()
      await s3.close()
      rmSync(dir, { recursive: true })
    }
  })

  test('uses the public endpoint, in host style if the store does', async () => {
    const settings = { ...app.config.s3, publicEndpoint: 'https://cdn.example.com:8443' }
    const clock = { now: () => new Date('2026-05-01T12:00:00.900Z') }
    const one = { method: 'PUT' as const, key: 'staging/x' }
    const path = await createPresigner(settings, clock)([one], 60)
    expect(path.urls[0]).toMatch(new RegExp(`^https://cdn\\.example\\.com:8443/${BUCKET}/staging/x\\?`))
    expect(path.expiresAt.toISOString()).toBe('2026-05-01T12:01:00.000Z')
    const host = await createPresigner({ ...settings, forcePathStyle: false }, clock)([one], 60)
    expect(host.urls[0]).toMatch(new RegExp(`^https://${BUCKET}\\.cdn\\.example\\.com:8443/staging/x\\?`))
    const aws = await createPresigner(
      { ...settings, forcePathStyle: false, endpoint: undefined, publicEndpoint: undefined },
      clock,
    )([one], 60)
    expect(aws.urls[0]).toMatch(
      new RegExp(`^https://${BUCKET}\\.s3\\.us-east-1\\.amazonaws\\.com/staging/x\\?`),
    )
  })

  test('has the same signature as a URL from the SDK’s getSignedUrl', async () => {
    const client = createS3Client(app.config.s3)
    const signingDate = new Date('2026-05-01T12:00:00Z')
    const presign = createPresigner(app.config.s3, { now: () => signingDate })
    const common = { Bucket: BUCKET, Key: 'files/u/f-1/a.png' }
    const type = 'image/png'
    const theirs = await Promise.all([
      getSignedUrl(client, new PutObjectCommand({ ...common, ContentType: type, ContentLength: 5 }), {
        signingDate,
        expiresIn: 900,
        signableHeaders: new Set(['content-type', 'content-length', 'host']),
        unhoistableHeaders: new Set(['content-length']),
      }),
      getSignedUrl(
        client,
        new UploadPartCommand({ ...common, UploadId: 'id+/=', PartNumber: 7, ContentLength: 5 }),
        { signingDate, expiresIn: 900, unhoistableHeaders: new Set(['content-length']) },
      ),
      getSignedUrl(
        client,
        new GetObjectCommand({
          ...common,
          ResponseContentType: type,
          ResponseContentDisposition: `inline; filename="ä'()*"`,
        }),
        { signingDate, expiresIn: 900 },
      ),
    ])
    client.destroy()
    const { urls } = await presign(
      [
        {
          method: 'PUT',
          key: common.Key,
          headers: { 'content-type': type, 'content-length': '5' },
          query: { 'x-id': 'PutObject' },
        },
        {
          method: 'PUT',
          key: common.Key,
          headers: { 'content-length': '5' },
          query: { partNumber: '7', uploadId: 'id+/=', 'x-id': 'UploadPart' },
        },
        {
          method: 'GET',
          key: common.Key,
          query: {
            'response-content-type': type,
            'response-content-disposition': `inline; filename="ä'()*"`,
            'x-id': 'GetObject',
          },
        },
      ],
      900,
    )
    for (const [i, url] of urls.entries()) {
      const sorted = (address: string) => [...new URL(address).searchParams].sort()
      expect(sorted(url)).toEqual(sorted(theirs[i]!))
      expect(new URL(url).pathname).toBe(new URL(theirs[i]!).pathname)
    }
  })
})
