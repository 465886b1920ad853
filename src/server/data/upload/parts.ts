import type { UploadRepo } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'

export function parts(db: Db): Pick<UploadRepo, 'recordPart' | 'recordedParts'> {
  return {
    /** One statement checks, writes and answers, since it runs once per part: up to 1,024 times per file. */
    async recordPart(id, userId, partNumber, etag) {
      const [row] = await db.sql.rows<{ numbers: number[] }>`
        WITH file AS (
          SELECT id FROM files
          WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND state = 'UPLOADING'
            AND deleted_at IS NULL AND total_parts >= ${partNumber}::int
        ), recorded AS (
          INSERT INTO file_parts (file_id, part_number, etag)
          SELECT id, ${partNumber}::int, ${etag} FROM file
          ON CONFLICT (file_id, part_number) DO UPDATE SET etag = EXCLUDED.etag
          RETURNING part_number
        )
        SELECT ARRAY(
          SELECT part_number FROM file_parts WHERE file_id = file.id
          UNION SELECT part_number FROM recorded ORDER BY 1
        ) AS numbers
        FROM file`
      return row ? row.numbers : null
    },

    async recordedParts(id) {
      const rows = await db.filePart.findMany({
        where: { fileId: id },
        select: { partNumber: true, etag: true },
        orderBy: { partNumber: 'asc' },
      })
      return new Map(rows.map((row) => [row.partNumber, row.etag]))
    },
  }
}
