import type { Db } from '../db.ts'
import type { Row } from '../sql.ts'

/** A file whose cleanup in the store has failed since `failingSince`. */
export type CleanupFailure = Row<'listCleanupFailures'>

/** Returns how many files the sweeper fails to clean up, and the quota that they hold. */
export async function countCleanupFailures({
  sql,
}: Pick<Db, 'sql'>): Promise<{ files: number; bytes: number }> {
  const [row] = await sql.rows<'countCleanupFailures'>`
    SELECT count(*)::int AS files, COALESCE(sum(reserved_bytes), 0)::float8 AS bytes
    FROM files WHERE cleanup_failing_since IS NOT NULL`
  return row!
}

/** Returns the files whose cleanup has failed longest. */
export async function listCleanupFailures({ sql }: Pick<Db, 'sql'>, limit: number) {
  return sql.rows<'listCleanupFailures'>`
    SELECT id, user_id AS "userId", state, reserved_bytes AS reserved, cleanup_failing_since AS "failingSince"
    FROM files WHERE cleanup_failing_since IS NOT NULL ORDER BY cleanup_failing_since LIMIT ${limit}::int`
}
