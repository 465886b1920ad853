// Ceph accepts headers that a presigned URL does not sign, including `x-amz-copy-source`. Everyone who has seen a
// download URL knows the key of the object.

import { afterEach, describe, expect, test } from 'vitest'
import { png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const UPLOAD_KEY = { accessKeyId: 'upload-only', secretAccessKey: 'upload-only-secret-0123456789' }
const SIZE = 2_000
const FILE = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

let app: UploadApp
afterEach(() => app.close())

async function start(withUploadKey: boolean): Promise<void> {
  app = await startUploadApp(
    withUploadKey
      ? {
          S3_UPLOAD_ACCESS_KEY_ID: UPLOAD_KEY.accessKeyId,
          S3_UPLOAD_SECRET_ACCESS_KEY: UPLOAD_KEY.secretAccessKey,
        }
      : {},
    { dialect: 'ceph', additionalCredentials: [{ ...UPLOAD_KEY, access: 'write' }] },
  )
}

async function uploaded(user: TestUser, body: Buffer): Promise<{ fileId: string; key: string }> {
  const { fileId, key, uploadUrl, headers } = await app.ok(user, 'upload.requestUploadUrl', FILE)
  expect((await put(uploadUrl, body, headers)).status).toBe(200)
  await app.ok(user, 'upload.confirmUpload', { fileId })
  return { fileId, key }
}

/** Returns the bytes that another user reads after a PUT that names the object as its source. */
async function stolen(key: string): Promise<{ status: number; bytes: Buffer | null }> {
  const thief = await app.user()
  const { fileId, uploadUrl, headers } = await app.ok(thief, 'upload.requestUploadUrl', FILE)
  const { status } = await put(uploadUrl, png(SIZE, 9), { ...headers, 'x-amz-copy-source': `/holes/${key}` })
  const confirmed = await app.call(thief, 'upload.confirmUpload', { fileId })
  if (confirmed.error) return { status, bytes: null }
  const { url } = await app.ok(thief, 'files.downloadUrl', { fileId })
  return { status, bytes: Buffer.from(await (await fetch(url)).arrayBuffer()) }
}

describe('a presigned PUT with x-amz-copy-source', () => {
  test('reads nothing when a credential that only writes signs it', async () => {
    await start(true)
    const { key } = await uploaded(await app.user(), png(SIZE, 1))
    expect(await stolen(key)).toEqual({ status: 403, bytes: null })
  })

  test('of a part reads nothing', async () => {
    await start(true)
    const { key } = await uploaded(await app.user(), png(SIZE, 1))
    const thief = await app.user()
    const { fileId } = await app.ok(thief, 'upload.initiateMultipart', { ...FILE, totalParts: 1 })
    const { uploadUrl, headers } = await app.ok(thief, 'upload.getPartUrl', { fileId, partNumber: 1 })
    const copy = await put(uploadUrl, png(SIZE, 9), { ...headers, 'x-amz-copy-source': `/holes/${key}` })
    expect(copy.status).toBe(403)
    expect((await app.ok(thief, 'upload.status', { fileId })).parts).toEqual([])
  })

  test('reads the file without such a credential, for which doctor reports FAIL', async () => {
    await start(false)
    const body = png(SIZE, 1)
    const { key } = await uploaded(await app.user(), body)
    expect((await stolen(key)).bytes?.equals(body)).toBe(true)
  })

  test('simple and multipart uploads work with the credential that only writes', async () => {
    await start(true)
    const user = await app.user()
    await uploaded(user, png(SIZE, 1))
    const { fileId } = await app.ok(user, 'upload.initiateMultipart', { ...FILE, totalParts: 1 })
    const { uploadUrl, headers } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
    expect((await put(uploadUrl, png(SIZE, 1), headers)).status).toBe(200)
    await app.ok(user, 'upload.completeMultipart', { fileId })
  })
})
