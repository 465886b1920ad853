import pg from 'pg'
import { createSql, type Sql } from '../../src/server/adapters/postgres/sql.ts'

/** Writes arrays as PostgreSQL does. */
const textOf = (value: unknown): string => (Array.isArray(value) ? `{${value.join()}}` : String(value))

/**
 * Returns SQL whose statements are only explained, with plans for all values (`force_generic_plan`) or for the given ones
 * (`force_custom_plan`). `client` is in a transaction. `plans` has the plan of each statement.
 */
export async function explainer(client: pg.PoolClient, mode: string): Promise<{ sql: Sql; plans: string[] }> {
  await client.query(`SET LOCAL plan_cache_mode = ${mode}; SET LOCAL enable_seqscan = off`)
  const plans: string[] = []
  const sql = createSql({
    async query({ text, values = [] }) {
      await client.query('DEALLOCATE ALL')
      await client.query(`PREPARE one AS ${text}`)
      const literals = values.map((value) => (value == null ? 'NULL' : pg.escapeLiteral(textOf(value))))
      const plan = await client.query(`EXPLAIN EXECUTE one ${literals.length === 0 ? '' : `(${literals})`}`)
      plans.push(plan.rows.map((row) => row['QUERY PLAN']).join('\n'))
      return { ...plan, rows: [] }
    },
  })
  return { sql, plans }
}
