import type { Pool } from './pool.ts'
import { createSql, type Sql } from './sql.ts'

/** PostgreSQL's transaction_timeout. */
const TIMEOUT_CODE = '25P04'

/**
 * Returns a function that runs `work` as one transaction on a connection of the pool, and rolls it back if `work` fails.
 * After `timeoutMs` (default 5 s), the next statement fails instead of starting. The limit of one statement is the
 * pool's. Other waits in `work` need limits of their own, because the transaction keeps its locks meanwhile.
 */
export function createSqlTransaction(pool: Pool, nameOf: (query: { sql: string }) => string) {
  return async <T>(work: (sql: Sql) => Promise<T>, timeoutMs = 5_000): Promise<T> => {
    const client = await pool.connect()
    const endsAt = performance.now() + timeoutMs
    let isOver = false
    const query: (typeof client)['query'] = (...args: never[]) => {
      if (isOver) throw new Error('the transaction is over: await all its statements')
      if (performance.now() > endsAt)
        throw Object.assign(new Error(`the transaction took longer than ${timeoutMs} ms`), {
          code: TIMEOUT_CODE,
        })
      return client.query(...(args as unknown as [string])) as never
    }
    let broken: unknown
    try {
      await client.query('BEGIN')
      const result = await work(createSql({ query }, nameOf))
      const commit = query('COMMIT')
      isOver = true
      // PostgreSQL rolls back if a statement failed and `work` caught its error.
      if ((await commit).command !== 'COMMIT') throw new Error('a statement of the transaction failed')
      return result
    } catch (error) {
      isOver = true
      await client.query('ROLLBACK').catch((failure: unknown) => {
        broken = failure
      })
      throw error
    } finally {
      // A connection that could not roll back is closed instead of returned.
      client.release(broken instanceof Error ? broken : broken !== undefined)
    }
  }
}
