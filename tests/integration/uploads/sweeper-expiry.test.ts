import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createFileRepo } from '../../../src/server/adapters/postgres/uploads/file-repo.ts'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { spawnAppServer } from '../../support/process/app-server.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 4000
const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

describe('expiry', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp()
  })
  afterAll(async () => {
    expect(await drift(app.db)).toEqual([])
    await app.close()
  })

  test('the newest 5,000 ended rows of a user are kept for 30 days; older ones are deleted, except keys of the last day', async () => {
    user = await app.user()
    const insert = `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, ended_at, cleanup_after,
        cleanup_failing_since, idempotency_key, created_at)
      SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, $1, 'file ' || i, 'image/png', 1, 'key ' || i,
        'ABORTED', now(),
        now() + CASE WHEN i = 6 THEN interval '1 hour' ELSE interval '29 days' END,
        CASE WHEN i = 7 THEN now() END,
        CASE WHEN i IN (8, 9) THEN 'key ' || i END,
        CASE WHEN i = 9 THEN now() - interval '25 hours' ELSE now() END
      FROM generate_series($2::int, $3::int) AS i`
    await app.db.query(insert, [user.id, 1, 5009])
    await app.db.query(insert, [(await app.user()).id, 6001, 6009])
    expect((await app.services.sweeper.sweep()).dropped).toBe(6)
    const { rows } = await app.db.query(
      `SELECT filename FROM files WHERE id < '00000000-0000-7000-8000-00000000000a' ORDER BY id`,
    )
    expect(rows.map(({ filename }) => filename)).toEqual(['file 6', 'file 7', 'file 8'])
    expect((await app.db.query('SELECT count(*)::int AS n FROM files')).rows).toEqual([{ n: 5003 + 9 }])
    await app.db.query('DELETE FROM files')
  })

  test('a loop with idempotency keys cannot fill the table: only the user’s newest rows are kept', async () => {
    const { id } = await app.user()
    await app.db.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, ended_at, cleanup_after, idempotency_key)
       SELECT ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, $1, 'file ' || i, 'image/png', 1, 'key ' || i,
         'ABORTED', now(), now() + interval '29 days', 'key ' || i
       FROM generate_series(1, 12) AS i`,
      [id],
    )
    const db = createDb(app.config.databaseUrl)
    const which = { keep: 5, keepKeys: 10, keysSince: new Date(Date.now() - 60_000) }
    expect(await createFileRepo(db).dropTombstones(new Date(), which, 100)).toBe(2)
    await db.close()
    const { rows } = await app.db.query('SELECT filename FROM files ORDER BY id')
    expect(rows.map(({ filename }) => filename)).toEqual(
      Array.from({ length: 10 }, (_, n) => `file ${n + 3}`),
    )
    await app.db.query('DELETE FROM files')
  })

  test('a running server expires unfinished uploads after their time to live, and nothing else', async () => {
    user = await app.user()
    const server = await spawnAppServer({
      ...app.env,
      UPLOAD_PENDING_TTL_SECONDS: '10',
      MULTIPART_TTL_SECONDS: '10',
      SWEEP: '1',
    })
    try {
      const call = async (procedure: string, data: unknown) => {
        const answer = await server.call(user, procedure, data)
        expect(answer.error).toBeUndefined()
        return answer.data
      }
      const done = await call('upload.requestUploadUrl', input)
      await put(done.uploadUrl, png(SIZE), done.headers)
      await call('upload.confirmUpload', { fileId: done.fileId })
      const simple = await call('upload.requestUploadUrl', input)
      await put(simple.uploadUrl, png(SIZE), simple.headers)
      const multi = await call('upload.initiateMultipart', { ...input, totalParts: 1 })
      const { uploadUrl } = await call('upload.getPartUrl', { fileId: multi.fileId, partNumber: 1 })
      await put(uploadUrl, png(SIZE))
      const { expiresAt } = await call('upload.status', { fileId: multi.fileId })
      expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 10_000)

      await until('both are expired and cleaned up', async () => {
        const states = await Promise.all(
          [simple, multi].map(({ fileId }) => call('upload.status', { fileId })),
        )
        return (
          states.every((status) => status.state === 'EXPIRED') && app.s3.requestLog.uploads().length === 0
        )
      })
      await until('staged bytes are gone', async () => app.s3.requestLog.objects('staging/').length === 0)
      expect(await call('upload.status', { fileId: multi.fileId })).toMatchObject({
        expiresAt: null,
        uploadedParts: [],
      })
      await until('the multipart reservation is released', async () => {
        const { reserved } = await call('account.usage', undefined)
        return reserved === SIZE
      })
      // The simple upload's quota stays reserved: its URL is still valid.
      expect(await call('account.usage', undefined)).toMatchObject({ used: SIZE, reserved: SIZE })
      expect(
        (await call('files.list', {})).items.map((item: { state: string }) => item.state).sort(),
      ).toEqual(['EXPIRED', 'EXPIRED', 'READY'])
      for (const [procedure, fileId] of [
        ['upload.confirmUpload', simple.fileId],
        ['upload.completeMultipart', multi.fileId],
        ['upload.abortMultipart', multi.fileId],
      ])
        expect((await server.call(user, procedure!, { fileId })).error).toMatchObject({
          code: 'BAD_REQUEST',
          message: expect.stringContaining('expired'),
        })
    } finally {
      await server.stop()
    }
  })

  test('an initiation that crashed before the store responded expires within minutes, and its upload is found and aborted', async () => {
    user = await app.user()
    const created = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    // Imitates a crash between the store's response and the update of the row.
    await app.db.query(
      `UPDATE files SET upload_id = NULL, expires_at = now() - make_interval(secs => 1) WHERE id = $1`,
      [created.fileId],
    )
    expect(app.s3.requestLog.uploads(created.key)).toHaveLength(1)
    await app.services.sweeper.sweep()
    expect(app.s3.requestLog.uploads(created.key)).toEqual([])
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
  })

  test('uploads expire while the store is unavailable, and are cleaned up when it recovers', async () => {
    user = await app.user()
    const created = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', [
      created.fileId,
    ])
    await app.s3.down()
    const swept = await app.services.sweeper.sweep()
    await app.s3.up()
    expect(swept).toMatchObject({ expired: 1, failed: 1 })
    expect((await app.ok(user, 'upload.status', { fileId: created.fileId })).state).toBe('EXPIRED')
    expect(await app.ok(user, 'account.usage')).toMatchObject({ reserved: SIZE })
    await app.db.query('UPDATE files SET cleanup_after = now() - make_interval(secs => 1) WHERE id = $1', [
      created.fileId,
    ])
    await app.services.sweeper.sweep()
    expect(app.s3.requestLog.uploads(created.key)).toEqual([])
    expect(await app.ok(user, 'account.usage')).toMatchObject({ reserved: 0 })
  })

  test('a store without DeleteObjects is cleaned up object by object, and one that cannot be removed holds up no other', async () => {
    user = await app.user()
    const files: { fileId: string; key: string }[] = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const created = await app.ok(user, 'upload.requestUploadUrl', input)
        await put(created.uploadUrl, png(SIZE), created.headers)
        return created
      }),
    )
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = ANY($1)', [
      files.map(({ fileId }) => fileId),
    ])
    app.s3.faults.add({
      operation: 'DeleteObjects',
      action: { kind: 'fail', code: 'NotImplemented', status: 501 },
    })
    const kept = files[2]!
    app.s3.faults.add({
      operation: 'DeleteObject',
      keyPattern: `^staging/.*${kept.fileId}`,
      action: { kind: 'fail', code: 'AccessDenied', status: 403 },
    })
    expect(await app.services.sweeper.sweep()).toMatchObject({ expired: 5, cleaned: 4, failed: 1 })
    expect(app.s3.requestLog.objects('staging/')).toHaveLength(1)
    app.s3.faults.reset()
    await app.db.query('UPDATE files SET cleanup_after = now() - make_interval(secs => 1) WHERE id = $1', [
      kept.fileId,
    ])
    expect(await app.services.sweeper.sweep()).toMatchObject({ cleaned: 1, failed: 0 })
    expect(app.s3.requestLog.objects('staging/')).toEqual([])
  })

  test('a deleted row is removed after 30 days, not earlier', async () => {
    user = await app.user()
    const { fileId } = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    await app.ok(user, 'files.delete', { fileId })
    const days = (n: number) =>
      app.db.query(
        // Make it overdue by a second: PostgreSQL's clock has microseconds, JavaScript's does not.
        `UPDATE files SET deleted_at = now() - $2 * interval '1 day', ended_at = now() - $2 * interval '1 day',
           cleanup_after = now() - make_interval(secs => 1) WHERE id = $1`,
        [fileId, n],
      )
    await days(29)
    await app.services.sweeper.sweep()
    expect((await app.call(user, 'files.delete', { fileId })).data).toEqual({ success: true })
    await days(31)
    await app.services.sweeper.sweep()
    expect((await app.db.query('SELECT 1 FROM files WHERE id = $1', [fileId])).rows).toEqual([])
  })

  test('staged bytes that arrive after the confirmation are removed by the next sweep; the file stays', async () => {
    user = await app.user()
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(created.uploadUrl, png(SIZE), created.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    await put(created.uploadUrl, png(SIZE, 2), created.headers)
    await app.services.sweeper.sweep()
    expect(app.s3.requestLog.objects('staging/')).toEqual([])
    // Even later bytes are removed after the URL has expired, even if the store lists nothing.
    await put(created.uploadUrl, png(SIZE, 3), created.headers)
    app.s3.faults.add({
      operation: 'ListObjectsV2',
      action: { kind: 'fail', code: 'AccessDenied', status: 403 },
    })
    await app.db.query(
      `UPDATE files SET url_expires_at = now() - interval '61 seconds', cleanup_after = now() - make_interval(secs => 1) WHERE id = $1`,
      [created.fileId],
    )
    await app.services.sweeper.sweep()
    app.s3.faults.reset()
    expect(app.s3.requestLog.objects('staging/')).toEqual([])
    expect(app.s3.requestLog.objects(created.key)).toHaveLength(1)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: SIZE, reserved: 0 })
  })
})
