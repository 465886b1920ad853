import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp, webp } from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'
import { type AppServer, spawnAppServer } from '../../support/process/app-server.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const MIB = 1024 * 1024
const QUOTA = 60 * MIB

describe('quota under concurrent requests', () => {
  let app: UploadApp
  let servers: AppServer[]
  beforeAll(async () => {
    app = await startUploadApp()
    servers = await Promise.all([1, 2].map(() => spawnAppServer(app.env)))
  })
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.stop()))
    await app?.close()
  })

  /** Reads the user's quota until stopped; every read is one snapshot. */
  function observe(user: TestUser) {
    let stop = false
    const broken: unknown[] = []
    const done = (async () => {
      do {
        const { rows } = await app.db.query(
          `SELECT used_bytes + reserved_bytes <= quota_bytes AS within,
             used_bytes = (SELECT coalesce(sum(used_bytes), 0) FROM files WHERE user_id = users.id)
             AND reserved_bytes = (SELECT coalesce(sum(reserved_bytes), 0) FROM files WHERE user_id = users.id) AS exact
           FROM users WHERE id = $1`,
          [user.id],
        )
        // Leave the processor to the calls under observation.
        await sleep(5)
        if (!rows[0].within || !rows[0].exact) broken.push(rows[0])
      } while (!stop)
    })()
    return async () => {
      stop = true
      await done
      expect(broken).toEqual([])
    }
  }

  const codes = new Set<string | undefined>()
  const anyServer = () => {
    const server = servers[Math.floor(Math.random() * servers.length)]!
    return {
      call: async (...args: Parameters<AppServer['call']>) => {
        const answer = await server.call(...args)
        codes.add(answer.error?.code)
        return answer
      },
    }
  }

  test('100 requests of random sizes, 24 at a time over 2 processes, never exceed it and lose no bytes', async () => {
    const user = await app.user({ quotaBytes: QUOTA })
    const finish = observe(user)
    const sizes = Array.from({ length: 100 }, () => 1 + Math.floor(Math.random() * 2 * MIB))
    const answers = await atOnce(24, sizes.length, (i) => {
      const input = { filename: 'a.png', mimeType: 'image/png', size: sizes[i] }
      return i % 3 === 0
        ? anyServer().call(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
        : anyServer().call(user, 'upload.requestUploadUrl', input)
    })
    await finish()
    const accepted = answers.flatMap((answer, i) => (answer.error ? [] : [sizes[i]!]))
    const rejected = answers.filter((answer) => answer.error)
    expect(accepted.length).toBeGreaterThan(20)
    expect(rejected.length).toBeGreaterThan(20)
    for (const answer of rejected)
      expect([answer.status, answer.error?.code]).toEqual([413, 'QUOTA_EXCEEDED'])
    const sum = accepted.reduce((a, b) => a + b, 0)
    expect(await app.ok(user, 'account.usage')).toEqual({ used: 0, reserved: sum, quota: QUOTA })
    // The rejected requests did not fit.
    expect(sum).toBeGreaterThan(QUOTA - 2 * MIB)
  })

  test('the last free bytes are granted only once, one byte more is rejected, and the message has the figures', async () => {
    const user = await app.user({ quotaBytes: 1000 })
    const request = (size: number) =>
      anyServer().call(user, 'upload.requestUploadUrl', { filename: 'a.png', mimeType: 'image/png', size })
    expect((await request(1001)).error?.code).toBe('QUOTA_EXCEEDED')
    expect((await request(600)).error).toBeUndefined()
    const both = await Promise.all([request(400), request(400)])
    expect(both.filter((answer) => !answer.error)).toHaveLength(1)
    const rejected = await request(1)
    expect(rejected.error?.message).toMatch(
      /needs 1 byte, but your quota has only 0 bytes left \(1000 in total: 0 used, 1000 reserved/,
    )
  })

  test('a file deleted while its thumbnail is being counted releases all its bytes', async () => {
    const user = await app.user()
    const input = { filename: 'a.png', mimeType: 'image/png', size: 3000 }
    const { fileId, uploadUrl, headers } = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(uploadUrl, png(3000), headers)
    await app.ok(user, 'upload.confirmUpload', { fileId })
    const other = await app.db.connect()
    try {
      await other.query('BEGIN')
      await other.query(
        'UPDATE files SET thumbnail_bytes = 500, used_bytes = used_bytes + 500 WHERE id = $1',
        [fileId],
      )
      await other.query('UPDATE users SET used_bytes = used_bytes + 500 WHERE id = $1', [user.id])
      const deletion = app.call(user, 'files.delete', { fileId })
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await until('the deletion waits', async () => (await app.db.query(waiting)).rows.length > 0)
      await other.query('COMMIT')
      expect((await deletion).error).toBeUndefined()
    } finally {
      other.release()
    }
    // Bytes can still arrive through the URL, so they stay reserved until it has expired.
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 3500 })
    expect(await drift(app.db)).toEqual([])
  })

  test('parallel uploads, confirmations, thumbnails, aborts, deletions and expiries keep quota and files equal', async () => {
    const action = fc.record({
      kind: fc.constantFrom(
        'simple',
        'multipart',
        'reject',
        'abort',
        'delete',
        'thumbnail',
        'confirm',
        'complete',
        'expire',
      ),
      size: fc.integer({ min: 100, max: 20_000 }),
      pick: fc.nat(1000),
    })
    const history = fc.array(fc.array(action, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(history, async (rounds) => {
        const user = await app.user({ quotaBytes: 120_000 })
        const finish = observe(user)
        const files: { fileId: string; multipart: boolean }[] = []
        for (const round of rounds) await Promise.all(round.map((one) => act(one, user, files)))
        await finish()
        expect(await drift(app.db)).toEqual([])
        // The store never has more bytes than the user's quota counts.
        const { used, reserved } = await app.ok(user, 'account.usage')
        const keys = await app.db.query(
          'SELECT split_part(key, $1, 3) AS part FROM files WHERE user_id = $2',
          ['/', user.id],
        )
        const stored = keys.rows.reduce(
          (sum, { part }) =>
            sum +
            app.s3.requestLog.bytesStored(`staging/${part}`) +
            app.s3.requestLog.bytesStored(`files/${user.id}/${part}`),
          0,
        )
        expect(stored).toBeLessThanOrEqual(used + reserved)
      }),
      { numRuns: 12 },
    )
    // No combination caused an internal error.
    expect(
      [...codes].filter((code) => code && !['BAD_REQUEST', 'NOT_FOUND', 'QUOTA_EXCEEDED'].includes(code)),
    ).toEqual([])
  })

  async function act(
    one: { kind: string; size: number; pick: number },
    user: TestUser,
    files: { fileId: string; multipart: boolean }[],
  ): Promise<void> {
    const server = anyServer()
    const file = files[one.pick % Math.max(1, files.length)]
    const of = (multipart: boolean) => files.filter((f) => f.multipart === multipart)
    switch (one.kind) {
      case 'simple':
      case 'reject': {
        const input = { filename: 'a.png', mimeType: 'image/png', size: one.size }
        const created = await server.call(user, 'upload.requestUploadUrl', input)
        if (created.error) return
        files.push({ fileId: created.data.fileId, multipart: false })
        const bytes = one.kind === 'simple' ? png(one.size) : Buffer.alloc(one.size, '<html> ')
        await put(created.data.uploadUrl, bytes, created.data.headers)
        if (one.pick % 2) await server.call(user, 'upload.confirmUpload', { fileId: created.data.fileId })
        return
      }
      case 'multipart': {
        const input = { filename: 'a.png', mimeType: 'image/png', size: one.size, totalParts: 1 }
        const created = await server.call(user, 'upload.initiateMultipart', input)
        if (created.error) return
        files.push({ fileId: created.data.fileId, multipart: true })
        const url = await server.call(user, 'upload.getPartUrl', {
          fileId: created.data.fileId,
          partNumber: 1,
        })
        if (!url.error) await put(url.data.uploadUrl, png(one.size))
        return
      }
      case 'expire':
        if (file)
          await app.db.query(
            `UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = $1 AND expires_at IS NOT NULL`,
            [file.fileId],
          )
        await app.services.sweeper.sweep()
        return
      case 'delete':
        if (file) await server.call(user, 'files.delete', { fileId: file.fileId })
        return
      case 'thumbnail':
        for (const { fileId } of files.slice(-3)) {
          const data = webp(100 + one.size).toString('base64')
          await server.call(user, 'files.setThumbnail', { fileId, data })
        }
        return
      case 'confirm':
        for (const { fileId } of of(false).slice(-2))
          await server.call(user, 'upload.confirmUpload', { fileId })
        return
      case 'complete':
        for (const { fileId } of of(true).slice(-2))
          await server.call(user, 'upload.completeMultipart', { fileId })
        return
      case 'abort':
        for (const { fileId } of of(true).slice(-1))
          await server.call(user, 'upload.abortMultipart', { fileId })
    }
  }
})
