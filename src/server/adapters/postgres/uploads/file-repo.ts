import type { UploadRepo } from '../../../domain/uploads/upload-repo.ts'
import { createBatch } from '../batch.ts'
import type { Db } from '../db.ts'
import { cleanup } from './cleanup.ts'
import { fileList } from './file-list.ts'
import { fileMoves } from './file-moves.ts'
import { fileRecord } from './file-record.ts'
import { heldFiles } from './held-files.ts'
import { quota } from './quota.ts'
import { transitions } from './transitions.ts'
import { trash } from './trash.ts'

/**
 * Files in PostgreSQL. `users.reserved_bytes`, `used_bytes` and `open_uploads` always equal the sums over the user's files:
 * one statement changes both sides by the same amount, and nothing else changes them.
 */
export function createFileRepo(db: Db): UploadRepo {
  const findById = createBatch(async (ids: string[]) => {
    const rows = await db.sql.rows<'findFiles'>`
      SELECT id, user_id, filename, original_filename, mime_type, size_bytes, key, state, upload_id, total_parts, part_size, etag,
        reject_reason, reserved_bytes, used_bytes, thumbnail_bytes, url_expires_at, expires_at, deleted_at, ended_at, created_at,
        policy, data, visibility, trash_expires_at, trash_visibility
      FROM files WHERE id = ANY (${ids}::uuid[])`
    const found = new Map(rows.map((row) => [row.id, fileRecord(row)]))
    return ids.map((id) => found.get(id))
  })

  return {
    ...quota(db),
    ...transitions(db),
    ...fileList(db),
    ...cleanup(db),
    ...heldFiles(db),
    ...fileMoves(db),
    ...trash(db),

    async find(id, userId, withDeleted = false) {
      const file = await findById(id)
      return file?.userId === userId && (withDeleted || file.deletedAt === null) ? file : null
    },

    async findAll(ids) {
      const files = await Promise.all(ids.map(findById))
      return files.filter((file) => file !== undefined)
    },

    rename: (id, userId, filename) => db.sql.wrote<'renameFile'>`
      UPDATE files SET filename = ${filename}, original_filename = COALESCE(original_filename, filename)
      WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND deleted_at IS NULL`,

    // Leases expire by the database's clock, which all replicas share.
    async acquire(id, userId, lease, state) {
      const [row] = await db.sql.rows<'acquireLease'>`
        UPDATE files SET lease_id = ${lease.id}::uuid,
          leased_until = now() + ${lease.ms}::int * interval '1 millisecond'
        WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND state = ${state}::file_state
          AND deleted_at IS NULL AND (leased_until IS NULL OR leased_until < now())
        RETURNING *`
      return row ? fileRecord(row) : null
    },

    renew: (id, lease) => db.sql.wrote<'renewLease'>`
      UPDATE files SET leased_until = now() + ${lease.ms}::int * interval '1 millisecond'
      WHERE id = ${id}::uuid AND lease_id = ${lease.id}::uuid`,

    release: (id, leaseId) => db.sql.wrote<'releaseLease'>`
      UPDATE files SET lease_id = NULL, leased_until = NULL
      WHERE id = ${id}::uuid AND lease_id = ${leaseId}::uuid`,

    /** One statement checks, writes and returns, because this runs for each part: up to 1,024 times per file. */
    async recordPart(id, userId, partNumber, etag) {
      const [row] = await db.sql.rows<'recordPart'>`
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
      return row?.numbers ?? null
    },

    async recordedParts(id) {
      const rows = await db.sql.rows<'recordedParts'>`
        SELECT part_number AS number, etag FROM file_parts WHERE file_id = ${id}::uuid ORDER BY part_number`
      return new Map(rows.map(({ number, etag }) => [number, etag]))
    },

    // `markDeleted` and `markAllDeleted` remove thumbnails.
    addThumbnail: (id, userId, webp, defaultQuota) => db.retrying.wrote<'addThumbnail'>`
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

    async thumbnail(id, userId) {
      const [row] = await db.sql.rows<'readThumbnail'>`
        SELECT webp FROM file_thumbnails JOIN files ON files.id = file_id
        WHERE file_id = ${id}::uuid AND user_id = ${userId}::uuid AND deleted_at IS NULL`
      return row?.webp ?? null
    },
  }
}
