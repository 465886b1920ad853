import { afterAll, beforeAll, expect, test } from 'vitest'
import { put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'

const GIB = 1024 ** 3

let app: UploadApp
beforeAll(async () => {
  const quota = String(20 * GIB)
  app = await startUploadApp(
    { S3_MAX_PARTS: '1000', DEFAULT_STORAGE_QUOTA_BYTES: quota },
    { dialect: 'swift' },
  )
})
afterAll(() => app?.close())

test('S3_MAX_PARTS: with the part size of upload.limits, 5 GB fits a store with at most 1,000 parts', async () => {
  const user = await app.user()
  const input = { filename: 'a.mp4', mimeType: 'video/mp4', size: 5 * GIB }
  const tooMany = await app.call(user, 'upload.initiateMultipart', { ...input, totalParts: 1024 })
  expect(tooMany).toMatchObject({
    status: 400,
    error: {
      code: 'BAD_REQUEST',
      message: expect.stringContaining('at most 1000 parts'),
      fieldErrors: { totalParts: ['must be at most 1000, for larger parts'] },
    },
  })
  expect(await app.ok(user, 'account.usage')).toMatchObject({ reserved: 0 })

  const { partBytes } = await app.ok(user, 'upload.limits')
  const totalParts = Math.ceil(input.size / partBytes)
  const { fileId } = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts })
  // The store itself accepts the last part.
  const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: totalParts })
  const { partSize } = await app.ok(user, 'upload.status', { fileId })
  expect((await put(uploadUrl, Buffer.alloc(input.size - (totalParts - 1) * partSize))).status).toBe(200)
  await app.ok(user, 'upload.abortMultipart', { fileId })
})
