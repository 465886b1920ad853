import { setTimeout as sleep } from 'node:timers/promises'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { startTestApp } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import {
  BUCKET,
  drift,
  png,
  put,
  startUploadApp,
  type UploadApp,
  webp,
} from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'
import { limitRows } from '../../support/limit-rows.ts'
import { seedFiles } from '../../support/seed-files.ts'
import type { TestUser } from '../../support/users.ts'

const MIB = 1024 * 1024
const TIB = 1024 * 1024 * MIB

const POLICIES = {
  avatar: { mimeTypes: ['image/png', 'image/jpeg'], maxBytes: 2 * MIB, maxFilesPerUser: 1, replace: true },
  three: { mimeTypes: ['image/png'], maxFilesPerUser: 3 },
  latest: { mimeTypes: ['image/png'], maxFilesPerUser: 2, replace: true },
  table: { mimeTypes: ['text/*', 'application/zip', 'application/vnd.ms-excel', 'application/octet-stream'] },
  footage: { mimeTypes: ['video/*'], maxBytes: 5 * TIB },
  brief: { expiresInDays: 30 },
  briefLatest: { expiresInDays: 2, maxFilesPerUser: 1, replace: true },
}

const photo = { filename: 'a.png', mimeType: 'image/png', size: 1000 }

