// Private and public files, with S3_PUBLIC_URL.

import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { type ApiServer, startApiServer } from '../../support/app/api-server.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { ADMIN_SECRET, startTestApp } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { BUCKET, drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const POLICIES = {
  avatar: { visibility: 'public', mimeTypes: ['image/png', 'text/csv'] },
  invoice: { visibility: 'private', mimeTypes: ['application/pdf', 'text/csv'] },
  open: {},
}

const SIZE = 1000
const photo = { filename: 'Föto 1.png', mimeType: 'image/png', size: SIZE }

let app: UploadApp
let server: ApiServer
let file: ReturnType<typeof writePolicies>
let publicUrl: string
beforeAll(async () => {
  file = writePolicies(POLICIES)
  app = await startUploadApp((storeUrl) => {
    publicUrl = `${storeUrl}/${BUCKET}`
    return { UPLOAD_POLICIES_FILE: file.path, S3_PUBLIC_URL: `${publicUrl}/` }
  })
  app.s3.faults.publicRead({ prefix: 'public/' })
  server = await startApiServer(app)
})
afterAll(async () => {
  server?.close()
  await app?.close()
  file?.remove()
})
afterEach(async () => {
  expect(await drift(app.db)).toEqual([])
})

type Uploaded = { fileId: string; key: string; url: string }

async function upload(user: TestUser, input: object = {}, bytes: Buffer = png(SIZE)): Promise<Uploaded> {
  const begun = await app.ok(user, 'upload.requestUploadUrl', { ...photo, size: bytes.length, ...input })
  expect((await put(begun.uploadUrl, bytes, begun.headers)).status).toBe(200)
  const { file } = await app.ok(user, 'upload.confirmUpload', { fileId: begun.fileId })
  return { fileId: begun.fileId, key: begun.key, url: file.url }
}

async function uploadParts(user: TestUser, input: object = {}): Promise<Uploaded> {
  const begun = await app.ok(user, 'upload.initiateMultipart', { ...photo, totalParts: 1, ...input })
  const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: begun.fileId, partNumber: 1 })
  await put(uploadUrl, png(SIZE))
  const { file } = await app.ok(user, 'upload.completeMultipart', { fileId: begun.fileId })
  return { fileId: begun.fileId, key: begun.key, url: file.url }
}

async function backendFile(id: string) {
  const headers = { authorization: `Bearer ${ADMIN_SECRET}` }
  return (await fetch(`${server.url}/api/admin/files/${id}`, { headers })).json()
}

const listed = async (user: TestUser, id: string) =>
  (await app.ok(user, 'files.list')).items.find((item: { id: string }) => item.id === id)

const read = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('new files', () => {
  test('a file is public below public/ with S3_PUBLIC_URL, unless its policy says private', async () => {
    const user = await app.user()
    for (const [send, input] of [
      [upload, {}],
      [uploadParts, {}],
      [upload, { policy: 'open' }],
      [upload, { policy: 'avatar' }],
    ] as const) {
      const { fileId, key, url } = await send(user, input)
      expect(key).toMatch(/^public\//)
      expect(url).toBe(`${publicUrl}/${key}`)
      expect(await read(url)).toEqual({ status: 200, bytes: png(SIZE) })
      expect(await listed(user, fileId)).toMatchObject({ visibility: 'public', url })
      expect(await backendFile(fileId)).toMatchObject({ visibility: 'public', url, key })
    }
    const pdf = Buffer.from('%PDF-1.7 and more')
    const invoice = { policy: 'invoice', mimeType: 'application/pdf' }
    const { fileId, key, url } = await upload(user, invoice, pdf)
    expect(key).toMatch(/^files\//)
    expect(url).toBe(`http://app.test/files/${fileId}`)
    expect((await read(`${publicUrl}/${key}`)).status).toBe(403)
    expect(await listed(user, fileId)).toMatchObject({ visibility: 'private', url })
    expect(await backendFile(fileId)).toMatchObject({ visibility: 'private', url })
  })

  test('a file whose content cannot be recognized is an attachment at its public URL', async () => {
    const table = { policy: 'avatar', mimeType: 'text/csv' }
    const { url } = await upload(await app.user(), table, Buffer.from('a,b'))
    const { headers } = await fetch(url)
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'text/csv',
      'attachment',
    ])
  })
})

test('a file of the version before, with a key below files/, keeps its public URL', async () => {
  const user = await app.user()
  const { fileId } = await upload(user)
  const key = `files/${user.id}/${fileId}-00/a.png`
  const client = createS3Client(app.config.s3)
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: png(SIZE) }))
  client.destroy()
  await app.db.query('UPDATE files SET visibility = NULL, key = $2 WHERE id = $1', [fileId, key])
  expect(await listed(user, fileId)).toMatchObject({ visibility: 'public', url: `${publicUrl}/${key}` })
  expect(await backendFile(fileId)).toMatchObject({ visibility: 'public', url: `${publicUrl}/${key}` })
})

test('an upload that began as a public one is rejected if its policy has begun to hold files', async () => {
  const user = await app.user()
  const simple = await app.ok(user, 'upload.requestUploadUrl', { ...photo, policy: 'open' })
  await put(simple.uploadUrl, png(SIZE), simple.headers)
  const parts = await app.ok(user, 'upload.initiateMultipart', { ...photo, totalParts: 1, policy: 'open' })
  const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: parts.fileId, partNumber: 1 })
  await put(uploadUrl, png(SIZE))
  const holding = writePolicies({ open: { hold: true, visibility: 'private' } })
  const later = await startTestApp({ ...app.env, UPLOAD_POLICIES_FILE: holding.path }, app.env.DATABASE_URL)
  try {
    for (const [procedure, { fileId, key }] of [
      ['upload.confirmUpload', simple],
      ['upload.completeMultipart', parts],
    ] as const) {
      const answer = await callProcedure(
        (request) => handleTrpc(request, Promise.resolve(later.services)),
        user,
        procedure,
        { fileId },
      )
      const message = expect.stringContaining('began as a public one')
      expect(answer).toMatchObject({ status: 400, error: { message } })
      expect((await read(`${publicUrl}/${key}`)).status).toBe(404)
      expect(await backendFile(fileId)).toMatchObject({ state: 'REJECTED' })
    }
  } finally {
    await later.close()
    holding.remove()
  }
})
