import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSessionRepo } from '../../../src/server/adapters/postgres/accounts/session-repo.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { createFileRepo } from '../../../src/server/adapters/postgres/uploads/file-repo.ts'
import type { NewFile, UploadRepo } from '../../../src/server/domain/uploads/upload-repo.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

let database: TestDatabase
let db: Db
let files: UploadRepo
let other: pg.Client
let statements = 0
beforeAll(async () => {
  database = await createTestDatabase()
  db = createDb(database.url, 3)
  db.pool.on('acquire', () => statements++)
  files = createFileRepo(db)
  other = new pg.Client(database.url)
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await db.close()
  await database.drop()
})

const LIMITS = { quotaBytes: 100, unfinishedUploads: 1_000, verifiedOnly: false, policyFiles: null }
const AT = new Date('2026-03-29T01:30:00.123Z')

async function user(): Promise<string> {
  const id = newId()
  await other.query('INSERT INTO users (id, email) VALUES ($1, $2)', [id, `${id}@example.com`])
  return id
}

const fileOf = (userId: string, size: number): NewFile => ({
  id: newId(),
  userId,
  filename: `quotes ' " \\ ü 🕊.png`,
  mimeType: 'image/png',
  size,
  key: `files/${randomUUID()}`,
  state: 'UPLOADING',
  totalParts: 2,
  partSize: 2 ** 40,
  urlExpiresAt: AT,
  expiresAt: AT,
  createdAt: AT,
  idempotencyKey: randomUUID(),
  policy: null,
  data: null,
  visibility: 'private',
})

async function counted<T>(work: Promise<T>): Promise<{ result: T; statements: number }> {
  statements = 0
  return { result: await work, statements }
}

const sumsOf = async (userId: string) =>
  (
    await other.query('SELECT reserved_bytes::int AS bytes, open_uploads AS files FROM users WHERE id = $1', [
      userId,
    ])
  ).rows[0]

describe('simultaneous reservations', () => {
  test('run as one statement, and each call gets its file', async () => {
    const users = [await user(), await user(), await user()]
    const wanted = users.flatMap((id) => [fileOf(id, 10), fileOf(id, 20)])
    const reserved = await counted(Promise.all(wanted.map((file) => files.reserve(file, LIMITS))))
    expect(reserved.result).toEqual(wanted.map(() => ({ outcome: 'reserved' })))
    expect(reserved.statements).toBe(1)
    for (const id of users) expect(await sumsOf(id)).toEqual({ bytes: 30, files: 2 })
    const found = await counted(Promise.all(wanted.map(({ id, userId }) => files.find(id, userId))))
    expect(found.statements).toBe(1)
    expect(found.result).toEqual(
      wanted.map(({ idempotencyKey: _, ...file }) =>
        expect.objectContaining({ ...file, reserved: file.size }),
      ),
    )
    expect(await files.find(wanted[0]!.id, users[1]!)).toBeNull()
  })

  test('by one user that exceed the quota together: as many succeed as fit', async () => {
    const [one, another] = [await user(), await user()]
    const wanted = [...Array.from({ length: 5 }, () => fileOf(one, 30)), fileOf(another, 100)]
    const results = await Promise.all(wanted.map((file) => files.reserve(file, LIMITS)))
    expect(results.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(4)
    expect(results.at(-1)).toEqual({ outcome: 'reserved' })
    expect(await sumsOf(one)).toEqual({ bytes: 90, files: 3 })
    const few = await user()
    const limited = { ...LIMITS, unfinishedUploads: 2 }
    const tries = await Promise.all([1, 2, 3].map(() => files.reserve(fileOf(few, 1), limited)))
    expect(tries.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(2)
    expect(await sumsOf(few)).toEqual({ bytes: 2, files: 2 })
  })

  test('with required verification succeed only for verified users', async () => {
    const [verified, unverified] = [await user(), await user()]
    await other.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [verified])
    const limits = { ...LIMITS, verifiedOnly: true }
    const tries = await Promise.all([verified, unverified].map((id) => files.reserve(fileOf(id, 10), limits)))
    expect(tries).toEqual([{ outcome: 'reserved' }, { outcome: 'rejected' }])
    expect(await sumsOf(unverified)).toEqual({ bytes: 0, files: 0 })
    expect(await files.usage(unverified, limits)).toMatchObject({ quota: 0, mustVerify: true })
  })

  test('wait for a locked user only if they belong to that user', async () => {
    const [locked, free] = [await user(), await user()]
    await other.query('BEGIN')
    await other.query('UPDATE users SET used_bytes = 80 WHERE id = $1', [locked])
    let isOver = false
    const waiting = files.reserve(fileOf(locked, 30), LIMITS).finally(() => {
      isOver = true
    })
    expect(await files.reserve(fileOf(free, 30), LIMITS)).toEqual({ outcome: 'reserved' })
    await until('a reservation waits for the lock', async () => {
      const { rows } = await other.query('SELECT 1 FROM pg_locks WHERE NOT granted')
      return rows.length > 0
    })
    expect(isOver).toBe(false)
    await other.query('COMMIT')
    expect(await waiting).toEqual({ outcome: 'rejected' })
    expect(await sumsOf(locked)).toEqual({ bytes: 0, files: 0 })
  })

  test('with an idempotency key in use get its file, and the others succeed', async () => {
    const [one, another] = [await user(), await user()]
    const first = fileOf(one, 10)
    await files.reserve(first, LIMITS)
    const again = { ...fileOf(one, 10), idempotencyKey: first.idempotencyKey }
    const [repeated, reserved] = await Promise.all([
      files.reserve(again, LIMITS),
      files.reserve(fileOf(another, 10), LIMITS),
    ])
    expect(repeated).toMatchObject({ outcome: 'known', file: { id: first.id } })
    expect(reserved).toEqual({ outcome: 'reserved' })
    expect(await sumsOf(one)).toEqual({ bytes: 10, files: 1 })
  })
})

test('simultaneous lookups of sessions and of usage run as one statement each', async () => {
  const sessions = createSessionRepo(db)
  const users = [await user(), await user()]
  const alive = users.map((userId) => ({ id: newId(), userId, expiresAt: new Date(AT.getTime() + 1) }))
  const ended = { id: newId(), userId: users[0]!, expiresAt: AT }
  for (const session of [...alive, ended])
    await sessions.create(
      {
        ...session,
        epoch: 0,
        userAgent: null,
        language: null,
        method: 'password',
        signedInAt: null,
        createdAt: AT,
        lastSeenAt: AT,
      },
      100,
    )
  const asked = [...alive, ended, { id: newId() }]
  const found = await counted(Promise.all(asked.map(({ id }) => sessions.find(id, AT))))
  expect(found.statements).toBe(1)
  expect(found.result.map((session) => session?.id)).toEqual([...users, undefined, undefined])
  const limits = { quotaBytes: 7, verifiedOnly: false, policyFiles: null }
  const used = await counted(Promise.all([...users, newId()].map((id) => files.usage(id, limits))))
  expect(used.statements).toBe(1)
  const nothing = { used: 0, reserved: 0, quota: 7, unfinishedUploads: 0, mustVerify: false }
  expect(used.result).toEqual([nothing, nothing, null])
})
