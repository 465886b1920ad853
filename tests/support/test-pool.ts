// The tests' own connections to a database. They are shared, because a new connection takes 10 ms of CPU and most
// tests create users.

import pg from 'pg'

/** The application name of connections of this process's test pools. */
export const TEST_POOL = `test pool of ${process.pid}`

const pools = new Map<string, pg.Pool>()

/** Returns the pool that all callers with this address in this process share until `endTestPool`. */
export function testPool(databaseUrl: string): pg.Pool {
  let pool = pools.get(databaseUrl)
  if (!pool) {
    pool = new pg.Pool({
      connectionString: databaseUrl,
      application_name: TEST_POOL,
      max: 5,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
    })
    // Some tests kill PostgreSQL.
    pool.on('error', () => {})
    pools.set(databaseUrl, pool)
  }
  return pool
}

export async function endTestPool(databaseUrl: string): Promise<void> {
  const pool = pools.get(databaseUrl)
  pools.delete(databaseUrl)
  await pool?.end()
}
