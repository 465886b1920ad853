import type { Operation } from '@pigeonhole/emulators/s3'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 4000

describe('a sweeper and a leased file', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp()
    user = await app.user()
  })
  afterEach(async () => {
    app.s3.faults.reset()
    app.s3.faults.release()
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(() => app?.close())

  const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

  async function prepare(call: string) {
    if (call === 'upload.confirmUpload') {
      const created = await app.ok(user, 'upload.requestUploadUrl', input)
      await put(created.uploadUrl, png(SIZE), created.headers)
      return created
    }
    const created = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: created.fileId, partNumber: 1 })
    await put(uploadUrl, png(SIZE))
    return created
  }

  const overdue = (fileId: string) =>
    app.db.query(`UPDATE files SET expires_at = now() - interval '1 second' WHERE id = $1`, [fileId])
  /** Ends the lease, as if its holder had been suspended for too long. */
  const endLease = (fileId: string) =>
    app.db.query(`UPDATE files SET leased_until = now() - interval '1 second' WHERE id = $1`, [fileId])
  const inStore = (file: { key: string; fileId: string }) =>
    app.s3.requestLog.bytesStored(file.key) +
    app.s3.requestLog.objects('staging/').filter((object) => object.key.includes(file.fileId)).length
  const stateOf = async (fileId: string) => (await app.ok(user, 'upload.status', { fileId })).state

  const STEPS: [string, Operation, string, 'before' | 'after'][] = [
    ['upload.confirmUpload', 'GetObject', 'staging/', 'before'],
    ['upload.confirmUpload', 'GetObject', 'staging/', 'after'],
    ['upload.confirmUpload', 'CopyObject', 'files/', 'before'],
    ['upload.confirmUpload', 'CopyObject', 'files/', 'after'],
    ['upload.confirmUpload', 'HeadObject', 'files/', 'after'],
    ['upload.completeMultipart', 'ListParts', 'files/', 'before'],
    ['upload.completeMultipart', 'ListParts', 'files/', 'after'],
    ['upload.completeMultipart', 'CompleteMultipartUpload', 'files/', 'before'],
    ['upload.completeMultipart', 'CompleteMultipartUpload', 'files/', 'after'],
    ['upload.completeMultipart', 'GetObject', 'files/', 'before'],
    ['upload.completeMultipart', 'GetObject', 'files/', 'after'],
  ]

  describe.each(STEPS)('%s at %s %s (%s)', (call, operation, prefix, point) => {
    async function reach() {
      const file = await prepare(call)
      app.s3.faults.add({
        operation,
        keyPattern: `^${prefix}.*${file.fileId}`,
        first: 1,
        action: { kind: 'hold', name: file.fileId, point },
      })
      const answer = app.call(user, call, { fileId: file.fileId })
      await app.s3.faults.waitForHeld(file.fileId)
      await overdue(file.fileId)
      return { file, answer }
    }

    test('the sweeper skips it while the lease is valid, and the file becomes ready', async () => {
      const { file, answer } = await reach()
      await app.services.sweeper.sweep()
      app.s3.faults.release()
      expect((await answer).data?.success).toBe(true)
      expect(await stateOf(file.fileId)).toBe('READY')
      const { url } = await app.ok(user, 'files.downloadUrl', { fileId: file.fileId })
      expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(png(SIZE))).toBe(true)
    })

    test('once a lease expires, the sweeper expires the file and empties the store, and the late worker reports that', async () => {
      const { file, answer } = await reach()
      await until('it is expired', async () => {
        // The worker may have renewed the lease in between.
        await endLease(file.fileId)
        await app.services.sweeper.sweep()
        return (await stateOf(file.fileId)) === 'EXPIRED'
      })
      app.s3.faults.release()
      expect((await answer).error).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('expired'),
      })
      expect(await stateOf(file.fileId)).toBe('EXPIRED')
      // The next round cleans up after calls that the late worker still had in flight.
      await app.db.query('UPDATE files SET cleanup_after = now() - make_interval(secs => 1) WHERE id = $1', [
        file.fileId,
      ])
      await app.services.sweeper.sweep()
      expect(inStore(file)).toBe(0)
    })
  })

  test.each(['upload.confirmUpload', 'upload.completeMultipart'])(
    'the sweeper skips a row that %s is making READY',
    async (call) => {
      const file = await prepare(call)
      const blocker = new pg.Client({ connectionString: app.env.DATABASE_URL })
      await blocker.connect()
      await blocker.query('BEGIN')
      await blocker.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [user.id])
      const answer = app.call(user, call, { fileId: file.fileId })
      await until('READY waits for the owner’s row', async () => {
        const { rows } = await app.db.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%READY%'`,
        )
        return rows.length > 0
      })
      await app.services.sweeper.sweep()
      await blocker.query('ROLLBACK')
      await blocker.end()
      expect((await answer).data?.success).toBe(true)
      expect(await stateOf(file.fileId)).toBe('READY')
    },
  )

  test.each([
    ['upload.confirmUpload', 'DeleteObject'],
    ['upload.completeMultipart', 'AbortMultipartUpload'],
  ] as const)(
    'if the sweeper is first, a concurrent %s reports that the upload has expired',
    async (call, operation) => {
      const file = await prepare(call)
      await overdue(file.fileId)
      app.s3.faults.add({ operation, action: { kind: 'hold', name: 'sweeping' }, first: 1 })
      const sweeping = app.services.sweeper.sweep()
      await app.s3.faults.waitForHeld('sweeping')
      const { error } = await app.call(user, call, { fileId: file.fileId })
      expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('expired') })
      app.s3.faults.release()
      await sweeping
      expect(inStore(file)).toBe(0)
    },
  )

  test('two sweepers at once clean up each row once', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, () => prepare('upload.completeMultipart')))
    await app.db.query(`UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = ANY($1)`, [
      files.map((file) => file.fileId),
    ])
    app.s3.requestLog.clear()
    const swept = await Promise.all([app.services.sweeper.sweep(), app.services.sweeper.sweep()])
    expect(swept[0]!.expired + swept[1]!.expired).toBe(20)
    expect(swept[0]!.cleaned + swept[1]!.cleaned).toBe(20)
    const aborts = app.s3.requestLog.entries().filter((entry) => entry.operation === 'AbortMultipartUpload')
    expect(aborts).toHaveLength(20)
  })
})
