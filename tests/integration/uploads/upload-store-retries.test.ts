// A store fails once or twice, or its connections break during a response. These tests have their own file, because the
// SDK repeats calls only while few of them have failed recently.

import type { FaultRule } from '@pigeonhole/emulators/s3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 5000
const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

let app: UploadApp
let user: TestUser
beforeAll(async () => {
  app = await startUploadApp()
  user = await app.user()
})
afterEach(async () => {
  app.s3.faults.reset()
  expect(await drift(app.db)).toEqual([])
})
afterAll(() => app?.close())

async function stagedSimple(): Promise<string> {
  const { uploadUrl, headers, fileId } = await app.ok(user, 'upload.requestUploadUrl', input)
  await put(uploadUrl, png(SIZE), headers)
  return fileId
}

async function uploadedMultipart(): Promise<string> {
  const { fileId } = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
  const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
  await put(uploadUrl, png(SIZE))
  return fileId
}

test('a creation whose response was lost is repeated, and the upload starts even if the first one cannot be removed', async () => {
  app.s3.faults.add({
    operation: 'CreateMultipartUpload',
    first: 1,
    action: { kind: 'drop', point: 'after' },
  })
  app.s3.faults.add({
    operation: ['ListMultipartUploads', 'AbortMultipartUpload', 'ListParts'],
    action: { kind: 'drop', point: 'after' },
  })
  const { fileId } = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
  app.s3.faults.reset()
  const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
  await put(uploadUrl, png(SIZE))
  await app.ok(user, 'upload.completeMultipart', { fileId })
})

test.each([
  ['confirmUpload', 'breaks off', { kind: 'truncate', bytes: 100 }],
  ['completeMultipart', 'breaks off', { kind: 'truncate', bytes: 100 }],
  ['confirmUpload', 'never comes', { kind: 'drop', point: 'after' }],
  ['completeMultipart', 'never comes', { kind: 'drop', point: 'after' }],
] as [string, string, FaultRule['action']][])(
  '%s: leading bytes are read again if their body %s twice',
  async (call, _, action) => {
    const fileId = call === 'confirmUpload' ? await stagedSimple() : await uploadedMultipart()
    app.s3.faults.add({ operation: 'GetObject', first: 2, action })
    await app.ok(user, `upload.${call}`, { fileId })
  },
)

test.each(['InternalError', 'SlowDown', 'ServiceUnavailable'])(
  'a call is repeated if the store returns %s once or twice',
  async (code) => {
    const [simple, multi] = [await stagedSimple(), await uploadedMultipart()]
    const status = code === 'InternalError' ? 500 : 503
    for (const operation of ['HeadObject', 'GetObject', 'CopyObject', 'ListParts'] as const)
      app.s3.faults.add({ operation, first: 2, action: { kind: 'fail', code, status } })
    await app.ok(user, 'upload.confirmUpload', { fileId: simple })
    app.s3.faults.reset()
    for (const operation of ['GetObject', 'CompleteMultipartUpload', 'ListParts'] as const)
      app.s3.faults.add({ operation, first: 2, action: { kind: 'fail', code, status } })
    await app.ok(user, 'upload.completeMultipart', { fileId: multi })
  },
)
