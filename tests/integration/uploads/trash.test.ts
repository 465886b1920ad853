// The trash: deleted files that can be restored.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ApiServer, startApiServer } from '../../support/app/api-server.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import {
  BUCKET,
  drift,
  png,
  put,
  startUploadApp,
  type UploadApp,
  webp,
} from '../../support/app/upload-app.ts'
import { spawnAppServer } from '../../support/process/app-server.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 1000
const DAY_MS = 24 * 60 * 60_000
const POLICIES = {
  two: { maxFilesPerUser: 2, visibility: 'private' },
  brief: { expiresInDays: 3, visibility: 'private' },
  private: { visibility: 'private' },
  avatar: { visibility: 'public' },
  scan: { hold: true, visibility: 'private' },
}

let app: UploadApp
let server: ApiServer
let policies: ReturnType<typeof writePolicies>
let publicUrl: string
beforeAll(async () => {
  policies = writePolicies(POLICIES)
  app = await startUploadApp((storeUrl) => {
    publicUrl = `${storeUrl}/${BUCKET}`
    return {
      UPLOAD_POLICIES_FILE: policies.path,
      S3_PUBLIC_URL: publicUrl,
      WEBHOOKS_ALLOW_PRIVATE: 'true',
    }
  })
  app.s3.faults.publicRead({ prefix: 'public/' })
  server = await startApiServer(app)
})
afterAll(async () => {
  server?.close()
  await app?.close()
  policies?.remove()
})
afterEach(async () => {
  expect(await drift(app.db)).toEqual([])
})

type Uploaded = { fileId: string; key: string; url: string }

/** Uploads in parts, so that the quota of a deleted file is released at once. */
async function upload(user: TestUser, policy: string | null = 'private'): Promise<Uploaded> {
  const photo = {
    filename: 'a.png',
    mimeType: 'image/png',
    size: SIZE,
    totalParts: 1,
    policy: policy ?? undefined,
  }
  const { fileId, key } = await app.ok(user, 'upload.initiateMultipart', photo)
  const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
  await put(uploadUrl, png(SIZE))
  const { file } = await app.ok(user, 'upload.completeMultipart', { fileId })
  return { fileId, key, url: file.url }
}

const idOf = ({ fileId }: { fileId: string }) => ({ fileId })
const moveToTrash = (user: TestUser, { fileId }: { fileId: string }) =>
  app.ok(user, 'files.delete', { fileId, trash: true })
const restore = (user: TestUser, { fileId }: { fileId: string }) => app.ok(user, 'files.restore', { fileId })
const codeOf = async (user: TestUser, procedure: string, input: object) =>
  (await app.call(user, procedure, input)).error?.code
type Item = { id: string; expiresAt: string; trashedAt: string }
const idsIn = async (user: TestUser, procedure: 'files.list' | 'files.trash') =>
  (await app.ok(user, procedure)).items.map(({ id }: Item) => id)
const usage = async (user: TestUser) => {
  const { used, reserved } = await app.ok(user, 'account.usage')
  return { used, reserved }
}
const objectsOf = (fileId: string) =>
  ['files/', 'public/', 'staging/']
    .flatMap((prefix) => app.s3.requestLog.objects(prefix))
    .flatMap(({ key }) => (key.includes(fileId) ? [key] : []))
/** Moves the end of the files' 30 days into the past. */
const endTrash = (...files: { fileId: string }[]) =>
  app.db.query(`UPDATE files SET trash_expires_at = now() - interval '1 second' WHERE id = ANY($1)`, [
    files.map(({ fileId }) => fileId),
  ])
const statusOf = async (user: TestUser, path: string) =>
  (await fetch(server.url + path, { headers: user.headers, redirect: 'manual' })).status
const admin = (method: string, path: string) =>
  fetch(`${server.url}/api/admin/${path}`, { method, headers: { authorization: `Bearer ${ADMIN_SECRET}` } })

