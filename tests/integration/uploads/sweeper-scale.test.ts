import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { stagingKey } from '../../../src/server/domain/uploads/keys.ts'
import { BUCKET, drift, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { spawnAppServer } from '../../support/process/app-server.ts'
import { until } from '../../support/until.ts'

/** Number of stale rows: two batches. To measure, use `SWEEPER_ROWS=100000`. */
const STALE = Number(process.env.SWEEPER_ROWS ?? 1_500)
const ACTIVE = STALE
/** Number of rows that are overdue but leased. */
const LEASED = 500
/** Number of stale multipart uploads, which need two store calls each. */
const MULTIPART = 200
/** Number of stale rows that exist in the store, simple and multipart. */
const STORED = 50

let app: UploadApp
beforeAll(async () => {
  app = await startUploadApp({ UPLOAD_PENDING_TTL_SECONDS: '2' })
})
afterAll(() => app?.close())

/** Inserts rows like those of uploads for 100 owners. IDs have the form of UUIDs. */
async function insert(count: number, kind: 'stale' | 'active' | 'leased'): Promise<void> {
  await app.db.query(
    `WITH made AS (
       INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state, total_parts,
         part_size, upload_id, url_expires_at, expires_at, leased_until, lease_id, reject_reason)
       SELECT rows.id, owner.id, 'a.png', 'image/png', 1000, 1000,
         'files/' || owner.id || '/' || rows.id || '-' || md5(rows.id::text) || '/a.png',
         (CASE WHEN multi THEN 'UPLOADING' ELSE 'PENDING' END)::file_state,
         CASE WHEN multi THEN 1 END, CASE WHEN multi THEN 5242880 END, CASE WHEN multi THEN 'gone' END,
         CASE WHEN NOT multi THEN now() - interval '3 hours' END,
         CASE WHEN $2 = 'active' THEN now() + interval '1 hour' ELSE now() - interval '1 minute' END,
         CASE WHEN $2 = 'leased' THEN now() + interval '1 hour' END,
         CASE WHEN $2 = 'leased' THEN gen_random_uuid() END, $2
       FROM (SELECT gen_random_uuid() AS id, n, n <= $3 AS multi FROM generate_series(1, $1) AS n) AS rows
       JOIN (SELECT id, row_number() OVER (ORDER BY id) AS nr FROM users) AS owner ON owner.nr = 1 + n % 100
       RETURNING user_id, reserved_bytes
     )
     UPDATE users SET reserved_bytes = users.reserved_bytes + sums.reserved,
       open_uploads = users.open_uploads + sums.open
     FROM (SELECT user_id, sum(reserved_bytes) AS reserved, count(*) AS open FROM made GROUP BY 1) AS sums WHERE users.id = sums.user_id`,
    [count, kind, kind === 'stale' ? MULTIPART : 0],
  )
}

/** Creates the objects and uploads of some stale rows in the store. */
async function store(): Promise<void> {
  const { rows } = await app.db.query(
    `(SELECT id, key, upload_id FROM files WHERE reject_reason = 'stale' AND upload_id IS NULL LIMIT $1)
     UNION ALL (SELECT id, key, upload_id FROM files WHERE upload_id IS NOT NULL LIMIT $1)`,
    [STORED],
  )
  const client = createS3Client(app.config.s3)
  const queue = rows.values()
  const worker = async () => {
    for (const row of queue) {
      if (row.upload_id === null)
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: stagingKey(row.key), Body: 'x' }))
      else {
        const created = await client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key: row.key }))
        await app.db.query('UPDATE files SET upload_id = $2 WHERE id = $1', [row.id, created.UploadId])
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  client.destroy()
}

test(`${STALE} stale rows among ${ACTIVE} active ones, two replicas: all stale rows are cleaned up, active ones unchanged`, async () => {
  await Promise.all(Array.from({ length: 100 }, () => app.user()))
  await insert(STALE, 'stale')
  await insert(ACTIVE, 'active')
  await insert(LEASED, 'leased')
  await app.db.query('ANALYZE files')
  await store()
  expect(await drift(app.db)).toEqual([])
  const count = async (where: string) =>
    Number((await app.db.query(`SELECT count(*) FROM files WHERE ${where}`)).rows[0].count)
  expect(app.s3.requestLog.objects('staging/')).toHaveLength(STORED)
  expect(app.s3.requestLog.uploads()).toHaveLength(STORED)
  const untouched = `SELECT md5(string_agg(f::text, ',' ORDER BY id)) FROM files AS f WHERE reject_reason <> 'stale'`
  const before = (await app.db.query(untouched)).rows

  const startedAt = performance.now()
  const replicas = await Promise.all([1, 2].map(() => spawnAppServer({ ...app.env, SWEEP: '1' })))
  await until(
    'every stale row is expired, cleaned up and released',
    async () => (await count(`reject_reason = 'stale' AND (state <> 'EXPIRED' OR reserved_bytes > 0)`)) === 0,
    150_000,
    500,
  )
  const seconds = (performance.now() - startedAt) / 1000
  await Promise.all(replicas.map((replica) => replica.stop()))

  console.info(
    `sweeper: ${STALE} stale rows (${MULTIPART} multipart) in ${seconds.toFixed(1)} s, ${Math.round(STALE / seconds)} rows/s, two replicas, start included`,
  )
  expect(app.s3.requestLog.objects('staging/')).toEqual([])
  expect(app.s3.requestLog.uploads()).toEqual([])
  expect((await app.db.query(untouched)).rows).toEqual(before)
  expect(await count(`reject_reason <> 'stale' AND state = 'PENDING'`)).toBe(ACTIVE + LEASED)
  expect(await drift(app.db)).toEqual([])
}, 240_000)
