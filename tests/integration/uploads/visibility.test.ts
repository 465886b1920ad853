// Private and public files, with S3_PUBLIC_URL.

import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { type ApiServer, startApiServer } from '../../support/app/api-server.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { ADMIN_SECRET, startTestApp } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import {
  BUCKET,
  drift,
  png,
  put,
  startUploadApp,
  type UploadApp,
  webp,
} from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'
import { type AppServer, spawnAppServer } from '../../support/process/app-server.ts'
import type { TestUser } from '../../support/users.ts'

const POLICIES = {
  avatar: { visibility: 'public', mimeTypes: ['image/png', 'text/csv'] },
  invoice: { visibility: 'private', mimeTypes: ['application/pdf', 'text/csv'] },
  open: {},
  scan: { hold: true },
  internal: { hold: true, visibility: 'private' },
}

const MIB = 1024 * 1024
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
    return {
      UPLOAD_POLICIES_FILE: file.path,
      S3_PUBLIC_URL: `${publicUrl}/`,
      S3_MAX_COPY_BYTES: String(5 * MIB),
    }
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

async function admin(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${ADMIN_SECRET}`, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/api/admin/${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  return response.json()
}
const backendFile = (id: string) => admin('GET', `files/${id}`)

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
      const visibilityFixed = 'policy' in input && input.policy === 'avatar'
      expect(await listed(user, fileId)).toMatchObject({ visibility: 'public', visibilityFixed, url })
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

test('a file of the previous version, with a key below files/, keeps its public URL', async () => {
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

const setVisibility = (user: TestUser, fileId: string, visibility: 'private' | 'public') =>
  app.ok(user, 'files.setVisibility', { fileId, visibility })

/** Objects of a file that are neither staged nor part of an upload. */
const objectsOf = (fileId: string) =>
  ['files/', 'public/']
    .flatMap((prefix) => app.s3.requestLog.objects(prefix))
    .flatMap(({ key }) => (key.includes(fileId) ? [key] : []))

async function download(user: TestUser, fileId: string): Promise<Buffer> {
  const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
  return (await read(url)).bytes
}

/** Lets the time of all moves pass, and what they have left. */
async function sweepMoves() {
  for (let round = 0; round < 3; round++) {
    await app.db.query(`UPDATE file_moves SET due_at = now() - interval '1 second'`)
    await app.services.sweeper.sweep()
  }
  expect((await app.db.query('SELECT key FROM file_moves')).rows).toEqual([])
}

describe('files.setVisibility', () => {
  test('moves the object, and the old URL no longer works', async () => {
    const user = await app.user()
    const { fileId, key, url } = await upload(user)
    await app.ok(user, 'files.setThumbnail', { fileId, data: webp(100).toString('base64') })
    const share = await app.ok(user, 'shares.create', { fileId })

    const hidden = await setVisibility(user, fileId, 'private')
    expect(hidden).toEqual({
      success: true,
      visibility: 'private',
      url: `http://app.test/files/${fileId}`,
    })
    expect((await read(url)).status).toBe(404)
    const [privateKey] = objectsOf(fileId)
    expect(objectsOf(fileId)).toEqual([expect.stringMatching(/^files\//)])
    // Who knows the public key knows nothing about the private one.
    expect(privateKey!.split('/')[2]).not.toBe(key.split('/')[2])
    expect((await read(`${publicUrl}/${privateKey}`)).status).toBe(403)
    expect(await download(user, fileId)).toEqual(png(SIZE))
    expect(await listed(user, fileId)).toMatchObject({ visibility: 'private', url: hidden.url })

    const shown = await setVisibility(user, fileId, 'public')
    expect(await backendFile(fileId)).toMatchObject({ visibility: 'public', url: shown.url })
    const response = await fetch(shown.url)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png(SIZE))

    const { items } = await app.ok(user, 'files.list')
    expect(items[0].thumbnailUrl).toBe(`http://app.test/files/${fileId}/thumbnail`)
    const visit = await fetch(`${server.url}${new URL(share.url).pathname}/download`, { redirect: 'manual' })
    expect((await read(visit.headers.get('location')!)).bytes).toEqual(png(SIZE))
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: SIZE + 100 })
  })

  test('changes nothing when repeated, and keeps the URL of a file of the previous version', async () => {
    const user = await app.user()
    const { fileId, key } = await upload(user)
    await app.db.query('UPDATE files SET visibility = NULL WHERE id = $1', [fileId])
    const first = await setVisibility(user, fileId, 'public')
    expect(first.url).toBe(`${publicUrl}/${key}`)
    const hidden = await setVisibility(user, fileId, 'private')
    const keys = objectsOf(fileId)
    expect(await setVisibility(user, fileId, 'private')).toEqual(hidden)
    expect(objectsOf(fileId)).toEqual(keys)
  })

  test('keeps downloads of a private file working that began before it became public', async () => {
    const user = await app.user()
    const { fileId } = await upload(user)
    await setVisibility(user, fileId, 'private')
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
    await setVisibility(user, fileId, 'public')
    await app.services.sweeper.sweep()
    expect((await read(url)).bytes).toEqual(png(SIZE))
    await sweepMoves()
    expect((await read(url)).status).toBe(404)
    expect(objectsOf(fileId)).toEqual([expect.stringMatching(/^public\//)])
  })

  test('toggled in a loop, leaves at most one old object next to the file', async () => {
    const user = await app.user()
    const { fileId } = await upload(user)
    for (const visibility of ['private', 'public', 'private', 'public'] as const)
      await setVisibility(user, fileId, visibility)
    expect(objectsOf(fileId)).toHaveLength(2)
    await sweepMoves()
    expect(objectsOf(fileId)).toHaveLength(1)
  })

  test('is BAD_REQUEST if the policy decides or the file is not ready, and NOT_FOUND for others’ and held files', async () => {
    const user = await app.user()
    const fixed = await upload(user, { policy: 'avatar' })
    const held = await upload(user, { policy: 'scan' })
    const pending = await app.ok(user, 'upload.requestUploadUrl', photo)
    const others = await upload(await app.user())
    for (const [fileId, code, message] of [
      [fixed.fileId, 'BAD_REQUEST', /policy "avatar" are public/],
      [pending.fileId, 'BAD_REQUEST', /PENDING/],
      [held.fileId, 'NOT_FOUND', /being checked/],
      [others.fileId, 'NOT_FOUND', /not found/],
      ['x', 'NOT_FOUND', /not found/],
    ] as const) {
      const { error } = await app.call(user, 'files.setVisibility', { fileId, visibility: 'private' })
      expect([error?.code, error?.message]).toEqual([code, expect.stringMatching(message)])
    }
  })

  test('fails if the store does not remove the public object, and a repeat or the sweeper removes it', async () => {
    const user = await app.user()
    for (const again of [(id: string) => setVisibility(user, id, 'private'), sweepMoves]) {
      const { fileId, url } = await upload(user)
      const operation = ['DeleteObject', 'DeleteObjects'] as const
      const rule = app.s3.faults.add({
        operation: [...operation],
        action: { kind: 'fail', code: 'AccessDenied' },
      })
      const { error } = await app.call(user, 'files.setVisibility', { fileId, visibility: 'private' })
      expect([error?.code, (await read(url)).status]).toEqual(['INTERNAL_SERVER_ERROR', 200])
      app.s3.faults.remove(rule)
      await again(fileId)
      expect((await read(url)).status).toBe(404)
      expect(await download(user, fileId)).toEqual(png(SIZE))
    }
  })

  test('under parallel calls and deletions loses no file and leaves no object', async () => {
    const user = await app.user()
    const kept = await Promise.all(Array.from({ length: 3 }, () => upload(user)))
    const deleted = await Promise.all(Array.from({ length: 3 }, () => upload(user)))
    await atOnce(12, 36, async (n) => {
      const { fileId } = [...kept, ...deleted][n % 6]!
      const visibility = n % 4 < 2 ? 'private' : 'public'
      const { error } = await app.call(user, 'files.setVisibility', { fileId, visibility })
      expect([undefined, 'NOT_FOUND']).toContain(error?.code)
      if (n >= 18 && n % 6 >= 3) await app.ok(user, 'files.delete', { fileId })
    })
    await sweepMoves()
    for (const { fileId } of kept) {
      const { visibility, url } = await listed(user, fileId)
      expect(objectsOf(fileId)).toEqual([
        expect.stringMatching(visibility === 'public' ? /^public\// : /^files\//),
      ])
      expect(await download(user, fileId)).toEqual(png(SIZE))
      if (visibility === 'public') expect((await read(url)).bytes).toEqual(png(SIZE))
    }
    for (const { fileId } of deleted) expect(objectsOf(fileId)).toEqual([])
  })

  test('a deletion during the copy wins, and the sweeper removes the copy', async () => {
    const user = await app.user()
    const { fileId } = await upload(user)
    app.s3.faults.add({
      id: fileId,
      operation: 'CopyObject',
      keyPattern: fileId,
      action: { kind: 'hold', name: fileId, point: 'after' },
    })
    const moving = app.call(user, 'files.setVisibility', { fileId, visibility: 'private' })
    await app.s3.faults.waitForHeld(fileId)
    await app.ok(user, 'files.delete', { fileId })
    app.s3.faults.remove(fileId)
    app.s3.faults.release(fileId)
    expect((await moving).error?.code).toBe('NOT_FOUND')
    expect(objectsOf(fileId)).toHaveLength(1)
    // The copy is not due yet, but its file is gone.
    await app.services.sweeper.sweep()
    expect(objectsOf(fileId)).toEqual([])
  })

  test('copies files above S3_MAX_COPY_BYTES in parts, and continues where a failure ended', async () => {
    const user = await app.user()
    const size = 12 * MIB
    const begun = await app.ok(user, 'upload.initiateMultipart', { ...photo, size, totalParts: 1 })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: begun.fileId, partNumber: 1 })
    await put(uploadUrl, png(size))
    const { fileId } = begun
    await app.ok(user, 'upload.completeMultipart', { fileId })
    const rule = app.s3.faults.add({
      operation: 'UploadPartCopy',
      partNumber: 2,
      action: { kind: 'fail', code: 'AccessDenied' },
    })
    const { error } = await app.call(user, 'files.setVisibility', { fileId, visibility: 'private' })
    expect(error?.code).toBe('INTERNAL_SERVER_ERROR')
    expect((await listed(user, fileId)).visibility).toBe('public')
    app.s3.faults.remove(rule)
    const { seq = 0 } = app.s3.requestLog.entries().at(-1) ?? {}
    await sweepMoves()
    expect((await listed(user, fileId)).visibility).toBe('private')
    const copies = app.s3.requestLog.entries(seq).filter(({ operation }) => operation === 'UploadPartCopy')
    expect(copies.map(({ partNumber }) => partNumber)).toEqual([2])
    expect(objectsOf(fileId)).toHaveLength(1)
    expect(app.s3.requestLog.uploads('files/')).toEqual([])
    expect((await download(user, fileId)).equals(png(size))).toBe(true)
  })
})

