import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { closeAccount } from '../../../src/server/adapters/postgres/accounts/close-account.ts'
import { takeEmail } from '../../../src/server/adapters/postgres/accounts/take-email.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { retryConflicts } from '../../../src/server/adapters/postgres/errors.ts'
import { createShareRepo } from '../../../src/server/adapters/postgres/shares/share-repo.ts'
import { createFileRepo } from '../../../src/server/adapters/postgres/uploads/file-repo.ts'
import type { NewFile } from '../../../src/server/domain/uploads/upload-repo.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { testPool } from '../../support/test-pool.ts'

let database: TestDatabase
let db: Db
let other: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  // PostgreSQL ends the statement that detects the deadlock. This timeout gives both sides time to lock. Connections
  // use it only if they open later, also those of PgBouncer.
  const { pathname } = new URL(database.url)
  const admin = testPool(inject('postgresAdminUrl'))
  await admin.query(`ALTER DATABASE ${pathname.slice(1)} SET deadlock_timeout = '3s'`)
  db = createDb(database.url, 1)
  other = new pg.Client(database.url)
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await db.close()
  await database.drop()
})

/**
 * Begins a transaction on `other` that PostgreSQL does not choose to end a deadlock. The setting ends with it: PgBouncer
 * lends the connection to others afterwards.
 */
const begin = () => other.query(`BEGIN; SET LOCAL deadlock_timeout = '10min'`)

/**
 * Runs a statement on `other` once another connection to this database waits for a lock. That one looks for a deadlock
 * only once, after 3 s, so this one must start to wait at once, however slow this process is.
 */
const onceOneWaits = (statement: string) =>
  other.query(`DO $$ BEGIN
    WHILE NOT EXISTS (
      SELECT FROM pg_locks waiting JOIN pg_locks held USING (pid) JOIN pg_database d ON d.oid = held.database
      WHERE NOT waiting.granted AND d.datname = current_database()
    ) LOOP
      PERFORM pg_sleep(0.01);
    END LOOP;
    ${statement};
  END $$`)

test('a statement that a deadlock ended is retried and succeeds', async () => {
  const [a, b] = [randomUUID(), randomUUID()]
  await other.query(`INSERT INTO users (id, email) VALUES ($1, 'a'), ($2, 'b')`, [a, b])
  await begin()
  await other.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [a])
  // This statement locks b, then waits for a.
  let runs = 0
  const ours = retryConflicts(() => {
    runs++
    return db.pool.query(
      `WITH first AS MATERIALIZED (SELECT id FROM users WHERE id = $1 FOR UPDATE)
      UPDATE users SET name = 'changed' FROM first WHERE users.id = $2`,
      [b, a],
    )
  })
  // The other connection holds a and now waits for b.
  await onceOneWaits(`PERFORM 1 FROM users WHERE id = '${b}' FOR UPDATE`)
  await other.query('COMMIT')
  expect((await ours).rowCount).toBe(1)
  expect(runs).toBeGreaterThan(1)
  expect((await other.query('SELECT name FROM users WHERE id = $1', [a])).rows).toEqual([{ name: 'changed' }])
})

