import type pg from 'pg'

/** Returns how many locks on the table are waited for. `pg_locks` lists those of all databases of the server. */
export async function waitingLocks(db: Pick<pg.Pool, 'query'>, table: string): Promise<number> {
  const { rows } = await db.query(
    `SELECT count(*)::int AS n FROM pg_locks
     WHERE relation = $1::regclass AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [table],
  )
  return rows[0].n
}
