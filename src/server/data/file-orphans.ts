import type { Db } from './postgres/db.ts'

/**
 * Which of these final keys some row stands for: ready, unfinished, or still to be cleaned up by the sweeper.
 * What is not among them is in the store without a row.
 */
export async function keysWithRow(db: Db, keys: string[]): Promise<Set<string>> {
  const rows = await db.sql.rows<{ key: string }>`
    SELECT key FROM files WHERE key = ANY(${keys}::text[])
      AND ((state = 'READY' AND deleted_at IS NULL) OR state IN ('PENDING', 'UPLOADING')
        OR reserved_bytes > 0 OR cleanup_after <= now() + interval '1 day')`
  return new Set(rows.map((row) => row.key))
}