test('db.repeatable repeats a transaction that a deadlock ended, which succeeds', async () => {
  const [a, b] = [randomUUID(), randomUUID()]
  await other.query(`INSERT INTO users (id, email) VALUES ($1, 'c'), ($2, 'd')`, [a, b])
  await begin()
  await other.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [a])
  // This transaction locks b, then waits for a.
  let runs = 0
  const ours = db.repeatable(async (tx) => {
    runs++
    await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${b}::uuid FOR UPDATE`
    return tx.$executeRaw`UPDATE users SET name = 'changed' WHERE id = ${a}::uuid`
  })
  // The other connection holds a and now waits for b.
  await onceOneWaits(`PERFORM 1 FROM users WHERE id = '${b}' FOR UPDATE`)
  await other.query('COMMIT')
  expect(await ours).toBe(1)
  expect(runs).toBeGreaterThan(1)
})

test('db.repeatable repeats a transaction after a serialization failure, with the values of the others', async () => {
  const id = randomUUID()
  await other.query(`INSERT INTO users (id, email, name) VALUES ($1, $2, '0')`, [id, `${id}@a`])
  let runs = 0
  await db.repeatable(async (tx) => {
    await tx.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
    const { name } = await tx.user.findUniqueOrThrow({ where: { id } })
    // Changes the row after this transaction has read it.
    if (runs++ === 0) await other.query(`UPDATE users SET name = 'theirs' WHERE id = $1`, [id])
    await tx.user.update({ where: { id }, data: { name: `${name}, ours` } })
  })
  expect(runs).toBe(2)
  const { rows } = await other.query('SELECT name FROM users WHERE id = $1', [id])
  expect(rows).toEqual([{ name: 'theirs, ours' }])
})

// A user's email is locked before the devices, and the devices before the user. The other connection holds the earlier
// lock, and takes the later one while our transaction waits.
const LOCKS = {
  email: (id: string) => `PERFORM pg_advisory_xact_lock(hashtextextended('email:${id}@a', 0))`,
  devices: (id: string) => `PERFORM pg_advisory_xact_lock(hashtextextended('devices:${id}', 0))`,
  user: (id: string) => `PERFORM 1 FROM users WHERE id = '${id}' FOR UPDATE`,
}
test.each([
  ['takeEmail', 'email', 'devices'],
  ['takeEmail', 'devices', 'user'],
  ['closeAccount', 'devices', 'user'],
] as const)('%s waits for the lock on the %s before it locks the %s', async (name, first, second) => {
  const id = newId()
  await other.query(`INSERT INTO users (id, claimed_email) VALUES ($1, $2)`, [id, `${id}@a`])
  await begin()
  await other.query(`DO $$ BEGIN ${LOCKS[first](id)}; END $$`)
  const by = { actor: null, address: null, at: new Date() }
  // Without repetitions, so that a deadlock is an error.
  const ours = db.transaction(async (tx, sql) => {
    if (name === 'takeEmail') await takeEmail(tx, sql, id, by.at)
    else await closeAccount(tx, sql, id, by)
  }, 30_000)
  const ended = ours.then(
    () => 'done',
    (error: unknown) => error,
  )
  await onceOneWaits(LOCKS[second](id))
  await other.query('COMMIT')
  expect(await ended).toBe('done')
})

test('a reservation succeeds although a migration deadlocks with it', async () => {
  const userId = newId()
  await other.query('INSERT INTO users (id, email) VALUES ($1, $2)', [userId, `${userId}@example.com`])
  await begin()
  await other.query('LOCK TABLE files IN ACCESS EXCLUSIVE MODE')
  const at = new Date()
  const file: NewFile = {
    ...{ id: newId(), userId, filename: 'a.png', mimeType: 'image/png', size: 10, key: `files/${newId()}` },
    ...{ totalParts: null, partSize: null, urlExpiresAt: at, expiresAt: at, createdAt: at },
    ...{ state: 'PENDING', visibility: 'private', policy: null, data: null, idempotencyKey: null },
  }
  const limits = { quotaBytes: 100, unfinishedUploads: 10, verifiedOnly: false, policyFiles: null }
  // Holds the lock on users, and waits for files.
  const reservation = createFileRepo(db).reserve(file, limits)
  await onceOneWaits('LOCK TABLE users IN ACCESS EXCLUSIVE MODE')
  await other.query('COMMIT')
  expect(await reservation).toEqual({ outcome: 'reserved' })
})

test('a shared link is created and counted once although another change of its file deadlocks with it', async () => {
  const [userId, fileId] = [newId(), newId()]
  await other.query('INSERT INTO users (id, email, used_bytes) VALUES ($1, $2, 1)', [userId, `${userId}@a`])
  await other.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, used_bytes, key, state, ready_at)
     VALUES ($1, $2, 'a.png', 'image/png', 1, 1, $3, 'READY', now())`,
    [fileId, userId, `files/${fileId}`],
  )
  await begin()
  // As do all statements that change a file and its owner's quota.
  await other.query('SELECT 1 FROM files WHERE id = $1 FOR UPDATE', [fileId])
  const createdAt = new Date()
  const share = { id: newId(), hash: newId(), fileId, userId, epoch: 0, passwordHash: null, createdAt }
  let counted = 0
  const onNew = async () => void counted++
  const created = createShareRepo(db).create(
    { ...share, expiresAt: new Date(createdAt.getTime() + 60_000) },
    { maxOfFile: 1, maxOfUser: 1, address: 'test', onNew },
  )
  await onceOneWaits(`PERFORM 1 FROM users WHERE id = '${userId}' FOR UPDATE`)
  await other.query('COMMIT')
  expect(await created).toBe('created')
  expect(counted).toBe(1)
})

test('other errors are not retried', async () => {
  let runs = 0
  await expect(
    retryConflicts(() => {
      runs++
      return db.pool.query('SELECT 1 / 0')
    }),
  ).rejects.toThrow(/division by zero/)
  expect(runs).toBe(1)
})
