import { FILE_MAX_BYTES, PART_BYTES, SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'
import { type AppServer, spawnAppServer } from '../../support/process/app-server.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 1000
const MAX_OPEN = 20
const simple = { filename: 'a.png', mimeType: 'image/png', size: SIZE }
const multipart = { ...simple, totalParts: 1 }

describe(`with MAX_OPEN_UPLOADS=${MAX_OPEN}`, () => {
  let app: UploadApp
  let servers: AppServer[]
  beforeAll(async () => {
    app = await startUploadApp({ MAX_OPEN_UPLOADS: String(MAX_OPEN) })
    servers = await Promise.all([1, 2].map(() => spawnAppServer(app.env)))
  })
  afterEach(async () => {
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.stop()))
    await app?.close()
  })

  /** Starts `count` uploads, 24 at a time over all servers, alternately simple and multipart. */
  async function begin(user: TestUser, count: number) {
    const answers = await atOnce(24, count, (i) => {
      const server = servers[i % servers.length]!
      return i % 3 === 0
        ? server.call(user, 'upload.initiateMultipart', multipart)
        : server.call(user, 'upload.requestUploadUrl', simple)
    })
    return {
      created: answers.flatMap((answer) => (answer.error ? [] : [answer.data])),
      rejected: answers.filter((answer) => answer.error),
    }
  }

  test('a user can have exactly that many unfinished uploads, regardless of parallel requests', async () => {
    const user = await app.user()
    const { created, rejected } = await begin(user, 3 * MAX_OPEN)
    expect(created).toHaveLength(MAX_OPEN)
    expect(rejected).toHaveLength(2 * MAX_OPEN)
    for (const answer of rejected)
      expect(answer).toMatchObject({
        status: 413,
        error: {
          code: 'QUOTA_EXCEEDED',
          reason: 'too_many_uploads',
          message: expect.stringContaining(`${MAX_OPEN} unfinished uploads`),
        },
      })
    // A rejected one reserves nothing, and other users are not affected.
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: MAX_OPEN * SIZE })
    expect((await begin(await app.user(), 3)).created).toHaveLength(3)
  })

  test('each upload that is confirmed, completed, rejected, aborted, deleted or expired makes room for another', async () => {
    const user = await app.user()
    const { created } = await begin(user, MAX_OPEN)
    const parts = created.filter((upload) => upload.uploadId)
    const puts = created.filter((upload) => upload.uploadUrl)
    const partUrl = await app.ok(user, 'upload.getPartUrl', { fileId: parts[0].fileId, partNumber: 1 })
    await put(partUrl.uploadUrl, png(SIZE))
    await put(puts[0].uploadUrl, png(SIZE), puts[0].headers)
    await put(puts[1].uploadUrl, Buffer.alloc(SIZE, '<html>'), puts[1].headers)
    const endings: Record<string, () => Promise<unknown>> = {
      confirmed: () => app.ok(user, 'upload.confirmUpload', { fileId: puts[0].fileId }),
      rejected: () => app.call(user, 'upload.confirmUpload', { fileId: puts[1].fileId }),
      deleted: () => app.ok(user, 'files.delete', { fileId: puts[2].fileId }),
      completed: () => app.ok(user, 'upload.completeMultipart', { fileId: parts[0].fileId }),
      aborted: () => app.ok(user, 'upload.abortMultipart', { fileId: parts[1].fileId }),
      expired: async () => {
        await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', [
          puts[3].fileId,
        ])
        await app.services.sweeper.sweep()
      },
    }
    for (const [name, end] of Object.entries(endings)) {
      expect([name, (await begin(user, 1)).rejected.length]).toEqual([name, 1])
      await end()
      expect([name, (await begin(user, 2)).created.length]).toEqual([name, 1])
    }
    // Repeating the call makes no more room.
    await app.ok(user, 'upload.confirmUpload', { fileId: puts[0].fileId })
    await app.ok(user, 'files.delete', { fileId: puts[0].fileId })
    expect((await begin(user, 1)).created).toEqual([])
  })

  test('an initiation that fails in the store does not count', async () => {
    const user = await app.user()
    app.s3.faults.add({
      operation: 'CreateMultipartUpload',
      action: { kind: 'fail', code: 'AccessDenied', status: 403 },
    })
    expect((await app.call(user, 'upload.initiateMultipart', multipart)).error?.code).toBe(
      'INTERNAL_SERVER_ERROR',
    )
    app.s3.faults.reset()
    expect((await begin(user, MAX_OPEN)).created).toHaveLength(MAX_OPEN)
  })

  test('upload.limits returns the limit without a credential', async () => {
    expect((await app.call(null, 'upload.limits')).data).toEqual({
      mimeTypes: [
        'image/jpeg',
        'image/png',
        'image/gif',
        'image/webp',
        'application/pdf',
        'video/mp4',
        'video/quicktime',
      ],
      maxSimpleBytes: SIMPLE_MAX_BYTES,
      maxMultipartBytes: FILE_MAX_BYTES,
      partBytes: PART_BYTES,
      maxOpenUploads: MAX_OPEN,
    })
  })
})

