import type { Db } from '../db.ts'

/**
 * Returns which of these final keys belong to a ready file, an unfinished upload, or one that the sweeper will clean up
 * within a day. Objects under any other key are orphans.
 */
export async function keysInUse(db: Db, keys: string[]): Promise<Set<string>> {
  const files = await db.sql.rows<'keysInUse'>`
    SELECT key FROM files WHERE key = ANY(${keys}::text[]) AND (
      (state = 'READY' AND deleted_at IS NULL) OR state IN ('PENDING', 'UPLOADING') OR reserved_bytes > 0
      OR cleanup_after <= now() + interval '1 day')`
  return new Set(files.map(({ key }) => key))
}
