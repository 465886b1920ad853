import { expect, test } from 'vitest'
import { createPool, LONG, SHORT } from '../../../src/server/adapters/postgres/pool.ts'
import { createTestDatabase } from '../../support/database.ts'

test.each([
  { limits: SHORT, statement: '4500ms' },
  { limits: LONG, statement: '59500ms' },
])('PostgreSQL ends a statement after $statement, and an idle transaction after 15 s', async (expected) => {
  const database = await createTestDatabase()
  const pool = createPool(database.url, 1, expected.limits)
  const { rows } = await pool.query(
    "SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle",
  )
  await pool.close()
  await database.drop()
  expect(rows).toEqual([{ statement: expected.statement, idle: '15s' }])
})
