import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { type Answer, callProcedure } from '../../support/app/trpc-call.ts'
import { png, put, startUploadApp, type UploadApp, webp } from '../../support/app/upload-app.ts'
import { until } from '../../support/until.ts'

const MIB = 1024 * 1024
const CEILING = 100 * MIB
let app: UploadApp
let others: TestApp[]

beforeAll(async () => {
  app = await startUploadApp({ TOTAL_STORAGE_BYTES: String(CEILING) })
  others = [
    await startTestApp(app.env, app.env.DATABASE_URL),
    await startTestApp(app.env, app.env.DATABASE_URL),
  ]
})
afterAll(async () => {
  for (const one of others) await one.close()
  await app.close()
})
/** Empties the storage and expires all leases before each test. */
afterEach(async () => {
  await app.db.query('DELETE FROM files')
  await app.db.query('UPDATE users SET used_bytes = 0, reserved_bytes = 0, open_uploads = 0')
})

const file = (size: number, more = {}) => ({ filename: 'a.png', mimeType: 'image/png', size, ...more })
const request = (at: TestApp, user: { headers: Record<string, string> }, input: object) =>
  callProcedure(
    (one) => handleTrpc(one, Promise.resolve(at.services)),
    user as never,
    'upload.requestUploadUrl',
    input,
  )
const sum = async (): Promise<number> =>
  Number((await app.db.query('SELECT sum(used_bytes + reserved_bytes) AS bytes FROM users')).rows[0].bytes)

test('all users together never exceed the ceiling, even if many reserve at once in three replicas', async () => {
  const replicas = [app, ...others]
  const users = await Promise.all(Array.from({ length: 12 }, () => app.user()))
  let done = false
  let most = 0
  const watching = (async () => {
    while (!done) most = Math.max(most, await sum())
  })()
  // Request four times the available storage, 24 at once: on a busy machine, more would wait for connections.
  const answers: Answer[] = []
  for (let wave = 0; wave < 5; wave++)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 24 }, (_, n) => {
          const size = MIB + (((wave * 24 + n) * 791_977) % (5 * MIB))
          return request(replicas[n % 3]!, users[n % users.length]!, file(size))
        }),
      )),
    )
  // While many reserve at once, replicas count their pending reservations twice, so the ceiling can be reached too early.
  await until('only what the other replicas have leased is free', async () => {
    await request(app, users[0]!, file(MIB))
    return (await sum()) > CEILING - 5 * MIB
  })
  done = true
  await watching
  expect(Math.max(most, await sum())).toBeLessThanOrEqual(CEILING)
  const rejected = answers.flatMap(({ error }) => error ?? [])
  expect(rejected.length).toBeGreaterThan(50)
  for (const error of rejected) {
    expect(error.code).toBe('QUOTA_EXCEEDED')
    expect(error.message).toMatch(/^The service is full/)
  }
  let metrics = ''
  // A scrape omits what the database does not return in time.
  await until('the metrics have the ceiling', async () => {
    metrics = await app.services.metrics.text()
    return metrics.includes(`pigeonhole_storage_bytes{kind="ceiling"} ${CEILING}`)
  })
  expect(metrics).toContain(`pigeonhole_storage_bytes{kind="reserved"} ${await sum()}`)
  expect(Number(/pigeonhole_storage_full_refusals_total (\d+)/.exec(metrics)![1])).toBeGreaterThan(0)
})

test('released bytes can be reserved again, and a repeated call with its key succeeds even if nothing is free', async () => {
  const user = await app.user()
  // The previous test reached the ceiling, which a replica remembers for a second.
  let created: { fileId: string } | undefined
  await until('there is room', async () => {
    created = (await app.call(user, 'upload.initiateMultipart', file(60 * MIB, { totalParts: 12 }))).data
    return created !== undefined
  })
  const kept = file(2 * MIB, { idempotencyKey: 'once' })
  const first = await app.ok(user, 'upload.requestUploadUrl', kept)
  const large = file(50 * MIB, { totalParts: 10 })
  expect((await app.call(user, 'upload.initiateMultipart', large)).error?.message).toMatch(
    /^The service is full/,
  )
  // Use all remaining bytes, so that not even the smallest file fits.
  await app.db.query('UPDATE users SET used_bytes = $1 WHERE id = $2', [CEILING, (await app.user()).id])
  await app.db.query('DELETE FROM storage_lots')
  expect((await app.ok(user, 'upload.requestUploadUrl', kept)).fileId).toBe(first.fileId)
  await app.db.query('UPDATE users SET used_bytes = 0')
  await app.ok(user, 'upload.abortMultipart', { fileId: created!.fileId })
  await until('there is room', async () => !(await app.call(user, 'upload.initiateMultipart', large)).error)
})

test('the lease of a dead replica counts until it expires', async () => {
  const user = await app.user()
  const id = '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'
  await app.db.query("INSERT INTO storage_lots VALUES ($1, $2, now() + interval '1 hour')", [id, CEILING])
  expect((await request(others[0]!, user, file(9 * MIB))).error?.code).toBe('QUOTA_EXCEEDED')
  await app.db.query("UPDATE storage_lots SET expires_at = now() - interval '1 second' WHERE id = $1", [id])
  await until('there is room', async () => !(await request(others[0]!, user, file(9 * MIB))).error)
})

test('uploads that fit into a lease need no further call: 30 of them share one lease', async () => {
  const user = await app.user()
  const small = () => request(others[1]!, user, file(1000))
  // The first one can end the lease of an earlier test.
  await until('a lease was taken', async () => !(await small()).error)
  const leases = async () => (await app.db.query('SELECT id, xmin::text FROM storage_lots ORDER BY id')).rows
  const before = await leases()
  for (let i = 0; i < 30; i++) expect((await small()).error).toBeUndefined()
  expect(await leases()).toEqual(before)
})

test('if the database fails to lease, no byte is handed out, and the call fails like any other', async () => {
  const user = await app.user()
  await app.db.query('ALTER TABLE storage_lots RENAME TO storage_lots_away')
  try {
    expect((await request(others[0]!, user, file(10 * MIB))).error?.code).toBe('INTERNAL_SERVER_ERROR')
    expect(await sum()).toBe(0)
  } finally {
    await app.db.query('ALTER TABLE storage_lots_away RENAME TO storage_lots')
  }
})

test('thumbnails count against the ceiling too', async () => {
  const user = await app.user()
  const created = await app.ok(user, 'upload.requestUploadUrl', file(1000))
  await put(created.uploadUrl, png(1000), created.headers)
  await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
  await app.db.query(`INSERT INTO storage_lots VALUES (gen_random_uuid(), $1, now() + interval '1 hour')`, [
    CEILING,
  ])
  const replica = await startTestApp(app.env, app.env.DATABASE_URL)
  try {
    const input = { fileId: created.fileId, data: webp(5000).toString('base64') }
    const set = () =>
      callProcedure(
        (one) => handleTrpc(one, Promise.resolve(replica.services)),
        user,
        'files.setThumbnail',
        input,
      )
    expect((await set()).error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/^The service is full/),
    })
    expect(await sum()).toBe(1000)
    await app.db.query('DELETE FROM storage_lots')
    await until('there is room', async () => !(await set()).error)
    expect(await sum()).toBe(6000)
  } finally {
    await replica.close()
  }
})
