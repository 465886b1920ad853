import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { findQuotaDrift } from '../../../src/server/adapters/postgres/uploads/quota-drift.ts'
import { showThumbnail } from '../../../src/server/api/http/file-download.ts'
import { drift, png, put, startUploadApp, type UploadApp, webp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 3000
const PICTURE = webp(4000)

let app: UploadApp
let db: Db
beforeAll(async () => {
  app = await startUploadApp()
  db = createDb(app.config.databaseUrl, 2)
})
afterAll(async () => {
  await db?.close()
  await app?.close()
})

async function begin(user: TestUser) {
  const input = { filename: 'cat.png', mimeType: 'image/png', size: SIZE }
  return app.ok(user, 'upload.requestUploadUrl', input)
}

async function upload(user: TestUser): Promise<string> {
  const { fileId, uploadUrl, headers } = await begin(user)
  await put(uploadUrl, png(SIZE), headers)
  await app.ok(user, 'upload.confirmUpload', { fileId })
  return fileId
}

const set = (user: TestUser, fileId: string, picture = PICTURE) =>
  app.call(user, 'files.setThumbnail', { fileId, data: picture.toString('base64') })
const show = (fileId: string, headers: Record<string, string> = {}) =>
  showThumbnail(new Request(`http://app.test/files/${fileId}/thumbnail`, { headers }), app.services, fileId)
const usage = async (user: TestUser) => {
  const { used, reserved } = await app.ok(user, 'account.usage')
  return { used, reserved }
}
const stored = async (user: TestUser): Promise<number> => {
  const { rows } = await app.db.query(
    'SELECT count(*)::int AS n FROM file_thumbnails JOIN files ON id = file_id WHERE user_id = $1',
    [user.id],
  )
  return rows[0].n
}

test('is listed and served to its owner, who can cache it permanently', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  const listed = async () => (await app.ok(user, 'files.list')).items[0].thumbnailUrl
  expect(await listed()).toBe(null)
  expect((await show(fileId, user.headers)).status).toBe(404)
  expect((await set(user, fileId)).data).toEqual({ success: true })
  expect(await listed()).toBe(`http://app.test/files/${fileId}/thumbnail`)
  const got = await show(fileId, user.headers)
  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(got.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
  expect(Buffer.from(await got.arrayBuffer()).equals(PICTURE)).toBe(true)
})

test('is only served to its owner, with a session or an API key that can read', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  const other = await app.user()
  expect((await set(other, fileId)).error?.code).toBe('NOT_FOUND')
  await set(user, fileId)
  expect((await show(fileId, other.headers)).status).toBe(404)
  const rejected = await show(fileId)
  expect([rejected.status, rejected.headers.get('cache-control')]).toEqual([401, 'no-store'])
  for (const id of ['x', '%00', '../x']) expect((await show(id, user.headers)).status).toBe(404)
  const withKey = async (scope: string) => {
    const { token } = await app.ok(user, 'apiKeys.create', { name: 'k', scopes: [scope] })
    return show(fileId, { authorization: `Bearer ${token}` })
  }
  expect((await withKey('files:read')).status).toBe(200)
  expect((await withKey('uploads:write')).status).toBe(403)
})

test('counts once against the quota, even if sent repeatedly and in parallel, and the first one is kept', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  const before = await usage(user)
  const pictures = [PICTURE, webp(500), webp(600), webp(700)]
  const answers = await Promise.all(pictures.map((picture) => set(user, fileId, picture)))
  expect(answers.map(({ data }) => data)).toEqual(Array(4).fill({ success: true }))
  const kept = (await (await show(fileId, user.headers)).bytes()).length
  expect(await usage(user)).toEqual({ ...before, used: SIZE + kept })
  await set(user, fileId, webp(800))
  expect((await (await show(fileId, user.headers)).bytes()).length).toBe(kept)
  expect(await drift(app.db)).toEqual([])
})

test('is removed with its file: picture, quota and URL', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  await set(user, fileId)
  // Pretend that so much time has passed that no PUT can use the upload's URL.
  await app.db.query(`UPDATE files SET url_expires_at = now() - interval '1 hour' WHERE id = $1`, [fileId])
  await app.ok(user, 'files.delete', { fileId })
  expect(await usage(user)).toEqual({ used: 0, reserved: 0 })
  expect(await stored(user)).toBe(0)
  expect((await show(fileId, user.headers)).status).toBe(404)
  expect((await set(user, fileId)).error?.code).toBe('NOT_FOUND')
  expect((await findQuotaDrift(db)).drifted).toEqual([])
})

test('is removed with the account', async () => {
  const user = await app.user()
  await set(user, await upload(user))
  expect(await stored(user)).toBe(1)
  await app.services.accountDeletion.deleteAccount(user.id, 'test')
  const { rows } = await app.db.query(
    'SELECT count(*)::int AS n FROM file_thumbnails LEFT JOIN files ON id = file_id WHERE user_id = $1 OR id IS NULL',
    [user.id],
  )
  expect(rows[0].n).toBe(0)
})

test('that exceeds the quota is rejected, and the file is kept', async () => {
  const user = await app.user({ quotaBytes: SIZE + PICTURE.length - 1 })
  const fileId = await upload(user)
  const { status, error } = await set(user, fileId)
  expect([status, error?.code, error?.message]).toEqual([
    413,
    'QUOTA_EXCEEDED',
    expect.stringContaining('4000 bytes'),
  ])
  expect(await stored(user)).toBe(0)
  expect((await app.ok(user, 'files.list')).items[0]).toMatchObject({ state: 'READY', thumbnailUrl: null })
  expect(await drift(app.db)).toEqual([])
  expect((await set(user, fileId, webp(PICTURE.length - 1))).status).toBe(200)
})

test('of an unconfirmed upload is rejected', async () => {
  const user = await app.user()
  const { fileId } = await begin(user)
  const { status, error } = await set(user, fileId)
  expect([status, error?.message]).toEqual([400, expect.stringContaining('PENDING')])
})

test.each([
  ['a PNG', png(500), /WebP/],
  ['HTML', Buffer.from('<html><script>alert(1)</script></html>'), /WebP/],
  ['nothing', Buffer.alloc(0), /WebP/],
  ['too wide', webp(500, 321, 10), /320 pixels/],
  ['too high', webp(500, 10, 321), /320 pixels/],
  ['too large', webp(32 * 1024 + 1), /32768 bytes/],
])('%s is rejected, and the error names the field', async (_, picture, message) => {
  const user = await app.user()
  const { status, error } = await set(user, await upload(user), picture)
  expect([status, error!.fieldErrors]).toEqual([400, { data: [expect.stringMatching(message)] }])
})

test('can have up to 320 pixels and 32 KB, and invalid base64 is rejected', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  const { status } = await app.call(user, 'files.setThumbnail', { fileId, data: 'not base64!' })
  expect(status).toBe(400)
  expect((await set(user, fileId, webp(32 * 1024, 320))).status).toBe(200)
})