describe('a file in the trash', () => {
  test('is in files.trash for 30 days, counts toward the quota, and is in no other list', async () => {
    const user = await app.user()
    const [kept, file] = [await upload(user), await upload(user)]
    const before = Date.now()
    expect(await moveToTrash(user, file)).toEqual({ success: true })
    const { items, nextCursor } = await app.ok(user, 'files.trash')
    expect(nextCursor).toBeNull()
    expect(items).toEqual([
      {
        id: file.fileId,
        filename: 'a.png',
        mimeType: 'image/png',
        size: SIZE,
        policy: 'private',
        data: null,
        createdAt: expect.any(String),
        trashedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ])
    expect(Date.parse(items[0].trashedAt)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(items[0].expiresAt) - Date.parse(items[0].trashedAt)).toBe(30 * DAY_MS)
    expect(await idsIn(user, 'files.list')).toEqual([kept.fileId])
    expect(await app.ok(user, 'files.totals')).toEqual({
      items: [{ mimeType: 'image/png', files: 1, bytes: SIZE }],
      trash: { files: 1, bytes: SIZE },
    })
    expect(await usage(user)).toEqual({ used: SIZE, reserved: SIZE })
    const other = await app.user()
    expect(await idsIn(other, 'files.trash')).toEqual([])
    expect(await codeOf(other, 'files.restore', idOf(file))).toBe('NOT_FOUND')
  })

  test('cannot be read, renamed, shared or published: requests return 404, as for a deleted file', async () => {
    const user = await app.user()
    const file = await upload(user)
    const { fileId } = file
    await app.ok(user, 'files.setThumbnail', { fileId, data: webp(100).toString('base64') })
    const { url } = await app.ok(user, 'shares.create', { fileId })
    const paths = [`/files/${fileId}`, `/files/${fileId}/thumbnail`, new URL(url).pathname]
    for (const path of paths) expect(await statusOf(user, path)).toBeLessThan(400)
    await moveToTrash(user, file)
    for (const path of [...paths, `${new URL(url).pathname}/download`])
      expect([path, await statusOf(user, path)]).toEqual([path, 404])
    for (const [procedure, more] of [
      ['files.downloadUrl', {}],
      ['files.rename', { filename: 'b.png' }],
      ['files.setVisibility', { visibility: 'public' }],
      ['files.setThumbnail', { data: webp(100).toString('base64') }],
      ['shares.create', {}],
      ['upload.status', {}],
      ['upload.completeMultipart', {}],
    ] as const)
      expect([procedure, await codeOf(user, procedure, { fileId, ...more })]).toEqual([
        procedure,
        'NOT_FOUND',
      ])
    expect((await admin('GET', `files/${fileId}`)).status).toBe(404)
    expect((await app.ok(user, 'shares.list')).items).toEqual([])
  })

  test('is restored with its name, data, thumbnail and shared links', async () => {
    const user = await app.user()
    const file = await upload(user)
    const { fileId } = file
    await app.ok(user, 'files.setThumbnail', { fileId, data: webp(100).toString('base64') })
    const { url } = await app.ok(user, 'shares.create', { fileId })
    const before = (await app.ok(user, 'files.list')).items
    await moveToTrash(user, file)
    expect(await usage(user)).toEqual({ used: 0, reserved: SIZE + 100 })
    expect(await restore(user, file)).toEqual({ success: true })
    expect((await app.ok(user, 'files.list')).items).toEqual(before)
    expect(await idsIn(user, 'files.trash')).toEqual([])
    expect(await usage(user)).toEqual({ used: SIZE + 100, reserved: 0 })
    for (const path of [`/files/${fileId}`, `/files/${fileId}/thumbnail`, new URL(url).pathname])
      expect(await statusOf(user, path)).toBeLessThan(400)
    await app.services.sweeper.sweep()
    const presigned = await app.ok(user, 'files.downloadUrl', { fileId })
    expect(Buffer.from(await (await fetch(presigned.url)).arrayBuffer())).toEqual(png(SIZE))
  })

  test('does not change when it is moved to the trash or restored a second time', async () => {
    const user = await app.user()
    const file = await upload(user)
    await moveToTrash(user, file)
    const { items } = await app.ok(user, 'files.trash')
    await moveToTrash(user, file)
    expect((await app.ok(user, 'files.trash')).items).toEqual(items)
    await restore(user, file)
    await restore(user, file)
    expect(await usage(user)).toEqual({ used: SIZE, reserved: 0 })
  })

  test('is permanently deleted by files.delete, which a later restore reports as NOT_FOUND', async () => {
    const user = await app.user()
    const file = await upload(user)
    await moveToTrash(user, file)
    expect(objectsOf(file.fileId)).toEqual([file.key])
    expect(await app.ok(user, 'files.delete', { fileId: file.fileId })).toEqual({ success: true })
    expect(objectsOf(file.fileId)).toEqual([])
    expect(await usage(user)).toEqual({ used: 0, reserved: 0 })
    expect(await idsIn(user, 'files.trash')).toEqual([])
    expect(await codeOf(user, 'files.restore', idOf(file))).toBe('NOT_FOUND')
    await moveToTrash(user, file)
    await app.ok(user, 'files.delete', { fileId: file.fileId })
  })

  test('is permanently deleted by DELETE /api/admin/files/{id}', async () => {
    const user = await app.user()
    const file = await upload(user)
    await moveToTrash(user, file)
    expect((await admin('DELETE', `files/${file.fileId}`)).status).toBe(204)
    expect(objectsOf(file.fileId)).toEqual([])
    expect(await usage(user)).toEqual({ used: 0, reserved: 0 })
  })

  test('is deleted by the sweeper once its time has passed, and not before', async () => {
    const user = await app.user()
    const [due, kept] = [await upload(user), await upload(user)]
    for (const file of [due, kept]) await moveToTrash(user, file)
    await app.services.sweeper.sweep()
    expect(await usage(user)).toEqual({ used: 0, reserved: 2 * SIZE })
    await endTrash(due)
    expect(await idsIn(user, 'files.trash')).toEqual([kept.fileId])
    expect(await codeOf(user, 'files.restore', idOf(due))).toBe('NOT_FOUND')
    await app.services.sweeper.sweep()
    expect([objectsOf(due.fileId), objectsOf(kept.fileId)]).toEqual([[], [kept.key]])
    expect(await usage(user)).toEqual({ used: 0, reserved: SIZE })
    await restore(user, kept)
  })

  test('is deleted with its account', async () => {
    const user = await app.user({ password: 'a long enough password' })
    const file = await upload(user)
    await moveToTrash(user, file)
    await app.ok(user, 'account.delete', { password: 'a long enough password' })
    expect(objectsOf(file.fileId)).toEqual([])
    expect((await app.db.query('SELECT id FROM files WHERE id = $1', [file.fileId])).rows).toEqual([])
  })

  test('is hidden from the previous version, whose sweeper keeps its bytes', async () => {
    const user = await app.user()
    const photo = { filename: 'a.png', mimeType: 'image/png', size: SIZE, policy: 'private' }
    const { fileId, uploadUrl, headers } = await app.ok(user, 'upload.requestUploadUrl', photo)
    await put(uploadUrl, png(SIZE), headers)
    await app.ok(user, 'upload.confirmUpload', { fileId })
    await moveToTrash(user, { fileId })
    const { rows } = await app.db.query(
      'SELECT deleted_at IS NOT NULL AS hidden, cleanup_after = trash_expires_at AS kept FROM files WHERE id = $1',
      [fileId],
    )
    expect(rows).toEqual([{ hidden: true, kept: true }])
    // A staged PUT that ends late is removed once the file is restored.
    await put(uploadUrl, png(SIZE), headers)
    await restore(user, { fileId })
    await app.services.sweeper.sweep()
    expect(objectsOf(fileId)).toEqual([expect.stringMatching(/^files\//)])
    expect(await usage(user)).toEqual({ used: SIZE, reserved: 0 })
  })
})

test('files.delete without `trash` deletes a file at once', async () => {
  const user = await app.user()
  for (const more of [{}, { trash: false }]) {
    const file = await upload(user)
    await app.ok(user, 'files.delete', { fileId: file.fileId, ...more })
    expect(objectsOf(file.fileId)).toEqual([])
    expect(await idsIn(user, 'files.trash')).toEqual([])
  }
  expect(await codeOf(user, 'files.delete', { fileId: 'x', trash: 'yes' })).toBe('BAD_REQUEST')
})

test('files.delete with `trash` deletes files that are not ready at once', async () => {
  const user = await app.user()
  const photo = { filename: 'a.png', mimeType: 'image/png', size: SIZE, totalParts: 1 }
  const pending = await app.ok(user, 'upload.initiateMultipart', photo)
  const held = await upload(user, 'scan')
  for (const { fileId } of [pending, held]) await moveToTrash(user, { fileId })
  expect(await idsIn(user, 'files.trash')).toEqual([])
  expect(await usage(user)).toEqual({ used: 0, reserved: 0 })
})

test('files.trash pages through all files, last deleted first, each once', async () => {
  const user = await app.user()
  const files = await Promise.all(Array.from({ length: 5 }, () => upload(user)))
  for (const file of files) await moveToTrash(user, file)
  // Several can be deleted in one millisecond.
  await app.db.query(
    `UPDATE files SET deleted_at = date_trunc('second', deleted_at) WHERE user_id = $1 AND id = ANY($2)`,
    [user.id, files.slice(1, 4).map(({ fileId }) => fileId)],
  )
  const seen: Item[] = []
  let cursor: string | undefined
  do {
    const page = await app.ok(user, 'files.trash', { cursor, limit: 2 })
    seen.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(files.map(({ fileId }) => fileId)))
  expect(seen).toHaveLength(5)
  const times = seen.map(({ trashedAt }) => trashedAt)
  expect(times).toEqual(times.toSorted().reverse())
  for (const wrong of [{ limit: 0 }, { limit: 101 }, { cursor: 'x' }, { cursor: files[0]!.fileId }])
    expect(await codeOf(user, 'files.trash', wrong)).toBe('BAD_REQUEST')
})

test('files.emptyTrash deletes only the files in the trash and frees their quota', async () => {
  const quotaBytes = 3 * SIZE
  const user = await app.user({ quotaBytes })
  const other = await app.user()
  const others = await upload(other)
  await moveToTrash(other, others)
  const [kept, ...gone] = [await upload(user), await upload(user), await upload(user)]
  for (const file of gone) await moveToTrash(user, file)
  const photo = { filename: 'a.png', mimeType: 'image/png', size: SIZE, policy: 'private' }
  expect(await codeOf(user, 'upload.requestUploadUrl', photo)).toBe('QUOTA_EXCEEDED')
  expect(await app.ok(user, 'files.emptyTrash')).toEqual({ success: true, deleted: 2 })
  expect(await usage(user)).toEqual({ used: SIZE, reserved: 0 })
  for (const { fileId } of gone) expect(objectsOf(fileId)).toEqual([])
  expect(objectsOf(kept!.fileId)).toEqual([kept!.key])
  expect(await idsIn(other, 'files.trash')).toEqual([others.fileId])
  expect(await app.ok(user, 'files.emptyTrash')).toEqual({ success: true, deleted: 0 })
})

test('files.emptyTrash reports that the store failed, and the sweeper removes the bytes', async () => {
  const user = await app.user()
  const file = await upload(user)
  await moveToTrash(user, file)
  const rule = app.s3.faults.add({
    operation: ['DeleteObject', 'DeleteObjects'],
    action: { kind: 'fail', code: 'AccessDenied' },
  })
  expect(await codeOf(user, 'files.emptyTrash', {})).toBe('INTERNAL_SERVER_ERROR')
  expect(await codeOf(user, 'files.restore', idOf(file))).toBe('NOT_FOUND')
  app.s3.faults.remove(rule)
  await app.db.query(`UPDATE files SET cleanup_after = now() - interval '1 second' WHERE id = $1`, [
    file.fileId,
  ])
  await app.services.sweeper.sweep()
  expect(objectsOf(file.fileId)).toEqual([])
  expect(await usage(user)).toEqual({ used: 0, reserved: 0 })
})

describe('a public file', () => {
  test.each(['avatar', undefined])(
    'cannot be read at its URL while it is in the trash, and gets a new one when restored (policy %s)',
    async (policy) => {
      const user = await app.user()
      const photo = { filename: 'a.png', mimeType: 'image/png', size: SIZE, totalParts: 1, policy }
      const { fileId } = await app.ok(user, 'upload.initiateMultipart', photo)
      const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
      await put(uploadUrl, png(SIZE))
      const { file } = await app.ok(user, 'upload.completeMultipart', { fileId })
      expect((await fetch(file.url)).status).toBe(200)
      await moveToTrash(user, { fileId })
      expect((await fetch(file.url)).status).toBe(404)
      expect(objectsOf(fileId)).toEqual([expect.stringMatching(/^files\//)])
      await app.services.sweeper.sweep()
      expect(objectsOf(fileId)).toHaveLength(1)
      await restore(user, { fileId })
      const { items } = await app.ok(user, 'files.list')
      expect(items).toMatchObject([{ id: fileId, visibility: 'public' }])
      expect(items[0].url).not.toBe(file.url)
      expect((await fetch(items[0].url)).status).toBe(200)
    },
  )

  test('is published when restored if its publication was not complete when it was deleted', async () => {
    const user = await app.user()
    const { fileId } = await upload(user, null)
    await app.ok(user, 'files.setVisibility', { fileId, visibility: 'private' })
    await app.db.query(
      `INSERT INTO file_moves (key, file_id, visibility, due_at)
       VALUES ('public/' || $1::text, $1::uuid, 'public', now() + interval '1 minute')`,
      [fileId],
    )
    await moveToTrash(user, { fileId })
    await restore(user, { fileId })
    const { rows } = await app.db.query(
      'SELECT key FROM file_moves WHERE file_id = $1 AND visibility IS NOT NULL',
      [fileId],
    )
    expect(rows).toEqual([])
    expect((await app.ok(user, 'files.list')).items).toMatchObject([{ id: fileId, visibility: 'public' }])
  })

  test.each([
    ['CopyObject', 'public'],
    ['DeleteObject', 'public'],
    ['DeleteObject', 'private'],
  ] as const)(
    'whose move to the trash failed at %s is %s when restored after a repeat: its owner’s choice still decides',
    async (operation, visibility) => {
      const user = await app.user()
      const { fileId } = await upload(user, null)
      const rule = app.s3.faults.add({
        operation,
        keyPattern: fileId,
        action: { kind: 'fail', code: 'AccessDenied' },
      })
      expect(await codeOf(user, 'files.delete', { fileId, trash: true })).toBe('INTERNAL_SERVER_ERROR')
      app.s3.faults.remove(rule)
      if (visibility === 'private') await app.ok(user, 'files.setVisibility', { fileId, visibility })
      await moveToTrash(user, { fileId })
      await restore(user, { fileId })
      expect((await app.ok(user, 'files.list')).items).toMatchObject([{ visibility }])
    },
  )

  test('stays private when restored if its owner had made it private', async () => {
    const user = await app.user()
    const { fileId } = await upload(user, null)
    await app.ok(user, 'files.setVisibility', { fileId, visibility: 'private' })
    await moveToTrash(user, { fileId })
    await restore(user, { fileId })
    expect((await app.ok(user, 'files.list')).items).toMatchObject([{ visibility: 'private' }])
  })
})

describe('policies', () => {
  test('files in the trash do not count toward maxFilesPerUser, which restoring cannot exceed in parallel', async () => {
    const user = await app.user()
    const old = [await upload(user, 'two'), await upload(user, 'two')]
    for (const file of old) await moveToTrash(user, file)
    const fresh = await upload(user, 'two')
    const answers = await Promise.all(old.map((file) => app.call(user, 'files.restore', idOf(file))))
    expect(answers.map(({ error }) => error?.code).sort()).toEqual(['QUOTA_EXCEEDED', undefined])
    const { error } = answers.find((answer) => answer.error)!
    expect(error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining('at most 2 files'),
    })
    await moveToTrash(user, fresh)
    for (const file of old) await restore(user, file)
    expect(await idsIn(user, 'files.list')).toHaveLength(2)
  })

  test('a file with expiresInDays stays in the trash until it expires, not longer', async () => {
    const user = await app.user()
    const file = await upload(user, 'brief')
    await moveToTrash(user, file)
    const [item] = (await app.ok(user, 'files.trash')).items
    expect(Date.parse(item.expiresAt) - Date.now()).toBeLessThanOrEqual(3 * DAY_MS)
    await restore(user, file)
    const { rows } = await app.db.query('SELECT expires_at FROM files WHERE id = $1', [file.fileId])
    expect(rows[0].expires_at.toISOString()).toBe(item.expiresAt)
  })
})

test('file.deleted is sent once, when a file in the trash is permanently deleted', async () => {
  const events = async (fileId: string) =>
    (
      await app.db.query(
        `SELECT type, data ->> 'reason' AS reason FROM webhook_deliveries WHERE data ->> 'fileId' = $1`,
        [fileId],
      )
    ).rows
  const { id } = await app.services.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['file.deleted'] })
  const user = await app.user({ password: 'a long enough password' })
  const files = await Promise.all(
    ['private', 'private', 'brief', 'private', 'private'].map((p) => upload(user, p)),
  )
  const [deleted, emptied, expired, released, withAccount] = files as [
    Uploaded,
    Uploaded,
    Uploaded,
    Uploaded,
    Uploaded,
  ]
  for (const file of files) {
    await moveToTrash(user, file)
    await restore(user, file)
    await moveToTrash(user, file)
    expect(await events(file.fileId)).toEqual([])
  }
  await app.ok(user, 'files.delete', { fileId: deleted.fileId })
  await app.ok(user, 'files.delete', { fileId: deleted.fileId })
  await app.db.query(`UPDATE files SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    expired.fileId,
  ])
  await endTrash(expired)
  await app.services.sweeper.sweep()
  // The previous version deletes the file although it is already deleted, and releases its quota.
  await app.db.query(
    `WITH freed AS (UPDATE files SET reserved_bytes = 0 WHERE id = $1)
     UPDATE users SET reserved_bytes = reserved_bytes - $3 WHERE id = $2`,
    [released.fileId, user.id, SIZE],
  )
  expect(await codeOf(user, 'files.restore', idOf(released))).not.toBeUndefined()
  expect(await idsIn(user, 'files.trash')).not.toContain(released.fileId)
  await restore(user, withAccount)
  await moveToTrash(user, withAccount)
  await restore(user, emptied)
  await moveToTrash(user, emptied)
  await restore(user, withAccount)
  await app.ok(user, 'files.emptyTrash')
  await moveToTrash(user, withAccount)
  await app.ok(user, 'account.delete', { password: 'a long enough password' })
  for (const { fileId } of files)
    expect(await events(fileId)).toEqual([
      { type: 'file.deleted', reason: fileId === expired.fileId ? 'expired' : null },
    ])
  await app.db.query('DELETE FROM webhooks WHERE id = $1', [id])
})

test('a file in the trash still counts toward the limits of its user token', async () => {
  const { id: userId } = await app.user()
  const response = await fetch(`${server.url}/api/admin/user-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId, upload: { policy: 'private', maxFiles: 1 } }),
  })
  const { token } = await response.json()
  const user = { headers: { authorization: `Bearer ${token}` } } as unknown as TestUser
  const file = await upload(user, undefined)
  await moveToTrash(user, file)
  const photo = { filename: 'a.png', mimeType: 'image/png', size: SIZE }
  expect(await codeOf(user, 'upload.requestUploadUrl', photo)).toBe('QUOTA_EXCEEDED')
  await restore(user, file)
  expect(await idsIn(user, 'files.list')).toEqual([file.fileId])
})

test('restoring, deleting, emptying and sweeping in parallel leave each file complete or deleted', async () => {
  const user = await app.user()
  const files = await Promise.all(Array.from({ length: 24 }, () => upload(user)))
  for (let round = 0; round < 3; round++) {
    const left = await idsIn(user, 'files.list')
    for (const fileId of left) await moveToTrash(user, { fileId })
    await endTrash(...files.filter((_, n) => n % 6 === round))
    const calls = left.flatMap((fileId: string, n: number) => [
      app.call(user, 'files.restore', { fileId }),
      ...(n % 3 === 0 ? [app.call(user, 'files.delete', { fileId })] : []),
      ...(n % 3 === 1 ? [app.call(user, 'files.delete', { fileId, trash: true })] : []),
    ])
    await Promise.all([
      ...calls,
      app.services.sweeper.sweep(),
      ...(round === 2 ? [app.call(user, 'files.emptyTrash')] : []),
    ])
    expect(await drift(app.db)).toEqual([])
  }
  await app.services.sweeper.sweep()
  const [listed, trashed] = [await idsIn(user, 'files.list'), await idsIn(user, 'files.trash')]
  for (const { fileId, key } of files) {
    const isKept = listed.includes(fileId) || trashed.includes(fileId)
    expect(objectsOf(fileId)).toEqual(isKept ? [key] : [])
    expect(listed.includes(fileId) && trashed.includes(fileId)).toBe(false)
  }
  expect(await usage(user)).toEqual({ used: listed.length * SIZE, reserved: trashed.length * SIZE })
})

test('after kill -9 between the changes in the store and the database, the sweeper or a repeat completes them', async () => {
  const user = await app.user()
  const victim = await spawnAppServer(app.env)
  const steps = (['before', 'after'] as const).flatMap((point) =>
    (['files.delete', 'publish', 'unpublish'] as const).map((call) => ({ call, point })),
  )
  const files = await Promise.all(
    steps.map(async ({ call, point }) => {
      const file = await upload(user, call === 'files.delete' ? 'private' : 'avatar')
      if (call !== 'unpublish') await moveToTrash(user, file)
      return { ...file, call, point }
    }),
  )
  for (const { fileId, call, point } of files)
    app.s3.faults.add({
      id: fileId,
      operation: call === 'files.delete' ? ['DeleteObject', 'DeleteObjects'] : 'CopyObject',
      keyPattern: fileId,
      action: { kind: 'hold', name: fileId, point },
    })
  const lost: Promise<unknown>[] = []
  // Permanent deletions come last, because they wait for the store for only 5 s.
  for (const { fileId, call } of files.toSorted((one, other) => other.call.localeCompare(one.call))) {
    const request =
      call === 'publish'
        ? victim.call(user, 'files.restore', { fileId })
        : victim.call(user, 'files.delete', { fileId, trash: call === 'unpublish' })
    lost.push(request.catch((error: unknown) => error))
    if (call !== 'files.delete') await app.s3.faults.waitForHeld(fileId)
  }
  for (const { fileId } of files) await app.s3.faults.waitForHeld(fileId)
  await victim.kill()
  for (const result of await Promise.all(lost)) expect(result).toBeInstanceOf(Error)
  for (const { fileId } of files) app.s3.faults.remove(fileId)
  app.s3.faults.release()
  expect(await drift(app.db)).toEqual([])
  for (const { fileId, call } of files) {
    if (call === 'unpublish') await moveToTrash(user, { fileId })
    if (call === 'files.delete') expect(await codeOf(user, 'files.restore', { fileId })).toBe('NOT_FOUND')
  }
  for (let round = 0; round < 3; round++) {
    await app.db.query(`UPDATE file_moves SET due_at = now() - interval '1 second'`)
    await app.services.sweeper.sweep()
  }
  const { items } = await app.ok(user, 'files.list')
  for (const { fileId, call } of files) {
    const prefix = { 'files.delete': [], publish: ['public'], unpublish: ['files'] }[call]
    expect([call, objectsOf(fileId).map((key) => key.split('/')[0])]).toEqual([call, prefix])
    const item = items.find(({ id }: Item) => id === fileId)
    expect([call, item?.visibility]).toEqual([call, call === 'publish' ? 'public' : undefined])
    if (item) expect((await fetch(item.url)).status).toBe(200)
  }
  expect(await usage(user)).toEqual({ used: 2 * SIZE, reserved: 2 * SIZE })
})
