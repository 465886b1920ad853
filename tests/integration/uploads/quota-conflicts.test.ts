import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { retryConflicts } from '../../../src/server/adapters/postgres/errors.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let db: Db
let other: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  db = createDb(database.url, 1)
  other = new pg.Client(database.url)
  await other.connect()
  // PostgreSQL ends the statement that detects the deadlock. These timeouts let our statement detect it, but only
  // after both have had time to lock.
  const { pathname } = new URL(database.url)
  await other.query(`ALTER DATABASE ${pathname.slice(1)} SET deadlock_timeout = '3s'`)
  await other.query(`SET deadlock_timeout = '1h'`)
})
afterAll(async () => {
  await other.end()
  await db.close()
  await database.drop()
})

test('a statement that a deadlock ended is retried and succeeds', async () => {
  const [a, b] = [randomUUID(), randomUUID()]
  await other.query(`INSERT INTO users (id, email) VALUES ($1, 'a'), ($2, 'b')`, [a, b])
  await other.query('BEGIN')
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
  // Other databases can also have statements that wait for locks.
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await expect
    .poll(async () => {
      // Without this, the transaction keeps its first snapshot.
      await other.query('SELECT pg_stat_clear_snapshot()')
      return (await other.query(waiting)).rows.length
    })
    .toBeGreaterThan(0)
  // The other connection holds a and now waits for b.
  await other.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [b])
  await other.query('COMMIT')
  expect((await ours).rowCount).toBe(1)
  expect(runs).toBe(2)
  expect((await other.query('SELECT name FROM users WHERE id = $1', [a])).rows).toEqual([{ name: 'changed' }])
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
