import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, type Db } from '../../../src/server/data/postgres/db.ts'
import { type Sql, sqlIn } from '../../../src/server/data/postgres/sql.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

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

/** In the hour that Europe's clocks skip, with a fraction. */
const AT = new Date('2026-03-29T01:30:00.123Z')

async function everyType(sql: Sql) {
  const tricky = `quotes ' " \\ $1 {a,b} ü 🕊`
  const [row] = await sql.rows<Record<string, unknown>>`
    SELECT ${tricky} AS text, ${[tricky, 'b']}::text[] AS texts, ${2 ** 52 + 1}::bigint AS big, ${7}::int AS small,
      ${[1, 2]}::int[] AS numbers, ${true}::bool AS yes, ${null}::text AS nothing, ${AT}::timestamptz AS at,
      ${[AT, null]}::timestamptz[] = ARRAY[${AT}::timestamptz, NULL] AS same, count(*) AS count,
      ${JSON.stringify({ a: [1] })}::jsonb AS json, ${'ios'}::platform AS platform`
  return row
}

test('statements read and write the same values with and without a transaction', async () => {
  const alone = await everyType(db.sql)
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

test('a value is never part of the statement', async () => {
  const name = "x'); DELETE FROM users; --"
  const written = await db.sql.run`
    INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), ${'a@example.com'}, ${name})`
  expect(written).toBe(1)
  expect(await db.sql.rows`SELECT name FROM users`).toEqual([{ name }])
})

test('close() ends the connections, also when only statements were run', async () => {
  const one = createDb(database.url, 1)
  const [row] = await one.sql.rows<{ pid: number }>`SELECT pg_backend_pid() AS pid`
  await one.close()
  await expect
    .poll(() => db.sql.rows`SELECT 1 FROM pg_stat_activity WHERE pid = ${row!.pid}::int`)
    .toEqual([])
})