describe('upload policies', () => {
  let app: UploadApp
  let file: ReturnType<typeof writePolicies>
  beforeAll(async () => {
    file = writePolicies(POLICIES)
    app = await startUploadApp({
      UPLOAD_POLICIES_FILE: file.path,
      DEFAULT_STORAGE_QUOTA_BYTES: String(100 * TIB),
    })
  })
  afterAll(async () => {
    await app?.close()
    file?.remove()
  })

  /** Begins an upload and sends its bytes. */
  async function send(user: TestUser, input: Record<string, unknown>, bytes = png(1000)) {
    const begun = await app.ok(user, 'upload.requestUploadUrl', { ...photo, size: bytes.length, ...input })
    expect((await put(begun.uploadUrl, bytes, begun.headers)).status).toBe(200)
    return begun.fileId as string
  }

  async function upload(user: TestUser, input: Record<string, unknown>, bytes = png(1000)) {
    const fileId = await send(user, input, bytes)
    await app.ok(user, 'upload.confirmUpload', { fileId })
    return fileId
  }

  test('expiresInDays: the sweeper deletes a file that long after it became ready, and frees its quota', async () => {
    const user = await app.user()
    const kept = await upload(user, { policy: 'three' })
    const brief = await upload(user, { policy: 'brief' })
    const replaced = await upload(user, { policy: 'briefLatest' })
    const latest = await upload(user, { policy: 'briefLatest' })
    const { rows } = await app.db.query(
      'SELECT id, extract(epoch FROM expires_at - ready_at)::int AS seconds FROM files WHERE user_id = $1 ORDER BY id',
      [user.id],
    )
    const DAY = 86_400
    expect(rows.map(({ id, seconds }) => [id, seconds])).toEqual([
      [kept, null],
      [brief, 30 * DAY],
      [replaced, 2 * DAY],
      [latest, 2 * DAY],
    ])
    const status = await app.ok(user, 'upload.status', { fileId: brief })
    expect(Date.parse(status.expiresAt) - Date.now()).toBeGreaterThan(29.9 * DAY * 1000)
    await app.services.sweeper.sweep()
    expect((await app.ok(user, 'files.list')).items).toHaveLength(3)

    await app.ok(user, 'files.setThumbnail', { fileId: brief, data: webp(100).toString('base64') })
    await app.db.query(
      `UPDATE files SET expires_at = now() - interval '1 second', url_expires_at = now() - interval '1 day' WHERE id = $1`,
      [brief],
    )
    expect(await app.services.sweeper.sweep()).toMatchObject({ deleted: 1 })
    expect(app.s3.requestLog.objects('files/').filter(({ key }) => key.includes(brief))).toEqual([])
    const { items } = await app.ok(user, 'files.list')
    expect(items.map(({ id }: { id: string }) => id)).toEqual([latest, kept])
    // The URLs of the others can still be used.
    expect((await app.ok(user, 'account.usage')).used).toBe(2000)
    expect(await drift(app.db)).toEqual([])
  })

  const ready = async (user: TestUser) =>
    (await app.ok(user, 'files.list')).items
      .filter(({ state }: { state: string }) => state === 'READY')
      .map(({ id }: { id: string }) => id)

  test('without a policy, the types and limits of the specification apply', async () => {
    const user = await app.user()
    expect(await app.ok(user, 'upload.limits')).toMatchObject({ maxMultipartBytes: 5 * 1024 * MIB })
    const csv = await app.call(user, 'upload.requestUploadUrl', { ...photo, mimeType: 'text/csv' })
    expect(csv.error?.fieldErrors).toEqual({
      mimeType: [expect.stringMatching(/^must be one of image\/jpeg/)],
    })
    const item = (await app.ok(user, 'files.list')).items[0]
    expect(item).toBeUndefined()
  })

  test('an unknown policy is rejected by name', async () => {
    const user = await app.user()
    for (const [procedure, input] of [
      ['upload.requestUploadUrl', photo],
      ['upload.initiateMultipart', { ...photo, totalParts: 1 }],
      ['upload.limits', {}],
    ] as const) {
      const { error } = await app.call(user, procedure, { ...input, policy: 'nothing' })
      expect([error?.code, error?.fieldErrors]).toEqual([
        'BAD_REQUEST',
        { policy: ['must be the name of an upload policy; "nothing" is not one'] },
      ])
    }
  })

  test('a type or size outside the policy is rejected, and the message names policy, limit and value', async () => {
    const user = await app.user()
    const input = { ...photo, policy: 'avatar', mimeType: 'video/mp4', size: 3_000_000 }
    for (const [procedure, more] of [
      ['upload.requestUploadUrl', {}],
      ['upload.initiateMultipart', { totalParts: 1 }],
    ] as const) {
      const { error } = await app.call(user, procedure, { ...input, ...more })
      expect([error?.code, error?.fieldErrors]).toEqual([
        'BAD_REQUEST',
        {
          mimeType: ['must be one of image/png, image/jpeg (policy "avatar"), not "video/mp4"'],
          size: ['must be at most 2097152 bytes (2 MB) (policy "avatar"), not 3000000'],
        },
      ])
    }
    // Without multipart, a larger file is rejected with the limits of its policy, not with those of the specification.
    const film = { ...photo, mimeType: 'video/mp4', size: 20 * MIB, policy: 'footage' }
    const simple = await app.call(user, 'upload.requestUploadUrl', film)
    expect(simple.error?.fieldErrors).toEqual({
      size: [
        'must be at most 10485760 bytes (10 MB) for a simple upload, not 20971520; use upload.initiateMultipart for larger files, up to 5497558138880 bytes (5 TB) (policy "footage")',
      ],
    })
    const large = await app.call(user, 'upload.requestUploadUrl', {
      ...photo,
      size: 20 * MIB,
      policy: 'avatar',
    })
    expect(large.error?.fieldErrors).toEqual({
      size: ['must be at most 2097152 bytes (2 MB) (policy "avatar"), not 20971520'],
    })
    expect(await app.ok(user, 'upload.limits', { policy: 'avatar' })).toEqual({
      mimeTypes: ['image/png', 'image/jpeg'],
      maxSimpleBytes: 2 * MIB,
      maxMultipartBytes: 2 * MIB,
      partBytes: 5 * MIB,
      maxOpenUploads: 1000,
    })
  })

  test.each([
    'text/html',
    'text/xml',
    'text/javascript',
    'text/x-shellscript',
    'text/Plain',
    'text/',
    'text',
  ])('a pattern never allows %s', async (mimeType) => {
    const user = await app.user()
    const { error } = await app.call(user, 'upload.requestUploadUrl', { ...photo, policy: 'table', mimeType })
    expect(Object.keys(error?.fieldErrors ?? {})).toEqual(['mimeType'])
  })

  test.each([
    ['HTML as text', 'text/plain', Buffer.from('<!doctype html><script>1</script>')],
    ['SVG after text', 'text/csv', Buffer.from('a,b\n<svg onload=1>')],
    [
      'an executable as binary',
      'application/octet-stream',
      Buffer.from(`\x7fELF${'\x02\x01\x01'.padEnd(60, '\0')}`, 'latin1'),
    ],
    ['a picture as text', 'text/plain', png(1000)],
  ])('%s is rejected by content', async (_, mimeType, bytes) => {
    const user = await app.user()
    const fileId = await send(user, { policy: 'table', mimeType }, bytes)
    const { error } = await app.call(user, 'upload.confirmUpload', { fileId })
    expect(error?.message).toMatch(/^The content is /)
  })

  test('content that cannot be recognized is served only as an attachment, even at its public URL', async () => {
    const user = await app.user()
    const csv = await upload(user, { policy: 'table', mimeType: 'text/csv' }, Buffer.from('a,b\n1,2\n'))
    const picture = await upload(user, {})
    const disposition = async (fileId: string) => {
      const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
      return (await fetch(url)).headers.get('content-disposition')
    }
    expect(await disposition(csv)).toMatch(/^attachment;/)
    expect(await disposition(picture)).toMatch(/^inline;/)
    // What the store sends without response-content-disposition, as it does for public URLs.
    const kept = async (fileId: string) => {
      const { rows } = await app.db.query('SELECT key FROM files WHERE id = $1', [fileId])
      const client = createS3Client(app.config.s3)
      const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: rows[0].key }))
      client.destroy()
      return head.ContentDisposition
    }
    expect([await kept(csv), await kept(picture)]).toEqual(['attachment', undefined])
  })

  test('files of up to 5 TiB: parts are as small as the store’s number of parts permits', async () => {
    const user = await app.user()
    const film = { filename: 'a.mp4', mimeType: 'video/mp4', policy: 'footage' }
    expect(await app.ok(user, 'upload.limits', { policy: 'footage' })).toMatchObject({
      maxMultipartBytes: 5 * TIB,
      partBytes: 525 * MIB,
    })
    const call = (size: number, totalParts: number) =>
      app.call(user, 'upload.initiateMultipart', { ...film, size, totalParts })
    const largest = await call(5 * TIB, Math.ceil((5 * TIB) / (525 * MIB)))
    expect(largest.data?.partSize).toBe(525 * MIB)
    const last = Math.ceil((5 * TIB) / (525 * MIB))
    const part = await app.ok(user, 'upload.getPartUrl', { fileId: largest.data.fileId, partNumber: last })
    expect(part.uploadUrl).toContain(`partNumber=${last}`)
    expect((await call(20 * MIB, 4)).data?.partSize).toBe(5 * MIB)
    expect((await call(20 * MIB, 2)).data?.partSize).toBe(10 * MIB)
    expect((await call(20 * MIB, 5)).error?.fieldErrors).toEqual({
      totalParts: ['must be 4 (parts of 5242880 bytes), or fewer for larger parts (policy "footage"), not 5'],
    })
    expect((await call(5 * TIB, 1000)).error?.fieldErrors).toEqual({
      totalParts: ['must be at least 1024: a part has at most 5 GB (policy "footage"), not 1000'],
    })
    expect((await call(5 * TIB + 1, 9987)).error?.fieldErrors?.size?.[0]).toMatch(
      /at most 5497558138880 bytes/,
    )
  })

  test('after a policy is removed, its files stay readable, and new and unfinished uploads are rejected', async () => {
    const user = await app.user()
    const table = { policy: 'table', mimeType: 'text/csv' }
    const simple = await send(user, table, Buffer.from('a,b\n'))
    const parts = await app.ok(user, 'upload.initiateMultipart', {
      ...photo,
      ...table,
      totalParts: 1,
      size: 4,
    })
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: parts.fileId, partNumber: 1 })
    await put(uploadUrl, Buffer.from('a,b\n'))
    const fileId = await upload(user, { policy: 'table', mimeType: 'text/csv' }, Buffer.from('a,b\n'))
    const { UPLOAD_POLICIES_FILE: _, ...env } = app.env
    const later = await startTestApp(env, app.env.DATABASE_URL)
    const call = (procedure: string, input?: unknown) =>
      callProcedure((request) => handleTrpc(request, Promise.resolve(later.services)), user, procedure, input)
    try {
      expect((await call('files.list')).data.items).toMatchObject([
        { id: fileId, policy: 'table', state: 'READY' },
        { id: parts.fileId, policy: 'table' },
        { id: simple, policy: 'table' },
      ])
      const { url } = (await call('files.downloadUrl', { fileId })).data
      expect(await (await fetch(url)).text()).toBe('a,b\n')
      const { error } = await call('upload.requestUploadUrl', { ...photo, policy: 'table' })
      expect(error?.fieldErrors?.policy).toHaveLength(1)
      // Nothing says whether an unfinished upload would have to be held.
      const finish = [
        ['upload.confirmUpload', simple],
        ['upload.completeMultipart', parts.fileId],
      ] as const
      for (const [procedure, id] of finish) {
        const { error } = await call(procedure, { fileId: id })
        expect([error?.code, error?.message]).toEqual([
          'BAD_REQUEST',
          'This server no longer has policy "table", so the upload cannot finish. Start a new one with another policy.',
        ])
      }
      await call('files.delete', { fileId })
      expect((await call('files.list')).data.items).toHaveLength(2)
      // A replica that still has the policy finishes them.
      for (const [procedure, id] of finish) await app.ok(user, procedure, { fileId: id })
      expect(await ready(user)).toEqual([parts.fileId, simple])
    } finally {
      await later.close()
    }
  })

  describe('data', () => {
    const data = { order: 'A1', n: 7, ok: true, nested: 'größe\n"' }

    test('is returned by files.list and upload.status, and null without it', async () => {
      const user = await app.user()
      const fileId = await upload(user, { data, policy: 'three' })
      const plain = await upload(user, {})
      expect((await app.ok(user, 'files.list')).items).toMatchObject([
        { id: plain, policy: null, data: null },
        { id: fileId, policy: 'three', data },
      ])
      expect(await app.ok(user, 'upload.status', { fileId })).toMatchObject({ policy: 'three', data })
    })

    test.each([
      ['more than 16 keys', Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, i]))],
      ['more than 2 KB', { text: 'x'.repeat(2048) }],
      ['an object in an object', { a: { b: 1 } }],
      ['null', { a: null }],
      ['a list', [1]],
      ['an empty key', { '': 1 }],
      ['a long key', { [`${'k'.repeat(65)}`]: 1 }],
      ['a NUL', { a: 'x\0' }],
      ['half a character', { a: '\ud800' }],
      ['the key __proto__', JSON.parse('{ "a": 1, "__proto__": 2 }')],
    ])('is rejected with %s', async (_, value) => {
      const user = await app.user()
      for (const [procedure, more] of [
        ['upload.requestUploadUrl', {}],
        ['upload.initiateMultipart', { totalParts: 1 }],
      ] as const) {
        const { error } = await app.call(user, procedure, { ...photo, ...more, data: value })
        expect(error?.code).toBe('BAD_REQUEST')
        expect(Object.keys(error?.fieldErrors ?? {})[0]).toMatch(/^data/)
      }
    })

    test('of 16 keys and exactly 2 KB is accepted', async () => {
      const user = await app.user()
      const value: Record<string, unknown> = Object.fromEntries(
        Array.from({ length: 15 }, (_, i) => [`k${i}`, i]),
      )
      value.text = 'x'.repeat(2048 - JSON.stringify({ ...value, text: '' }).length)
      const { fileId } = await app.ok(user, 'upload.requestUploadUrl', { ...photo, data: value })
      expect((await app.ok(user, 'upload.status', { fileId })).data).toEqual(value)
    })

    test('and policy are part of the idempotency comparison, in any order of the keys', async () => {
      const user = await app.user()
      const call = (more: Record<string, unknown>) =>
        app.call(user, 'upload.requestUploadUrl', { ...photo, idempotencyKey: 'k', ...more })
      const first = await call({ policy: 'three', data: { b: 1, a: 'x' } })
      const again = await call({ policy: 'three', data: { a: 'x', b: 1 } })
      expect(again.data?.fileId).toBe(first.data.fileId)
      for (const other of [
        { policy: 'three', data: { a: 'x', b: 2 } },
        { policy: 'three' },
        { data: { a: 'x', b: 1 } },
      ])
        expect((await call(other)).error?.message).toMatch(/idempotencyKey was used for another file/)
    })

    test('can be searched for by one value through an index', async () => {
      const client = await app.db.connect()
      try {
        await client.query('SET enable_seqscan = off')
        const { rows } = await client.query(
          `EXPLAIN SELECT id FROM files WHERE data @> '{"order": "A1"}' OR data @> '{"order": 1}'`,
        )
        expect(JSON.stringify(rows)).toContain('files_data_idx')
      } finally {
        client.release(true)
      }
    })
  })

  describe('maxFilesPerUser', () => {
    const counted = async (user: TestUser) => {
      const { rows } = await app.db.query(
        'SELECT count(*)::int FROM files WHERE user_id = $1 AND policy IS NOT NULL AND deleted_at IS NULL AND ended_at IS NULL',
        [user.id],
      )
      return rows[0].count as number
    }

    test('counts ready files and unfinished uploads, for each user and policy', async () => {
      const user = await app.user()
      const first = await upload(user, { policy: 'three' })
      const begin = (more = {}) =>
        app.call(user, 'upload.requestUploadUrl', { ...photo, policy: 'three', ...more })
      const multipart = { ...photo, policy: 'three', totalParts: 1 }
      const second = await app.ok(user, 'upload.initiateMultipart', multipart)
      expect((await begin()).error).toBeUndefined()
      const { status, error } = await begin()
      expect([status, error?.code, error?.reason]).toEqual([413, 'QUOTA_EXCEEDED', 'too_many_files'])
      expect(error?.message).toContain('Policy "three" allows at most 3 files per user, and you have 3')
      // Other policies, other users and uploads without a policy have their own numbers.
      expect((await begin({ policy: 'latest' })).error).toBeUndefined()
      expect((await begin({ policy: undefined })).error).toBeUndefined()
      await app.ok(await app.user(), 'upload.requestUploadUrl', { ...photo, policy: 'three' })
      // Ended and deleted files make room.
      await app.ok(user, 'files.delete', { fileId: first })
      expect((await begin()).error).toBeUndefined()
      await app.ok(user, 'upload.abortMultipart', { fileId: second.fileId })
      expect((await begin()).error).toBeUndefined()
      expect((await begin()).error?.reason).toBe('too_many_files')
    })

    test('300 parallel uploads from two replicas never exceed it', async () => {
      const user = await app.user()
      const replica = await startTestApp(app.env, app.env.DATABASE_URL)
      const call = (n: number) =>
        callProcedure(
          (request) => handleTrpc(request, Promise.resolve((n % 2 ? replica : app).services)),
          user,
          n % 3 ? 'upload.requestUploadUrl' : 'upload.initiateMultipart',
          { ...photo, policy: 'three', ...(n % 3 === 0 && { totalParts: 1 }) },
        )
      let most = 0
      let running = true
      const observed = (async () => {
        while (running) {
          most = Math.max(most, await counted(user))
          // Leave the processor to the calls under observation.
          await sleep(5)
        }
      })()
      try {
        // Each waits for the owner's row, and on a busy machine 60 at once wait too long for a connection.
        const answers = await atOnce(24, 300, call)
        running = false
        await observed
        expect(answers.filter(({ error }) => !error)).toHaveLength(3)
        for (const { error } of answers) if (error) expect(error.reason).toBe('too_many_files')
        expect([await counted(user), Math.max(most, 3)]).toEqual([3, 3])
        expect(await drift(app.db)).toEqual([])
      } finally {
        running = false
        await replica.close()
      }
    })

    test('holds after any parallel uploads, confirmations, deletions and aborts', async () => {
      const step = fc.record({
        kind: fc.constantFrom('begin', 'multipart', 'confirm', 'delete', 'abort', 'thirty'),
        pick: fc.nat(100),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 6 }),
          async (rounds) => {
            const user = await app.user()
            const begun: { fileId: string; uploadUrl?: string; headers?: Record<string, string> }[] = []
            const begin = async (procedure: string, more = {}) => {
              const answer = await app.call(user, procedure, { ...photo, policy: 'three', ...more })
              if (answer.error) expect(answer.error.reason).toBe('too_many_files')
              else begun.push(answer.data)
            }
            for (const round of rounds) {
              await Promise.all(
                round.map(async ({ kind, pick }) => {
                  const file = begun[pick % Math.max(1, begun.length)]
                  if (kind === 'begin') await begin('upload.requestUploadUrl')
                  else if (kind === 'multipart') await begin('upload.initiateMultipart', { totalParts: 1 })
                  else if (kind === 'thirty') await atOnce(4, 30, () => begin('upload.requestUploadUrl'))
                  else if (!file) return
                  else if (kind === 'delete') await app.call(user, 'files.delete', { fileId: file.fileId })
                  else if (kind === 'abort')
                    await app.call(user, 'upload.abortMultipart', { fileId: file.fileId })
                  else if (file.uploadUrl) {
                    await put(file.uploadUrl, png(1000), file.headers)
                    await app.call(user, 'upload.confirmUpload', { fileId: file.fileId })
                  }
                }),
              )
              expect(await counted(user)).toBeLessThanOrEqual(3)
            }
            expect(await drift(app.db)).toEqual([])
          },
        ),
        { numRuns: 8 },
      )
    })

    test('with replace, a new ready file deletes the oldest one, and no failed upload does', async () => {
      const user = await app.user()
      const first = await upload(user, { policy: 'avatar' })
      await app.ok(user, 'files.setThumbnail', { fileId: first, data: webp(300).toString('base64') })
      const rejected = await send(user, { policy: 'avatar' }, Buffer.alloc(1000, '<html> '))
      expect((await app.call(user, 'upload.confirmUpload', { fileId: rejected })).error?.code).toBe(
        'BAD_REQUEST',
      )
      expect(await ready(user)).toEqual([first])
      const second = await upload(user, { policy: 'avatar' })
      expect(await ready(user)).toEqual([second])
      // A repeated confirmation replaces nothing more.
      await app.ok(user, 'upload.confirmUpload', { fileId: second })
      expect(await ready(user)).toEqual([second])
      const { rows } = await app.db.query('SELECT key FROM files WHERE id = $1', [first])
      expect(app.s3.requestLog.bytesStored(rows[0].key)).toBe(0)
      expect(await drift(app.db)).toEqual([])
    })

    test('with replace, a call removes the objects of at most 10 replaced files, and the sweeper those of the rest', async () => {
      const user = await app.user()
      await seedFiles(app.config.databaseUrl, user.id, 12)
      // As if the policy had had a higher limit.
      await app.db.query(`UPDATE files SET policy = 'avatar' WHERE user_id = $1`, [user.id])
      app.s3.requestLog.clear()
      const newest = await upload(user, { policy: 'avatar' })
      const removed = async () =>
        new Set(
          app.s3.requestLog
            .entries()
            .flatMap(({ operation, key }) => (operation.startsWith('DeleteObject') && key ? [key] : []))
            .filter((key) => key.startsWith('files/') && key.includes('/seeded-')),
        ).size
      expect(await ready(user)).toEqual([newest])
      expect(await removed()).toBe(10)
      await app.services.sweeper.sweep(user.id)
      expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 1000, reserved: 0 })
      expect(await drift(app.db)).toEqual([])
    })

    test('with replace, any number of files is replaced, at most 2,000 in a statement', async () => {
      const user = await app.user()
      await seedFiles(app.config.databaseUrl, user.id, 4_100)
      await app.db.query(`UPDATE files SET policy = 'latest' WHERE user_id = $1`, [user.id])
      const stop = await limitRows(app.db, 'UPDATE', 'files')
      try {
        const newest = await upload(user, { policy: 'latest' })
        const left = await ready(user)
        expect(left).toHaveLength(2)
        expect(left).toContain(newest)
        expect(await drift(app.db)).toEqual([])
      } finally {
        await stop()
      }
    })

    test('with replace, parallel confirmations leave exactly the newest files', async () => {
      const user = await app.user()
      const others = await upload(user, {})
      const begun = await Promise.all(Array.from({ length: 8 }, () => send(user, { policy: 'latest' })))
      let most = 0
      let running = true
      const observed = (async () => {
        while (running) {
          most = Math.max(most, (await ready(user)).length)
          await sleep(5)
        }
      })()
      await Promise.all(begun.map((fileId) => app.ok(user, 'upload.confirmUpload', { fileId })))
      running = false
      await observed
      const left = await ready(user)
      expect(left).toHaveLength(3)
      expect(left).toContain(others)
      expect(most).toBeLessThanOrEqual(3)
      expect(await drift(app.db)).toEqual([])
    })
  })
})
