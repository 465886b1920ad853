import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { createPool, LONG, SHORT } from '../../src/server/adapters/postgres/pool.ts'
import { createTestDatabase } from '../support/database.ts'

/** Connections that PgBouncer opens to a database (`default_pool_size`). */
const SERVER_CONNECTIONS = 20

test('a pool leaves no time limits on the server connections that PgBouncer lends to others', async () => {
  const database = await createTestDatabase()
  const pools = [createPool(database.url, SERVER_CONNECTIONS, SHORT), createPool(database.url, 5, LONG)]
  for (const pool of pools) {
    const inTransactions = await Promise.all(
      Array.from({ length: pool.options.max }, async () => {
        const client = await pool.connect()
        await client.query('SELECT pg_sleep(0.05)')
        client.release()
      }),
    )
    expect(inTransactions).toHaveLength(pool.options.max)
  }
  // Use all server connections at once: each transaction holds one.
  const others = await Promise.all(
    Array.from({ length: SERVER_CONNECTIONS }, async () => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query('BEGIN')
      const { rows } = await client.query(
        "SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle",
      )
      return { client, ...rows[0] }
    }),
  )
  for (const { client } of others) await client.query('COMMIT')
  await Promise.all(others.map(({ client }) => client.end()))
  await Promise.all(pools.map((pool) => pool.close()))
  await database.drop()
  expect(new Set(others.map(({ pid }) => pid)).size).toBe(SERVER_CONNECTIONS)
  expect(new Set(others.map(({ statement, idle }) => `${statement} ${idle}`))).toEqual(new Set(['0 0']))
})

test('a limit of the role applies through PgBouncer', async () => {
  const database = await createTestDatabase()
  // Connect without PgBouncer, because its open server connections keep their settings.
  const admin = new pg.Client({ connectionString: inject('postgresAdminUrl') })
  await admin.connect()
  const name = new URL(database.url).pathname.slice(1)
  await admin.query(`ALTER ROLE postgres IN DATABASE ${name} SET statement_timeout = '59500ms'`)
  await admin.end()
  const pool = createPool(database.url, 1, SHORT)
  const { rows } = await pool.query("SELECT current_setting('statement_timeout') AS limit")
  await pool.close()
  await database.drop()
  expect(rows).toEqual([{ limit: '59500ms' }])
})
