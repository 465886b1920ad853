// files.list and files.totals, filtered by name and type, in each order.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/server/kernel/ids.ts'
import { startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

type Listed = { id: string; filename: string; mimeType: string; size: number }

let app: UploadApp
let user: TestUser
beforeAll(async () => {
  app = await startUploadApp()
  user = await app.user()
})
afterAll(() => app?.close())

const TYPES = ['image/png', 'image/jpeg', 'video/mp4']

/** Creates ready files, oldest first. */
async function add(owner: TestUser, files: Omit<Listed, 'id'>[]): Promise<Listed[]> {
  const listed = files.map((file) => ({ id: newId(), ...file }))
  await app.db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, used_bytes, key, state)
     SELECT id, $1, filename, mime_type, size, size, 'files/seeded/' || id || '/file', 'READY'
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[]) AS f(id, filename, mime_type, size)`,
    [
      owner.id,
      listed.map((f) => f.id),
      listed.map((f) => f.filename),
      listed.map((f) => f.mimeType),
      listed.map((f) => f.size),
    ],
  )
  await app.db.query(
    'UPDATE users SET used_bytes = (SELECT coalesce(sum(used_bytes), 0) FROM files WHERE user_id = $1) WHERE id = $1',
    [owner.id],
  )
  return listed
}

async function list(owner: TestUser, input: object): Promise<Listed[]> {
  const all: Listed[] = []
  let cursor: string | undefined
  do {
    const page = await app.ok(owner, 'files.list', { ...input, cursor })
    all.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return all
}

const names = (files: Listed[]) => files.map((file) => file.filename)

test('each order pages through all files once, even if many have the same name or size', async () => {
  const owner = await app.user()
  const file = fc.record({
    filename: fc.constantFrom('a.png', 'A.png', 'b.png', 'ä.png', '10.png', '9.png', '🐦.png', '%_.png'),
    mimeType: fc.constantFrom(...TYPES),
    size: fc.constantFrom(1, 2, 5_368_709_120),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 12 }),
      fc.constantFrom('newest', 'oldest', 'name', 'largest'),
      fc.integer({ min: 1, max: 5 }),
      fc.option(fc.subarray(TYPES, { minLength: 1 }), { nil: undefined }),
      async (files, sort, limit, mimeTypes) => {
        await app.db.query('DELETE FROM files WHERE user_id = $1', [owner.id])
        const wanted = (await add(owner, files)).filter((f) => mimeTypes?.includes(f.mimeType) ?? true)
        const got = await list(owner, { sort, limit, ...(mimeTypes && { mimeTypes }) })
        expect(got.map((f) => f.id)).toEqual(wanted.sort(ORDER[sort]).map((f) => f.id))
      },
    ),
    { numRuns: 60 },
  )
})

const byId = (a: Listed, b: Listed) => (a.id < b.id ? -1 : 1)
const ORDER = {
  newest: (a: Listed, b: Listed) => byId(b, a),
  oldest: byId,
  largest: (a: Listed, b: Listed) => b.size - a.size || byId(b, a),
  name: (a: Listed, b: Listed) =>
    Buffer.compare(Buffer.from(a.filename.toLowerCase()), Buffer.from(b.filename.toLowerCase())) ||
    byId(a, b),
}

test('a query finds names that contain all its words, in any case or Unicode form, without wildcards', async () => {
  const image = { mimeType: 'image/png', size: 1 }
  await add(user, [
    { filename: 'Holiday in Zu\u0308rich 2024.png', ...image },
    { filename: 'holiday 2025.png', ...image },
    { filename: '100%_sure.png', ...image },
  ])
  const found = async (query: string) => names(await list(user, { query, sort: 'name' }))
  expect(await found('HOLIDAY')).toEqual(['holiday 2025.png', 'Holiday in Zu\u0308rich 2024.png'])
  expect(await found('2024  holi')).toEqual(['Holiday in Zu\u0308rich 2024.png'])
  expect(await found('Z\u00fcrich')).toEqual(['Holiday in Zu\u0308rich 2024.png'])
  expect(await found('%_')).toEqual(['100%_sure.png'])
  expect(await found('_')).toEqual(['100%_sure.png'])
  expect(await found('\\')).toEqual([])
  expect(await found('   ')).toHaveLength(3)
})

test('totals count the matching ready files and their bytes by type, largest first', async () => {
  const owner = await app.user({ quotaBytes: 10 * 1024 ** 3 })
  const totals = async (input?: object) => (await app.ok(owner, 'files.totals', input)).items
  expect(await totals()).toEqual([])
  const [cat] = await add(owner, [
    { filename: 'cat.png', mimeType: 'image/png', size: 10 },
    { filename: 'Cat 2.png', mimeType: 'image/png', size: 5 },
    { filename: 'cat.mp4', mimeType: 'video/mp4', size: 5_368_709_120 },
    { filename: 'dog.jpg', mimeType: 'image/jpeg', size: 3 },
  ])
  await app.ok(owner, 'upload.requestUploadUrl', { filename: 'cat.gif', mimeType: 'image/gif', size: 9 })
  const video = { mimeType: 'video/mp4', files: 1, bytes: 5_368_709_120 }
  expect(await totals()).toEqual([
    video,
    { mimeType: 'image/png', files: 2, bytes: 15 },
    { mimeType: 'image/jpeg', files: 1, bytes: 3 },
  ])
  expect(await totals({ query: 'CAT' })).toEqual([video, { mimeType: 'image/png', files: 2, bytes: 15 }])
  expect(await totals({ query: '2', mimeTypes: ['image/png', 'image/jpeg'] })).toEqual([
    { mimeType: 'image/png', files: 1, bytes: 5 },
  ])
  await app.ok(owner, 'files.delete', { fileId: cat!.id })
  expect(await totals({ mimeTypes: ['image/png'] })).toEqual([{ mimeType: 'image/png', files: 1, bytes: 5 }])
})

test.each([
  ['sort', { sort: 'random' }],
  ['mimeTypes', { mimeTypes: ['text/html'] }],
  ['mimeTypes', { mimeTypes: [] }],
  ['query', { query: 'a\0b' }],
  ['query', { query: 'x'.repeat(256) }],
  ['query', { query: '\ud800' }],
])('%s: %j returns BAD_REQUEST', async (field, input) => {
  const answer = await app.call(user, 'files.list', input)
  expect(answer).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } })
  expect(Object.keys(answer.error!.fieldErrors!)[0]).toContain(field)
})

test('a cursor of another order, or a made-up one, returns BAD_REQUEST', async () => {
  const made = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url')
  const { nextCursor } = await app.ok(user, 'files.list', { sort: 'name', limit: 1 })
  for (const [sort, cursor] of [
    ['largest', nextCursor],
    ['newest', nextCursor],
    ['name', newId()],
    ['name', made(['name', 'a\0b', newId()])],
    ['name', made(['name', 'a', 'x'])],
    ['largest', made(['largest', 1.5, newId()])],
    ['largest', 'x'],
  ])
    expect(await app.call(user, 'files.list', { sort, cursor })).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST' },
    })
})

test('searches of one user wait for each other, but not for those of other users', async () => {
  const [one, other] = [await app.user(), await app.user()]
  await add(one, [{ filename: 'a.png', mimeType: 'image/png', size: 1 }])
  const locker = await app.db.connect()
  await locker.query('BEGIN; LOCK TABLE files')
  const search = (owner: TestUser, input: object) => app.call(owner, 'files.list', input)
  const pending = [
    ...Array.from({ length: 15 }, (_, i) =>
      search(one, [{ query: 'a' }, { sort: 'name' }, { mimeTypes: ['image/png'] }][i % 3]!),
    ),
    app.call(one, 'files.totals', {}),
    search(other, { query: 'a' }),
  ]
  const running = async () => {
    const { rows } = await app.db.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM files%'`,
    )
    return rows[0].n
  }
  await until('one search of each user waits for the table', async () => (await running()) === 2)
  await locker.query('ROLLBACK')
  locker.release()
  const statuses = (await Promise.all(pending)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})
