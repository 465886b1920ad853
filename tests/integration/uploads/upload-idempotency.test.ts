import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { type AppServer, spawnAppServer } from '../../support/process/app-server.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 1000
const QUOTA = 3 * SIZE
const simple = { filename: 'a.png', mimeType: 'image/png', size: SIZE }
const multipart = { ...simple, totalParts: 1 }

describe('an upload started with an idempotency key', () => {
  let app: UploadApp
  let servers: AppServer[]
  let user: TestUser
  let lastKey = 0
  beforeAll(async () => {
    app = await startUploadApp()
    servers = await Promise.all([1, 2].map(() => spawnAppServer(app.env)))
  })
  afterEach(async () => {
    app.s3.faults.reset()
    app.s3.faults.release()
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.stop()))
    await app?.close()
  })

  const newKey = () => `key-${++lastKey}`
  const fresh = async () => {
    user = await app.user({ quotaBytes: QUOTA })
    return newKey()
  }
  const request = (idempotencyKey: string, more = {}) =>
    app.call(user, 'upload.requestUploadUrl', { ...simple, idempotencyKey, ...more })
  const initiate = (idempotencyKey: string, more = {}) =>
    app.call(user, 'upload.initiateMultipart', { ...multipart, idempotencyKey, ...more })
  const reserved = async () => (await app.ok(user, 'account.usage')).reserved

  test.each([
    ['upload.requestUploadUrl', simple],
    ['upload.initiateMultipart', multipart],
  ])(
    '%s: parallel calls with one key through several processes reserve quota once, and all return the same file',
    async (procedure, input) => {
      const idempotencyKey = await fresh()
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, i) =>
          servers[i % servers.length]!.call(user, procedure, { ...input, idempotencyKey }),
        ),
      )
      expect(answers.filter((answer) => answer.error)).toEqual([])
      for (const field of ['fileId', 'key', 'uploadId'])
        expect(new Set(answers.map((answer) => answer.data[field])).size).toBe(1)
      expect(await reserved()).toBe(SIZE)
      expect((await app.ok(user, 'files.list')).items).toHaveLength(1)
      expect(app.s3.requestLog.uploads(answers[0]!.data.key)).toHaveLength(
        procedure === 'upload.initiateMultipart' ? 1 : 0,
      )
    },
  )

  test('gets a new URL while it waits for bytes, and stays reserved until that URL has expired', async () => {
    const key = await fresh()
    const first = (await request(key)).data
    await app.db.query(`UPDATE files SET url_expires_at = now() + interval '5 seconds' WHERE id = $1`, [
      first.fileId,
    ])
    const again = (await request(key)).data
    expect(again).toMatchObject({ fileId: first.fileId, key: first.key, headers: first.headers })
    expect(Date.parse(again.expiresAt) - Date.now()).toBeGreaterThan(14 * 60_000)
    const { rows } = await app.db.query('SELECT url_expires_at FROM files WHERE id = $1', [first.fileId])
    expect(rows[0].url_expires_at.toISOString()).toBe(again.expiresAt)
    expect((await put(again.uploadUrl, png(SIZE), again.headers)).status).toBe(200)
    await app.ok(user, 'upload.confirmUpload', { fileId: again.fileId })
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: SIZE, reserved: 0 })
  })

  test('gets no URL that is valid longer than its last one, once its bytes are confirmed', async () => {
    const key = await fresh()
    const first = (await request(key)).data
    await put(first.uploadUrl, png(SIZE), first.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: first.fileId })
    const again = (await request(key)).data
    expect(again).toMatchObject({ fileId: first.fileId, expiresAt: first.expiresAt })
    await app.db.query(`UPDATE files SET url_expires_at = now() - interval '10 seconds' WHERE id = $1`, [
      first.fileId,
    ])
    const late = (await request(key)).data
    expect(late.fileId).toBe(first.fileId)
    expect((await put(late.uploadUrl, png(SIZE), late.headers)).status).toBe(403)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: SIZE, reserved: 0 })
  })

  test('is found even if its own reservation has used up the quota', async () => {
    const key = await fresh()
    const first = (await request(key, { size: QUOTA })).data
    expect((await request(key, { size: QUOTA })).data.fileId).toBe(first.fileId)
    expect((await request(newKey(), { size: 1 })).error?.code).toBe('QUOTA_EXCEEDED')
  })

  test('returns BAD_REQUEST with different input or another procedure', async () => {
    const key = await fresh()
    await app.ok(user, 'upload.requestUploadUrl', { ...simple, idempotencyKey: key })
    for (const answer of [
      await request(key, { size: SIZE + 1 }),
      await request(key, { filename: 'b.png' }),
      await request(key, { mimeType: 'image/gif' }),
      await initiate(key),
    ])
      expect(answer).toMatchObject({
        status: 400,
        error: { code: 'BAD_REQUEST', message: expect.stringContaining('another file') },
      })
    // Use the name as it is stored.
    expect((await request(key, { filename: ' a.png ' })).error).toBeUndefined()
    expect(await reserved()).toBe(SIZE)
  })

  test('compares the name that the upload began with, even after the file is renamed', async () => {
    const key = await fresh()
    const { fileId } = await app.ok(user, 'upload.requestUploadUrl', { ...simple, idempotencyKey: key })
    for (const filename of ['b.png', 'c.png']) await app.ok(user, 'files.rename', { fileId, filename })
    expect((await request(key)).data.fileId).toBe(fileId)
    for (const filename of ['b.png', 'c.png'])
      expect((await request(key, { filename })).error?.code).toBe('BAD_REQUEST')
  })

  test('is a new file for another user or after a day', async () => {
    const key = await fresh()
    const first = (await request(key)).data
    await app.db.query(`UPDATE files SET created_at = now() - interval '23 hours' WHERE id = $1`, [
      first.fileId,
    ])
    expect((await request(key)).data.fileId).toBe(first.fileId)
    await app.db.query(`UPDATE files SET created_at = now() - interval '25 hours' WHERE id = $1`, [
      first.fileId,
    ])
    const second = (await request(key)).data
    expect(second.fileId).not.toBe(first.fileId)
    expect((await request(key)).data.fileId).toBe(second.fileId)
    expect(await reserved()).toBe(2 * SIZE)
    user = await app.user()
    expect((await request(key)).data.fileId).not.toBe(second.fileId)
  })

  test('gets a response once the store has responded to the first call', async () => {
    const key = await fresh()
    app.s3.faults.add({ operation: 'CreateMultipartUpload', action: { kind: 'hold', name: key }, first: 1 })
    const first = initiate(key)
    await app.s3.faults.waitForHeld(key)
    const second = initiate(key)
    app.s3.faults.release()
    const answers = await Promise.all([first, second])
    expect(answers[0].data.uploadId).toBeDefined()
    expect(answers[1].data).toEqual(answers[0].data)
  })

  test('whose file is aborted while the store creates the upload fails with the reason busy', async () => {
    const key = await fresh()
    app.s3.faults.add({ operation: 'CreateMultipartUpload', action: { kind: 'hold', name: key }, first: 1 })
    const first = initiate(key)
    await app.s3.faults.waitForHeld(key)
    const { rows } = await app.db.query('SELECT id FROM files WHERE idempotency_key = $1', [key])
    await app.ok(user, 'upload.abortMultipart', { fileId: rows[0].id })
    app.s3.faults.release()
    expect((await first).error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', reason: 'busy' })
  })

  test('whose initiation failed, or crashed and expired, can be started again with the same key', async () => {
    const key = await fresh()
    app.s3.faults.add({
      operation: 'CreateMultipartUpload',
      action: { kind: 'fail', code: 'AccessDenied', status: 403 },
    })
    expect((await initiate(key)).error?.code).toBe('INTERNAL_SERVER_ERROR')
    app.s3.faults.reset()
    const first = (await initiate(key)).data
    // Imitates a crash between the store's response and the update of the row.
    await app.db.query(
      `UPDATE files SET upload_id = NULL, expires_at = now() - make_interval(secs => 1) WHERE id = $1`,
      [first.fileId],
    )
    await app.services.sweeper.sweep()
    const second = (await initiate(key)).data
    expect(second.fileId).not.toBe(first.fileId)
    expect(await reserved()).toBe(SIZE)
  })

  test('must have 1 to 64 characters', async () => {
    await fresh()
    for (const key of ['', 'x'.repeat(65), 'a\0b', 7, null])
      expect((await request(key as string)).error).toMatchObject({
        code: 'BAD_REQUEST',
        fieldErrors: { idempotencyKey: expect.anything() },
      })
    for (const key of ['x', 'é'.repeat(64), '🐦'.repeat(64)])
      expect((await request(key)).error).toBeUndefined()
  })
})
