import pg from 'pg'
import { createSql, type Sql } from '../../src/server/adapters/postgres/sql.ts'

/** Writes arrays and times as PostgreSQL does. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.join()}}`
  return value instanceof Date ? value.toISOString() : String(value)
}

/**
 * Returns SQL like `Db.planned` whose statements are only explained, with plans for their values. `client` is in a
 * transaction. `plans` has the plan of each statement.
 */
export async function explainer(client: pg.PoolClient): Promise<{ planned: Sql; plans: string[] }> {
  // Tables of tests are so small that PostgreSQL would read and sort them as a whole.
  await client.query(
    'SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off',
  )
  const plans: string[] = []
  const planned = createSql({
    async query({ text, values = [] }) {
      await client.query('DEALLOCATE ALL')
      await client.query(`PREPARE one AS ${text}`)
      const literals = values.map((value) => (value == null ? 'NULL' : pg.escapeLiteral(textOf(value))))
      const plan = await client.query(`EXPLAIN EXECUTE one ${literals.length === 0 ? '' : `(${literals})`}`)
      plans.push(plan.rows.map((row) => row['QUERY PLAN']).join('\n'))
      return { ...plan, rows: [] }
    },
  })
  return { planned, plans }
}
