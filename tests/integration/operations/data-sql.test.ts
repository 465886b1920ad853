import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { isDatabaseUnavailable } from '../../../src/server/adapters/postgres/errors.ts'
import { createSql, type Sql, sqlIn } from '../../../src/server/adapters/postgres/sql.ts'
import { createTestDatabase, isPooled, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  db = createDb(database.url, 2)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/** A time with a fraction, in the hour that European clocks skip. */
const AT = new Date('2026-03-29T01:30:00.123Z')

/** Leaves statements unnamed, because Prisma names its statements on the same connections. */
const UNNAMED = () => ''

type Own = {
  everyType: { params: unknown[]; row: unknown }
  add: { params: [string, string]; row: never }
  ownProcess: { params: []; row: { pid: number } }
  divide: { params: []; row: never }
}
/** The statements of these tests are not among those of the service. */
const own = (sql: Sql) => sql as unknown as Sql<Own>

async function everyType(sql: Sql<Own>) {
  const tricky = `quotes ' " \\ $1 {a,b} ü 🕊`
  const [row] = await sql.rows<'everyType'>`
    SELECT ${tricky} AS text, ${[tricky, 'b']}::text[] AS texts, ${2 ** 52 + 1}::bigint AS big, ${7}::int AS small,
      ${[1, 2]}::int[] AS numbers, ${true}::bool AS yes, ${null}::text AS nothing, ${AT}::timestamptz AS at,
      ${[AT, null]}::timestamptz[] = ARRAY[${AT}::timestamptz, NULL] AS same, count(*) AS count,
      ${JSON.stringify({ a: [1] })}::jsonb AS json, ${'ios'}::platform AS platform`
  return row
}

test('statements read and write the same values with and without a transaction', async () => {
  const alone = await everyType(createSql<Own>(db.pool, UNNAMED))
  expect(alone).toMatchObject({
    big: 2n ** 52n + 1n,
    small: 7,
    at: AT,
    same: true,
    count: 1n,
    json: { a: [1] },
  })
  expect(await db.$transaction((tx) => everyType(sqlIn(tx)))).toEqual(alone)
})

const insert = (sql: Sql, email: string) => own(sql).run<'add'>`
  INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), ${email}, ${'Ada'})`
const emails = async () =>
  (await db.pool.query('SELECT email FROM users ORDER BY email')).rows.map((r) => r.email)

test('an SQL transaction is written as a whole or not at all, and returns its connection', async () => {
  const one = createDb(database.url, 1)
  const both = (last: string) =>
    one.sqlTransaction(async (sql) => {
      await insert(sql, `${last}-first@example.com`)
      // Others do not see it yet.
      expect(await emails()).not.toContain(`${last}-first@example.com`)
      return insert(sql, last)
    })
  await db.pool.query("INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'taken@example.com')")
  await expect(both('taken@example.com')).rejects.toMatchObject({ code: '23505' })
  expect(await emails()).toEqual(['taken@example.com'])
  expect(await both('new@example.com')).toBe(1)
  expect(await emails()).toEqual([
    'new@example.com',
    'new@example.com-first@example.com',
    'taken@example.com',
  ])
  await one.close()
  await db.pool.query('DELETE FROM users')
})

test('an SQL transaction whose connection is lost fails, and the next one gets another connection', async () => {
  const one = createDb(database.url, 1)
  const lost = one.sqlTransaction(async (sql) => {
    await insert(sql, 'lost@example.com')
    const found = await own(sql).row<'ownProcess'>`SELECT pg_backend_pid() AS pid`
    await db.pool.query('SELECT pg_terminate_backend($1)', [found!.pid])
    await insert(sql, 'never@example.com')
  })
  expect(isDatabaseUnavailable(await lost.catch((reason: unknown) => reason))).toBe(true)
  expect(await one.sqlTransaction((sql) => insert(sql, 'next@example.com'))).toBe(1)
  expect(await emails()).toEqual(['next@example.com'])
  await one.close()
  await db.pool.query('DELETE FROM users')
})

test('an SQL transaction fails if a statement failed unnoticed, and runs no statement after its end', async () => {
  const failed = db.sqlTransaction(async (sql) => {
    await insert(sql, 'first@example.com')
    await own(sql).rows<'divide'>`SELECT 1 / 0`.catch(() => {})
  })
  await expect(failed).rejects.toThrow('a statement of the transaction failed')
  const ended = await db.sqlTransaction(async (sql) => sql)
  await expect(insert(ended, 'late@example.com')).rejects.toThrow('the transaction is over')
  expect(await emails()).toEqual([])
})

test('an SQL transaction that takes too long starts no other statement, and counts as an unavailable database', async () => {
  const late = db.sqlTransaction(async (sql) => {
    await insert(sql, 'late@example.com')
    await db.pool.query('SELECT pg_sleep(0.1)')
    await insert(sql, 'later@example.com')
  }, 50)
  const error = await late.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ message: 'the transaction took longer than 50 ms' })
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(await emails()).toEqual([])
})

test('a value is never part of the statement', async () => {
  const name = "x'); DELETE FROM users; --"
  const written = await createSql<Own>(db.pool, UNNAMED).run<'add'>`
    INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), ${'a@example.com'}, ${name})`
  expect(written).toBe(1)
  expect((await db.pool.query('SELECT name FROM users')).rows).toEqual([{ name }])
})

test.skipIf(isPooled())('PostgreSQL keeps plans of statements, but none of planned ones', async () => {
  const one = createDb(database.url, 1)
  const kept = async () => (await one.pool.query('SELECT statement FROM pg_prepared_statements')).rows.length
  await one.planned.rows<'databaseTime'>`SELECT clock_timestamp() AS now`
  expect(await kept()).toBe(0)
  await one.sql.rows<'databaseTime'>`SELECT clock_timestamp() AS now`
  expect(await kept()).toBe(1)
  await one.close()
})

test.skipIf(isPooled())('close() ends the connections, even if only statements were run', async () => {
  const one = createDb(database.url, 1)
  await one.sql.rows<'databaseTime'>`SELECT now()`
  const { rows } = await one.pool.query('SELECT pg_backend_pid() AS pid')
  await one.close()
  await expect
    .poll(
      async () => (await db.pool.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [rows[0].pid])).rows,
    )
    .toEqual([])
})
