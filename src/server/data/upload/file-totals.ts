import type { FileFilter, FileTotal } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'

/**
 * Numbers and bytes of the user's ready files by type. Reads all rows of the user. Names are compared as in
 * `list-files.ts`.
 */
export async function fileTotals(
  db: Db,
  userId: string,
  { words, mimeTypes }: FileFilter,
): Promise<FileTotal[]> {
  const rows = await db.sql.rows<{ mime_type: string; files: bigint; bytes: bigint }>`
    SELECT mime_type, count(*) AS files, sum(used_bytes)::bigint AS bytes FROM files
    WHERE user_id = ${userId}::uuid AND deleted_at IS NULL AND state = 'READY'
      AND (${mimeTypes}::text[] IS NULL OR mime_type = ANY(${mimeTypes}::text[]))
      AND NOT EXISTS (
        SELECT FROM unnest(${words}::text[]) AS word
        WHERE position(lower(normalize(word)) IN lower(normalize(filename))) = 0)
    GROUP BY mime_type
    ORDER BY bytes DESC, mime_type`
  return rows.map((row) => ({ mimeType: row.mime_type, files: Number(row.files), bytes: Number(row.bytes) }))
}
