import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { downloadFile } from '../../../src/server/api/http/file-download.ts'
import { BUCKET, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const NAME = 'Größe "1"; 写真.png'

describe('/files/{id}', () => {
  let app: UploadApp
  let user: TestUser
  let fileId: string
  let pending: string
  beforeAll(async () => {
    app = await startUploadApp()
    user = await app.user()
    const input = { filename: NAME, mimeType: 'image/png', size: 2000 }
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(created.uploadUrl, png(2000), created.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    fileId = created.fileId
    pending = (await app.ok(user, 'upload.requestUploadUrl', input)).fileId
  })
  afterAll(() => app?.close())

  const get = (id: string, headers: Record<string, string> = {}, query = '') =>
    downloadFile(new Request(`http://app.test/files/${id}${query}`, { headers }), app.services, id)

  test('is the file.url that confirmUpload returned', async () => {
    const { file } = await app.ok(user, 'upload.confirmUpload', { fileId })
    expect(file.url).toBe(`http://app.test/files/${fileId}`)
  })

  test('redirects the owner to a presigned GET with type and name, valid for 5 minutes', async () => {
    const answer = await get(fileId, user.headers)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const location = new URL(answer.headers.get('location')!)
    expect(location.searchParams.get('X-Amz-Expires')).toBe('300')
    const got = await fetch(location)
    expect(got.headers.get('content-type')).toBe('image/png')
    expect(got.headers.get('content-disposition')).toBe(
      `inline; filename="Gr__e _1_; __.png"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%3B%20%E5%86%99%E7%9C%9F.png`,
    )
    expect(Buffer.from(await got.arrayBuffer()).equals(png(2000))).toBe(true)
  })

  test('redirects a HEAD to a presigned HEAD', async () => {
    const asked = new Request(`http://app.test/files/${fileId}`, { method: 'HEAD', headers: user.headers })
    const location = (await downloadFile(asked, app.services, fileId)).headers.get('location')!
    const got = await fetch(location, { method: 'HEAD' })
    expect([got.status, got.headers.get('content-type'), got.headers.get('content-length')]).toEqual([
      200,
      'image/png',
      '2000',
    ])
  })

  test('with ?download is an attachment', async () => {
    const got = await fetch((await get(fileId, user.headers, '?download')).headers.get('location')!)
    expect(got.headers.get('content-disposition')).toMatch(/^attachment; /)
    await got.body?.cancel()
  })

  test('files.downloadUrl returns the same URL, inline or as attachment, and its expiry', async () => {
    for (const [download, kind] of [
      [undefined, 'inline'],
      [true, 'attachment'],
    ] as const) {
      const { url, expiresAt } = await app.ok(user, 'files.downloadUrl', { fileId, download })
      const got = await fetch(url)
      expect(got.headers.get('content-disposition')).toMatch(new RegExp(`^${kind}; `))
      await got.body?.cancel()
      const left = Date.parse(expiresAt) - Date.now()
      expect(left).toBeGreaterThan(290_000)
      expect(left).toBeLessThanOrEqual(300_000)
    }
  })

  test('without a session, redirects browsers to sign in and back, and returns 401 to others', async () => {
    const browser = await get(fileId, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, '?download')
    expect(browser.status).toBe(302)
    const signIn = new URL(browser.headers.get('location')!)
    expect(signIn.origin + signIn.pathname).toBe('http://app.test/signin')
    expect(signIn.searchParams.get('callbackUrl')).toBe(`http://app.test/files/${fileId}?download`)
    const others: Record<string, string>[] = [
      {},
      { accept: '*/*' },
      { accept: 'image/avif,image/*' },
      { authorization: 'Bearer no' },
    ]
    for (const headers of others) {
      const answer = await get(fileId, headers)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(((await answer.json()) as { error: { code: string } }).error.code).toBe('UNAUTHORIZED')
    }
  })

  test('returns 404 to another user, for files that are deleted or not ready, and for malformed IDs', async () => {
    const other = await app.user()
    expect((await get(fileId, other.headers)).status).toBe(404)
    for (const id of [pending, 'x', '../../x', '%00', '01890a5d-ac96-774b-bcce-b302099a8057'])
      expect((await get(id, user.headers)).status).toBe(404)
  })

  test('the object is not public in the store', async () => {
    const { rows } = await app.db.query('SELECT key FROM files WHERE id = $1', [fileId])
    expect((await fetch(`${app.s3.url}/${BUCKET}/${rows[0].key}`)).status).toBe(403)
  })
})
