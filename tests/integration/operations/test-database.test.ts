import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../support/database.ts'
import { empty, schemaState } from '../../support/empty-database.ts'
import { testPool } from '../../support/test-pool.ts'

const connect = (connectionString: string) => new pg.Client({ connectionString }).connect()

test('is migrated and separate from others', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()])
  const client = new pg.Client({ connectionString: one.url })
  await client.connect()
  expect((await client.query("SELECT to_regclass('files')::text AS files")).rows).toEqual([
    { files: 'files' },
  ])
  await client.end()
  expect(one.url).not.toBe(two.url)
  await Promise.all([one.drop(), two.drop()])
})

test('names a connection that a test left open, and is removed anyway', async () => {
  const database = await createTestDatabase()
  const leak = new pg.Client({ connectionString: database.url, application_name: 'forgetful' })
  leak.on('error', () => {})
  await leak.connect()
  await leak.query('SELECT 42')
  await expect(database.drop()).rejects.toThrow(/left open.*\n- forgetful, idle, last query: SELECT 42$/)
  await expect(connect(database.url)).rejects.toThrow('does not exist')
})

test('is reused without rows and settings, and with restarted sequences', async () => {
  const one = await createTestDatabase()
  const pool = testPool(one.url)
  await pool.query(`INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'one@example.com')`)
  await pool.query(`INSERT INTO devices (id, user_id, platform, token, token_hash)
    SELECT gen_random_uuid(), id, 'ios', 't', 'h' FROM users`)
  await pool.query(`SELECT nextval('webhook_event_sequence')`)
  await pool.query('SET enable_seqscan = off')
  await one.drop()
  await expect(one.drop()).rejects.toThrow('given back before')

  const again = await createTestDatabase()
  expect(again.url).toBe(one.url)
  const tables = await testPool(again.url).query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  expect(tables.rows.length).toBeGreaterThan(20)
  const counts = tables.rows.map(({ name }) => `SELECT '${name}' AS name FROM "${name}"`)
  const filled = await testPool(again.url).query(counts.join(' UNION '))
  expect(filled.rows).toEqual([{ name: '_prisma_migrations' }])
  const left = await testPool(again.url).query(
    `SELECT nextval('webhook_event_sequence')::int AS next, current_setting('enable_seqscan') AS seqscan`,
  )
  expect(left.rows).toEqual([{ next: 1, seqscan: 'on' }])
  await again.drop()
})

test('is not reused if a test changed more than rows', async () => {
  const database = await createTestDatabase()
  const pool = testPool(database.url)
  for (const change of [
    'ALTER TABLE users ADD COLUMN more int',
    'ALTER TABLE users RENAME TO a; ALTER TABLE a RENAME TO users',
    'DROP TABLE inbox_marks',
    'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'ALTER SEQUENCE webhook_event_sequence INCREMENT 2',
    `INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'one@example.com'); ANALYZE users`,
    'UPDATE _prisma_migrations SET checksum = checksum',
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$`,
  ]) {
    const before = await schemaState(pool)
    await pool.query(change)
    expect(await schemaState(pool), change).not.toBe(before)
    expect(await empty(pool, before), change).toBe(false)
  }

  const state = await schemaState(pool)
  expect(await empty(pool, state)).toBe(true)
  await pool.query('BEGIN')
  expect(await empty(pool, state)).toBe(false)
  await pool.query('ROLLBACK')
  await pool.query(
    `INSERT INTO users (id, email) SELECT gen_random_uuid(), n FROM generate_series(1, 40000) AS n`,
  )
  expect(await empty(pool, state)).toBe(false)

  await database.drop()
  await expect(connect(database.url)).rejects.toThrow('does not exist')
})
