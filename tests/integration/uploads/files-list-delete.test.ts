import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 3000

describe('files', () => {
  let app: UploadApp
  beforeAll(async () => {
    app = await startUploadApp()
  })
  afterAll(async () => {
    expect(await drift(app.db)).toEqual([])
    await app.close()
  })

  const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }
  const begin = (user: TestUser) => app.ok(user, 'upload.requestUploadUrl', input)
  async function ready(user: TestUser) {
    const created = await begin(user)
    await put(created.uploadUrl, png(SIZE), created.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    return created
  }

  test('files.list pages through all files, newest first, each once, even while new ones are added', async () => {
    const user = await app.user()
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.unshift((await begin(user)).fileId)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await app.ok(user, 'files.list', { cursor, limit: 3 })
      seen.push(...page.items.map((item: { id: string }) => item.id))
      cursor = page.nextCursor ?? undefined
      await begin(user)
    } while (cursor)
    expect(seen).toEqual(ids)
    expect((await app.ok(user, 'files.list')).items).toHaveLength(10)
    expect((await app.ok(user, 'files.list', { limit: 10 })).nextCursor).toBeNull()
  })

  test('files.list describes each file, with a URL only for ready ones', async () => {
    const user = await app.user()
    const { fileId } = await ready(user)
    await begin(user)
    const { items } = await app.ok(user, 'files.list', {})
    expect(items[0]).toMatchObject({ state: 'PENDING', url: null })
    expect(items[1]).toEqual({
      id: fileId,
      filename: 'a.png',
      mimeType: 'image/png',
      size: SIZE,
      state: 'READY',
      thumbnailUrl: null,
      visibility: 'private',
      visibilityFixed: true,
      shared: false,
      policy: null,
      data: null,
      url: `http://app.test/files/${fileId}`,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect((await app.ok(await app.user(), 'files.list')).items).toEqual([])
  })

  test('files.setVisibility is BAD_REQUEST without S3_PUBLIC_URL', async () => {
    const user = await app.user()
    const { fileId } = await ready(user)
    const { error } = await app.call(user, 'files.setVisibility', { fileId, visibility: 'private' })
    expect([error?.code, error?.fieldErrors]).toEqual([
      'BAD_REQUEST',
      { visibility: ['cannot be changed: this server has no public files (S3_PUBLIC_URL)'] },
    ])
  })

  test.each([{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { cursor: 'an invalid cursor' }, { page: 2 }])(
    'files.list rejects %j',
    async (wrong) => {
      const { error } = await app.call(await app.user(), 'files.list', wrong)
      expect(error).toMatchObject({
        code: 'BAD_REQUEST',
        fieldErrors: { [Object.keys(wrong)[0]!]: expect.any(Array) },
      })
    },
  )

  /** Makes the upload an hour old, so that its URL has expired. */
  const expireUrl = ({ fileId }: { fileId: string }) =>
    app.db.query(
      `UPDATE files SET url_expires_at = now() - interval '61 seconds',
         cleanup_after = LEAST(cleanup_after, now() - make_interval(secs => 1)) WHERE id = $1`,
      [fileId],
    )

  test('files.rename changes the name in lists and downloads, but only for the owner’s files', async () => {
    const user = await app.user()
    const { fileId } = await ready(user)
    const renamed = 'é "b".png'
    expect(await app.ok(user, 'files.rename', { fileId, filename: ` ${renamed} ` })).toEqual({
      success: true,
    })
    expect((await app.ok(user, 'files.list')).items).toMatchObject([{ id: fileId, filename: renamed }])
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId, download: true })
    const response = await fetch(url)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="_ _b_.png"; filename*=UTF-8''%C3%A9%20%22b%22.png`,
    )
    expect((await response.arrayBuffer()).byteLength).toBe(SIZE)

    const code = async (who: TestUser, input: object) =>
      (await app.call(who, 'files.rename', input)).error?.code
    expect(await code(await app.user(), { fileId, filename: 'b.png' })).toBe('NOT_FOUND')
    expect(await code(user, { fileId: 'none', filename: 'b.png' })).toBe('NOT_FOUND')
    for (const filename of ['', ' ', 'a/b.png', 'x'.repeat(256)])
      expect(await code(user, { fileId, filename })).toBe('BAD_REQUEST')
    await app.ok(user, 'files.delete', { fileId })
    expect(await code(user, { fileId, filename: 'b.png' })).toBe('NOT_FOUND')
  })

  test('files.delete of a simple file keeps its quota reserved until its URL has expired', async () => {
    const quotaBytes = 2 * SIZE
    const user = await app.user({ quotaBytes })
    const file = await ready(user)
    expect(await app.ok(user, 'files.delete', { fileId: file.fileId })).toEqual({ success: true })
    const staged = () =>
      app.s3.requestLog.objects('staging/').filter(({ key }) => file.uploadUrl.includes(key))
    for (let late = 0; late < 2; late++) {
      expect((await put(file.uploadUrl, png(SIZE), file.headers)).status).toBe(200)
      await app.ok(user, 'files.delete', { fileId: file.fileId })
      await app.services.sweeper.sweep()
      expect(staged()).toEqual([])
      expect(await app.ok(user, 'account.usage')).toEqual({ used: 0, reserved: SIZE, quota: quotaBytes })
    }
    // Bytes that can still arrive have reserved quota.
    await begin(user)
    expect((await app.call(user, 'upload.requestUploadUrl', input)).error?.code).toBe('QUOTA_EXCEEDED')
    await put(file.uploadUrl, png(SIZE), file.headers)
    await expireUrl(file)
    await app.services.sweeper.sweep()
    expect(staged()).toEqual([])
    expect(await app.ok(user, 'account.usage')).toEqual({ used: 0, reserved: SIZE, quota: quotaBytes })
    expect(await drift(app.db)).toEqual([])
  })

  test('files.delete of a ready multipart file releases its quota at once', async () => {
    const user = await app.user()
    const { fileId } = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
    await put(uploadUrl, png(SIZE))
    await app.ok(user, 'upload.completeMultipart', { fileId })
    await app.ok(user, 'files.delete', { fileId })
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
  })

  test('files.delete of a ready file with an expired URL removes its bytes, releases its quota and can be repeated', async () => {
    const user = await app.user()
    const file = await ready(user)
    const { fileId, key } = file
    await expireUrl(file)
    expect(await app.ok(user, 'files.delete', { fileId })).toEqual({ success: true })
    expect(app.s3.requestLog.objects(key)).toEqual([])
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
    expect((await app.ok(user, 'files.list')).items).toEqual([])
    for (const procedure of ['upload.status', 'upload.confirmUpload', 'files.downloadUrl'])
      expect((await app.call(user, procedure, { fileId })).error?.code).toBe('NOT_FOUND')
    expect(await app.ok(user, 'files.delete', { fileId })).toEqual({ success: true })
    expect((await app.call(await app.user(), 'files.delete', { fileId })).error?.code).toBe('NOT_FOUND')
  })

  test('concurrent deletions release the quota once', async () => {
    const user = await app.user()
    const [one, other] = [await ready(user), await ready(user)]
    for (const file of [one, other]) await expireUrl(file)
    const answers = await Promise.all(
      [one, other, one, other, one, other].map(({ fileId }) => app.call(user, 'files.delete', { fileId })),
    )
    for (const answer of answers) expect(answer.data).toEqual({ success: true })
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
  })

  test('files.delete of an unfinished simple upload removes staged bytes, and keeps quota reserved until its URL expires', async () => {
    const user = await app.user()
    const created = await begin(user)
    await put(created.uploadUrl, png(SIZE), created.headers)
    const both = { fileId: created.fileId }
    const answers = await Promise.all([1, 2, 3].map(() => app.call(user, 'files.delete', both)))
    for (const answer of answers) expect(answer.data).toEqual({ success: true })
    expect((await app.ok(user, 'files.list')).items).toEqual([])
    expect(
      app.s3.requestLog.objects('staging/').filter((object) => created.uploadUrl.includes(object.key)),
    ).toEqual([])
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: SIZE })
    expect((await app.call(user, 'upload.confirmUpload', both)).error?.code).toBe('NOT_FOUND')
  })

  test('files.delete of an unfinished multipart upload aborts it and releases its quota at once', async () => {
    const user = await app.user()
    const created = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: created.fileId, partNumber: 1 })
    await put(uploadUrl, png(SIZE))
    await app.ok(user, 'files.delete', { fileId: created.fileId })
    expect(app.s3.requestLog.bytesStored(created.key)).toBe(0)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
  })

  test.each(['files.delete first', 'upload.confirmUpload first'])(
    'deletion that races with confirmation, %s, leaves a complete file or none',
    async (order) => {
      const user = await app.user()
      const created = await begin(user)
      await put(created.uploadUrl, png(SIZE), created.headers)
      const both = { fileId: created.fileId }
      const calls = ['files.delete', 'upload.confirmUpload']
      if (order.startsWith('upload')) calls.reverse()
      const held = calls[0] === 'files.delete' ? 'DeleteObject' : 'CopyObject'
      app.s3.faults.add({ operation: held, action: { kind: 'hold', name: held }, first: 1 })
      const first = app.call(user, calls[0]!, both)
      await app.s3.faults.waitForHeld(held)
      const second = app.call(user, calls[1]!, both)
      app.s3.faults.release()
      const answers = { [calls[0]!]: await first, [calls[1]!]: await second }
      app.s3.faults.reset()
      expect(answers['files.delete']?.data).toEqual({ success: true })
      expect(app.s3.requestLog.objects(created.key)).toEqual([])
      expect((await app.ok(user, 'files.list')).items).toEqual([])
      expect((await app.ok(user, 'account.usage')).used).toBe(0)
    },
  )

  test('deleting an account removes its files, and its row once no more bytes can arrive', async () => {
    const user = await app.user({ password: 'a long enough password' })
    const [file, unfinished] = [await ready(user), await begin(user)]
    await put(unfinished.uploadUrl, png(SIZE), unfinished.headers)
    const multi = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    await app.ok(user, 'account.delete', { password: 'a long enough password' })
    expect((await app.call(user, 'files.list')).error?.code).toBe('UNAUTHORIZED')
    for (const { key } of [file, unfinished, multi]) expect(app.s3.requestLog.bytesStored(key)).toBe(0)
    expect(
      app.s3.requestLog.objects('staging/').filter((object) => unfinished.uploadUrl.includes(object.key)),
    ).toEqual([])
    const rows = async () => (await app.db.query('SELECT id FROM files WHERE user_id = $1', [user.id])).rows
    // The rows stay while bytes can still arrive.
    expect(await rows()).toHaveLength(3)
    await app.db.query(
      `UPDATE files SET url_expires_at = now() - interval '2 hours', ended_at = now() - interval '2 hours',
         cleanup_after = now() - make_interval(secs => 1) WHERE user_id = $1`,
      [user.id],
    )
    await app.services.sweeper.sweep()
    expect(await rows()).toEqual([])
  })
})
