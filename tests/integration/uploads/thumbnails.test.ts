import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, type Db } from '../../../src/server/data/postgres/db.ts'
import { findQuotaDrift } from '../../../src/server/data/upload/quota-drift.ts'
import { showThumbnail } from '../../../src/server/http/file-thumbnail.ts'
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

test('is listed and served to its owner, to be kept for good', async () => {
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

test('is nobody else’s, and needs a session, or a key that may read', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  const other = await app.user()
  expect((await set(other, fileId)).error?.code).toBe('NOT_FOUND')
  await set(user, fileId)
  expect((await show(fileId, other.headers)).status).toBe(404)
  const refused = await show(fileId)
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store'])
  for (const id of ['x', '%00', '../x']) expect((await show(id, user.headers)).status).toBe(404)
  const withKey = async (scope: string) => {
    const { token } = await app.ok(user, 'apiKeys.create', { name: 'k', scopes: [scope] })
    return show(fileId, { authorization: `Bearer ${token}` })
  }
  expect((await withKey('files:read')).status).toBe(200)
  expect((await withKey('uploads:write')).status).toBe(403)
})

test('counts in the quota, once however often and at once it is sent; the first one stays', async () => {
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

test('goes with its file: picture, bytes in the quota and address', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  await set(user, fileId)
  // Later, when no PUT can use the upload's URL any more.
  await app.db.query(`UPDATE files SET url_expires_at = now() - interval '1 hour' WHERE id = $1`, [fileId])
  await app.ok(user, 'files.delete', { fileId })
  expect(await usage(user)).toEqual({ used: 0, reserved: 0 })
  expect(await stored(user)).toBe(0)
  expect((await show(fileId, user.headers)).status).toBe(404)
  expect((await set(user, fileId)).error?.code).toBe('NOT_FOUND')
  expect((await findQuotaDrift(db)).drifted).toEqual([])
})

test('goes with the account', async () => {
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

test('that does not fit into the quota is refused, and the file stays', async () => {
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

test('of an upload that is not confirmed is refused', async () => {
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
])('%s is refused by name', async (_, picture, message) => {
  const user = await app.user()
  const { status, error } = await set(user, await upload(user), picture)
  expect([status, error!.fieldErrors]).toEqual([400, { data: [expect.stringMatching(message)] }])
})

test('of 320 pixels and 32 KB is the largest, and what is no base64 is refused', async () => {
  const user = await app.user()
  const fileId = await upload(user)
  const { status } = await app.call(user, 'files.setThumbnail', { fileId, data: 'not base64!' })
  expect(status).toBe(400)
  expect((await set(user, fileId, webp(32 * 1024, 320))).status).toBe(200)
})
