import type { UploadRepo } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'
import { retryConflicts } from '../postgres/retry-conflicts.ts'

/** Thumbnails and their bytes in the quota. `markDeleted` and `markAllDeleted` remove them. */
export function thumbnails(db: Db): Pick<UploadRepo, 'addThumbnail' | 'thumbnail'> {
  return {
    async addThumbnail(id, userId, webp, defaultQuota) {
      const added = await retryConflicts(
        () => db.sql.run`
        WITH file AS (
          SELECT id, user_id FROM files
          WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND state = 'READY' AND deleted_at IS NULL
            AND thumbnail_bytes = 0
          FOR UPDATE
        ), charged AS (
          UPDATE users SET used_bytes = users.used_bytes + ${webp.length}::int
          FROM file WHERE users.id = file.user_id AND users.used_bytes + users.reserved_bytes + ${webp.length}::int
            <= COALESCE(users.quota_bytes, ${defaultQuota}::bigint)
          RETURNING users.id
        ), counted AS (
          UPDATE files SET thumbnail_bytes = ${webp.length}::int, used_bytes = files.used_bytes + ${webp.length}::int
          FROM file, charged WHERE files.id = file.id
          RETURNING files.id
        )
        INSERT INTO file_thumbnails (file_id, webp) SELECT id, ${webp}::bytea FROM counted`,
      )
      return added === 1
    },

    async thumbnail(id, userId) {
      const [row] = await db.sql.rows<{ webp: Buffer<ArrayBuffer> }>`
        SELECT webp FROM file_thumbnails JOIN files ON files.id = file_id
        WHERE file_id = ${id}::uuid AND user_id = ${userId}::uuid AND deleted_at IS NULL`
      return row?.webp ?? null
    },
  }
}
