import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 50_000

describe('a rejected upload', () => {
  let app: UploadApp
  beforeAll(async () => {
    app = await startUploadApp()
  })
  afterAll(async () => {
    expect(await drift(app.db)).toEqual([])
    await app.close()
  })

  const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }
  const html = Buffer.alloc(SIZE, '<html><script>alert(1)</script>')

  async function rejected(user: TestUser) {
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(created.uploadUrl, html, created.headers)
    return { ...created, answer: await app.call(user, 'upload.confirmUpload', { fileId: created.fileId }) }
  }

  test('is removed and REJECTED, and returns the same response again, even after correct bytes were PUT', async () => {
    const user = await app.user()
    const { fileId, uploadUrl, headers, key, answer } = await rejected(user)
    expect(answer.error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('not image/png as declared'),
    })
    expect(app.s3.requestLog.objects('staging/')).toEqual([])
    expect(app.s3.requestLog.objects(key)).toEqual([])
    expect((await app.ok(user, 'upload.status', { fileId })).state).toBe('REJECTED')
    await put(uploadUrl, png(SIZE), headers)
    const again = await app.call(user, 'upload.confirmUpload', { fileId })
    expect(again.error?.message).toBe(answer.error?.message)
    expect((await app.ok(user, 'files.list')).items).toMatchObject([
      { id: fileId, state: 'REJECTED', url: null },
    ])
  })

  test('stays reserved until the URL has expired and bytes that arrived again are removed', async () => {
    const user = await app.user()
    const { fileId, uploadUrl, headers } = await rejected(user)
    await app.services.sweeper.sweep()
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: SIZE })
    expect((await put(uploadUrl, html, headers)).status).toBe(200)
    // Pretend that the URL expired a minute ago.
    await app.db.query(
      `UPDATE files SET url_expires_at = now() - interval '61 seconds', cleanup_after = now() - make_interval(secs => 1) WHERE id = $1`,
      [fileId],
    )
    await app.services.sweeper.sweep()
    expect(app.s3.requestLog.objects('staging/').filter((object) => uploadUrl.includes(object.key))).toEqual(
      [],
    )
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
    // Another cleanup is due, for a PUT that started in time and ended late.
    const { rows } = await app.db.query('SELECT cleanup_after > now() AS later FROM files WHERE id = $1', [
      fileId,
    ])
    expect(rows).toEqual([{ later: true }])
  })

  test('repeated cycles of request, PUT, and rejection, deletion or abort never store more than the quota', async () => {
    const quota = 5 * SIZE
    const user = await app.user({ quotaBytes: quota })
    const urls: { uploadUrl: string; headers: Record<string, string> }[] = []
    const stored = async () => {
      // All URLs are used again at once.
      await Promise.all(urls.map(({ uploadUrl, headers }) => put(uploadUrl, html, headers)))
      const keys = await app.db.query(
        `SELECT split_part(key, '/', 3) AS part FROM files WHERE user_id = $1`,
        [user.id],
      )
      return keys.rows.reduce(
        (sum, { part }) =>
          sum +
          app.s3.requestLog.bytesStored(`staging/${part}`) +
          app.s3.requestLog.bytesStored(`files/${user.id}/${part}`),
        0,
      )
    }
    let granted = 0
    for (let round = 0; round < 12; round++) {
      const created = await app.call(user, 'upload.requestUploadUrl', input)
      if (created.error) {
        expect(created.error.code).toBe('QUOTA_EXCEEDED')
        continue
      }
      granted++
      urls.push(created.data)
      await put(created.data.uploadUrl, html, created.data.headers)
      if (round % 2) await app.call(user, 'upload.confirmUpload', { fileId: created.data.fileId })
      else await app.ok(user, 'files.delete', { fileId: created.data.fileId })
      await app.services.sweeper.sweep()
      expect(await stored()).toBeLessThanOrEqual(quota)
    }
    expect(granted).toBe(5)
  })

  test.each([
    ['white space', `${' '.repeat(4095)}<html><script>alert(1)</script>`],
    ['a letter', 'x<!doctype html><script>alert(1)</script>'],
    ['a semicolon', ';<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ])('markup after %s never becomes READY, simple or multipart', async (_, text) => {
    const user = await app.user()
    const bytes = Buffer.from(text.padEnd(SIZE))
    const simple = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(simple.uploadUrl, bytes, simple.headers)
    const multi = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    const part = await app.ok(user, 'upload.getPartUrl', { fileId: multi.fileId, partNumber: 1 })
    await put(part.uploadUrl, bytes)
    for (const [procedure, { fileId, key }] of [
      ['upload.confirmUpload', simple],
      ['upload.completeMultipart', multi],
    ] as const) {
      expect((await app.call(user, procedure, { fileId })).error?.code).toBe('BAD_REQUEST')
      expect((await app.ok(user, 'upload.status', { fileId })).state).toBe('REJECTED')
      expect(app.s3.requestLog.objects(key)).toEqual([])
    }
  })

  test('confirming before the PUT is an error, and the upload can continue', async () => {
    const user = await app.user()
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    const { error } = await app.call(user, 'upload.confirmUpload', { fileId: created.fileId })
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('PUT them') })
    await put(created.uploadUrl, png(SIZE), created.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
  })
})

describe('with UPLOAD_CONTENT_CHECK=strict', () => {
  let app: UploadApp
  beforeAll(async () => {
    app = await startUploadApp({ UPLOAD_CONTENT_CHECK: 'strict' })
  })
  afterAll(() => app.close())

  test('unknown content is rejected, and content that proves the declared type becomes READY', async () => {
    const user = await app.user()
    const confirm = async (bytes: Buffer) => {
      const created = await app.ok(user, 'upload.requestUploadUrl', {
        filename: 'a.png',
        mimeType: 'image/png',
        size: bytes.length,
      })
      await put(created.uploadUrl, bytes, created.headers)
      return app.call(user, 'upload.confirmUpload', { fileId: created.fileId })
    }
    expect((await confirm(Buffer.alloc(SIZE, 'hello'))).error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('of an unrecognized type'),
    })
    expect((await confirm(png(SIZE))).data.success).toBe(true)
  })
})