describe('an upload that was aborted, expired or rejected', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp()
    user = await app.user()
  })
  afterAll(async () => {
    expect(await drift(app.db)).toEqual([])
    await app?.close()
  })

  async function endedUploads(): Promise<string[]> {
    const aborted = await app.ok(user, 'upload.initiateMultipart', multipart)
    await app.ok(user, 'upload.abortMultipart', { fileId: aborted.fileId })
    const rejected = await app.ok(user, 'upload.requestUploadUrl', simple)
    await put(rejected.uploadUrl, Buffer.alloc(SIZE, '<html>'), rejected.headers)
    await app.call(user, 'upload.confirmUpload', { fileId: rejected.fileId })
    const expired = await app.ok(user, 'upload.requestUploadUrl', simple)
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', [
      expired.fileId,
    ])
    await app.services.sweeper.sweep()
    return [aborted.fileId, rejected.fileId, expired.fileId]
  }

  /** Moves the end of these uploads, and what is due after it, into the past. */
  const age = (ids: string[], hours: number) =>
    app.db.query(
      `UPDATE files SET ended_at = now() - $2 * interval '1 hour', url_expires_at = now() - $2 * interval '1 hour',
         cleanup_after = now() - make_interval(secs => 1) WHERE id = ANY($1)`,
      [ids, hours],
    )

  test('disappears from files.list a day after its end, and from the table after 30 days', async () => {
    const ready = await app.ok(user, 'upload.requestUploadUrl', simple)
    await put(ready.uploadUrl, png(SIZE), ready.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: ready.fileId })
    const waiting = await app.ok(user, 'upload.requestUploadUrl', simple)
    const ended = await endedUploads()
    const listed = async () => (await app.ok(user, 'files.list')).items.map((item: { id: string }) => item.id)
    const rows = async () =>
      (await app.db.query('SELECT id FROM files WHERE id = ANY($1)', [ended])).rows.length

    await age(ended, 23)
    expect(await listed()).toEqual([...ended.toReversed(), waiting.fileId, ready.fileId])
    await age(ended, 25)
    expect(await listed()).toEqual([waiting.fileId, ready.fileId])
    // Its responses stay the same.
    expect((await app.ok(user, 'upload.status', { fileId: ended[1] })).state).toBe('REJECTED')

    await age(ended, 29 * 24)
    await app.services.sweeper.sweep()
    expect(await rows()).toBe(3)
    await age(ended, 31 * 24)
    await app.services.sweeper.sweep()
    expect(await rows()).toBe(0)
    expect((await app.call(user, 'upload.status', { fileId: ended[1] })).error?.code).toBe('NOT_FOUND')
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: SIZE, reserved: SIZE })
    expect(await listed()).toEqual([waiting.fileId, ready.fileId])
  })
})
