import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createFileRepo } from '../../../src/server/adapters/postgres/uploads/file-repo.ts'
import { createSweeper } from '../../../src/server/domain/uploads/sweeper.ts'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const QUOTA_CHECK = fileURLToPath(new URL('../../../src/cli/quota-check.ts', import.meta.url))
const SIZE = 4000
const MINUTE = 60
const PASSWORD = 'a long enough password'

describe('a file that the store does not allow the sweeper to clean up', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp()
  })
  afterEach(async () => {
    app.s3.faults.reset()
    expect(await drift(app.db)).toEqual([])
    await app.db.query('TRUNCATE users CASCADE')
  })
  afterAll(() => app?.close())

  /** Expires an upload of a new user, and makes the store reject its abort and removal. */
  async function failing() {
    user = await app.user({ password: PASSWORD })
    const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE, totalParts: 1 }
    const created = await app.ok(user, 'upload.initiateMultipart', input)
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: created.fileId, partNumber: 1 })
    await put(uploadUrl, png(SIZE))
    for (const operation of ['AbortMultipartUpload', 'DeleteObject', 'DeleteObjects'] as const)
      app.s3.faults.add({ operation, keyPrefix: 'files/', action: { kind: 'fail', code: 'AccessDenied' } })
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', [
      created.fileId,
    ])
    return created as { fileId: string; key: string }
  }

  const sweep = () => app.services.sweeper.sweep()

  /** Makes the cleanup due, and its failures this old. */
  const failedFor = (fileId: string, seconds: number) =>
    app.db.query(
      `UPDATE files SET cleanup_after = now() - make_interval(secs => 1),
         cleanup_failing_since = now() - make_interval(secs => $2) WHERE id = $1`,
      [fileId, seconds],
    )

  /** Returns the seconds until the next attempt. */
  async function pause(fileId: string): Promise<number> {
    const { rows } = await app.db.query(
      'SELECT extract(epoch FROM cleanup_after - now())::float AS seconds FROM files WHERE id = $1',
      [fileId],
    )
    return rows[0].seconds
  }

  /** Another replica's sweeper, with its reports. */
  function sweeperOf(more: { storeTimeoutMs?: number } = {}) {
    const reports: [string, Record<string, unknown>][] = []
    const db = createDb(app.env.DATABASE_URL!, 1)
    const sweeper = createSweeper({
      repo: createFileRepo(db),
      store: app.services.store,
      clock: app.services.clock,
      urls: { baseUrl: app.config.baseUrl, publicUrl: undefined },
      settings: app.config.uploads,
      report: (event, details) => reports.push([event, details]),
      ...more,
    })
    return { reports, sweeper, close: () => db.close() }
  }

  async function quotaCheck() {
    const child = spawn(process.execPath, [QUOTA_CHECK], {
      env: childEnv({ NODE_ENV: 'test', ...app.env }),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
    const [code] = await once(child, 'close')
    return { code: code as number, out }
  }

  test('is retried after a pause as long as the failure has lasted, from a minute to an hour, until it is cleaned up', async () => {
    const { fileId, key } = await failing()
    expect(await sweep()).toMatchObject({ expired: 1, failed: 1 })
    expect(await sweep()).toMatchObject({ failed: 0 })
    for (const [failed, next] of [
      [0, MINUTE],
      [10 * MINUTE, 10 * MINUTE],
      [24 * 60 * MINUTE, 60 * MINUTE],
    ] as const) {
      const startedAt = performance.now()
      await failedFor(fileId, failed)
      expect(await sweep()).toMatchObject({ failed: 1 })
      const seconds = await pause(fileId)
      // Meanwhile the failure has become older, and part of the pause has passed.
      const passed = (performance.now() - startedAt) / 1000
      expect(seconds).toBeGreaterThan(next - passed - 1)
      expect(seconds).toBeLessThan(next + passed + 1)
    }
    expect(await app.ok(user, 'account.usage')).toMatchObject({ reserved: SIZE })

    app.s3.faults.reset()
    await failedFor(fileId, 60 * MINUTE)
    expect(await sweep()).toMatchObject({ cleaned: 1, failed: 0 })
    expect(app.s3.requestLog.bytesStored(key)).toBe(0)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ reserved: 0 })
    const { rows } = await app.db.query('SELECT cleanup_failing_since FROM files WHERE id = $1', [fileId])
    expect(rows).toEqual([{ cleanup_failing_since: null }])
  })

  test('is reported by the metrics and by quota:check until it is cleaned up', async () => {
    // A scrape omits what the database did not count in time, as on a busy machine.
    const metric = (unit: string) =>
      until(`a scrape has the ${unit}`, async () => {
        const text = await app.services.metrics.text()
        const found = new RegExp(`^pigeonhole_cleanup_failing_${unit} (\\d+)$`, 'm').exec(text)
        return found && { value: Number(found[1]) }
      }).then(({ value }) => value)
    expect([await metric('files'), await metric('bytes')]).toEqual([0, 0])
    const { fileId } = await failing()
    await sweep()
    expect([await metric('files'), await metric('bytes')]).toEqual([1, SIZE])
    const found = await quotaCheck()
    expect(found.code).toBe(1)
    expect(found.out).toContain('1 user: used and reserved bytes equal the sums over their files')
    expect(found.out).toMatch(
      new RegExp(`${user.id} file ${fileId} \\(EXPIRED\\): cleanup has failed since .*Z, ${SIZE} bytes`),
    )
    expect(found.out).toContain(
      `Cleanup in the object store fails for 1 file, holding ${SIZE} bytes of quota`,
    )

    app.s3.faults.reset()
    await failedFor(fileId, MINUTE)
    await sweep()
    expect([await metric('files'), await metric('bytes')]).toEqual([0, 0])
    expect((await quotaCheck()).code).toBe(0)
  })

  test('is reported at every attempt once it has failed for an hour, with the quota it uses', async () => {
    const { fileId } = await failing()
    const { reports, sweeper, close } = sweeperOf()
    try {
      await sweeper.sweep()
      expect(reports.map(([event]) => event)).not.toContain('cleanup keeps failing')
      await failedFor(fileId, 61 * MINUTE)
      await sweeper.sweep()
      expect(reports).toContainEqual([
        'cleanup keeps failing',
        { count: 1, reservedBytes: SIZE, fileId, failingSince: expect.any(Date) },
      ])
    } finally {
      await close()
    }
  })

  test('is logged with the store’s code and message, also if the store removes the objects of other files', async () => {
    user = await app.user()
    const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }
    const files: { fileId: string }[] = await Promise.all(
      Array.from({ length: 3 }, () => app.ok(user, 'upload.requestUploadUrl', input)),
    )
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1)')
    const { fileId } = files[1]!
    const refused = { kind: 'fail', code: 'AccessDenied', message: 'Under a retention.' } as const
    app.s3.faults.add({ operation: 'DeleteObjects', action: { kind: 'fail', code: 'NotImplemented' } })
    app.s3.faults.add({ operation: 'DeleteObject', keyPattern: `/${fileId}`, action: refused })
    const { reports, sweeper, close } = sweeperOf()
    try {
      expect(await sweeper.sweep()).toMatchObject({ cleaned: 2, failed: 1 })
      const error = expect.objectContaining({ name: 'AccessDenied', message: 'Under a retention.' })
      expect(reports).toEqual([['store not cleaned', { count: 1, fileId, error }]])
    } finally {
      await close()
    }
  })

  test('holds up no other while the store does not respond to its abort', async () => {
    user = await app.user()
    const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }
    const [slow, ...others] = await Promise.all([
      app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 }),
      app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 }),
      app.ok(user, 'upload.requestUploadUrl', input),
    ])
    await put(others[1].uploadUrl, png(SIZE), others[1].headers)
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1)')
    const hold = { kind: 'hold', name: 'abort' } as const
    app.s3.faults.add({ operation: 'AbortMultipartUpload', keyPrefix: slow.key, action: hold })
    // A third of this time is left for the removal.
    const { sweeper, close } = sweeperOf({ storeTimeoutMs: 9_000 })
    try {
      expect(await sweeper.sweep()).toMatchObject({ expired: 3, cleaned: 2, failed: 1 })
      expect(app.s3.requestLog.objects('staging/')).toEqual([])
      expect(app.s3.requestLog.uploads(others[0].key)).toEqual([])
    } finally {
      app.s3.faults.release()
      await close()
    }
  })

  test('is not retried more often while its owner’s account is being deleted, and is then deleted with the account', async () => {
    const { fileId, key } = await failing()
    await sweep()
    await app.ok(user, 'account.delete', { password: PASSWORD })
    await failedFor(fileId, 30 * MINUTE)
    await sweep()
    app.s3.requestLog.clear()
    for (let round = 0; round < 3; round++) await app.services.accountDeletion.resume()
    const asked = app.s3.requestLog.entries().filter((entry) => entry.operation === 'AbortMultipartUpload')
    expect(asked).toEqual([])
    expect(await pause(fileId)).toBeGreaterThan(29 * MINUTE)

    app.s3.faults.reset()
    for (let round = 0; round < 2; round++) {
      await app.db.query(`UPDATE files SET ended_at = ended_at - interval '1 hour' WHERE id = $1`, [fileId])
      await failedFor(fileId, 30 * MINUTE)
      await app.services.accountDeletion.resume()
    }
    expect(app.s3.requestLog.bytesStored(key)).toBe(0)
    expect((await app.db.query('SELECT 1 FROM users WHERE id = $1', [user.id])).rows).toEqual([])
  })
})