describe('a held file', () => {
  test('cannot be read at a public URL before it is accepted, and can afterwards', async () => {
    for (const send of [upload, uploadParts]) {
      const user = await app.user()
      const { fileId, key, url } = await send(user, { policy: 'scan' })
      expect([key, url]).toEqual([expect.stringMatching(/^files\//), `http://app.test/files/${fileId}`])
      expect(objectsOf(fileId)).toEqual([key])
      expect((await read(`${publicUrl}/${key}`)).status).toBe(403)
      const accepted = await admin('POST', `files/${fileId}/verdict`, { verdict: 'accept' })
      expect(accepted).toMatchObject({ state: 'READY', visibility: 'public' })
      expect((await read(accepted.url)).bytes).toEqual(png(SIZE))
      await sweepMoves()
      expect(objectsOf(fileId)).toEqual([accepted.key])
    }
  })

  test('stays private with such a policy, and without a copy if it is rejected', async () => {
    const user = await app.user()
    const internal = await upload(user, { policy: 'internal' })
    const accepted = await admin('POST', `files/${internal.fileId}/verdict`, { verdict: 'accept' })
    expect(accepted).toMatchObject({ state: 'READY', visibility: 'private', key: internal.key })
    const { fileId } = await upload(user, { policy: 'scan' })
    await admin('POST', `files/${fileId}/verdict`, { verdict: 'reject' })
    expect(objectsOf(fileId)).toEqual([])
  })

  test('is published by the sweeper if the copy fails, or nobody gave a verdict in time', async () => {
    const user = await app.user()
    const { fileId } = await upload(user, { policy: 'scan' })
    const rule = app.s3.faults.add({
      operation: 'CopyObject',
      action: { kind: 'fail', code: 'AccessDenied' },
    })
    expect(await admin('POST', `files/${fileId}/verdict`, { verdict: 'accept' })).toMatchObject({
      state: 'READY',
      visibility: 'private',
      url: `http://app.test/files/${fileId}`,
    })
    app.s3.faults.remove(rule)
    await sweepMoves()
    const { url } = await listed(user, fileId)
    expect((await read(url)).bytes).toEqual(png(SIZE))
  })
})

describe('after kill -9 at any step of a move, the sweeper finishes it', () => {
  const STEPS = [
    ['CopyObject', 'before'],
    ['CopyObject', 'after'],
    ['HeadObject', 'before'],
    ['HeadObject', 'after'],
    ['DeleteObject', 'before'],
    ['DeleteObject', 'after'],
  ] as const
  const CASES = STEPS.flatMap(([operation, point]) =>
    (['private', 'public'] as const).map((visibility) => ({ operation, point, visibility })),
  ).filter(({ operation, visibility }) => operation !== 'DeleteObject' || visibility === 'private')

  test('one object remains, with the file’s bytes at its URL', async () => {
    const user = await app.user()
    const victim: AppServer = await spawnAppServer(app.env)
    const files = await Promise.all(
      CASES.map(async (one) => {
        const { fileId } = await upload(user)
        if (one.visibility === 'public') await setVisibility(user, fileId, 'private')
        return { ...one, fileId }
      }),
    )
    await sweepMoves()
    for (const { fileId, operation, point } of files)
      app.s3.faults.add({
        id: fileId,
        operation: operation === 'DeleteObject' ? ['DeleteObject', 'DeleteObjects'] : operation,
        keyPattern: fileId,
        action: { kind: 'hold', name: fileId, point },
      })
    const lost = files.map(({ fileId, visibility }) =>
      victim.call(user, 'files.setVisibility', { fileId, visibility }).catch((error: unknown) => error),
    )
    for (const { fileId } of files) await app.s3.faults.waitForHeld(fileId)
    await victim.kill()
    for (const result of await Promise.all(lost)) expect(result).toBeInstanceOf(Error)
    for (const { fileId } of files) app.s3.faults.remove(fileId)
    app.s3.faults.release()
    await sweepMoves()
    for (const { fileId, visibility } of files) {
      expect(await listed(user, fileId)).toMatchObject({ visibility, state: 'READY' })
      expect(objectsOf(fileId)).toEqual([(await backendFile(fileId)).key])
      expect(await download(user, fileId)).toEqual(png(SIZE))
    }
  })
})
