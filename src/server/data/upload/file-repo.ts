import type { UploadRepo } from '../../upload/ports.ts'
import { createBatch } from '../postgres/batch.ts'
import type { Db } from '../postgres/db.ts'
import { cleanup } from './cleanup.ts'
import { type FileRow, fileRecordOfRow } from './file-record.ts'
import { fileTotals } from './file-totals.ts'
import { leases } from './leases.ts'
import { listFiles } from './list-files.ts'
import { parts } from './parts.ts'
import { quota } from './quota.ts'
import { thumbnails } from './thumbnails.ts'
import { transitions } from './transitions.ts'

/**
 * Files in PostgreSQL. `users.reserved_bytes`, `used_bytes` and `open_uploads` always equal the sums over the user's files:
 * both sides change in one statement, by the same amount, and nowhere else.
 */
export function createFileRepo(db: Db): UploadRepo {
  const findById = createBatch(async (ids: string[]) => {
    const rows = await db.sql.rows<FileRow>`
      SELECT id, user_id, filename, mime_type, size_bytes, key, state, upload_id, total_parts, part_size, etag,
        reject_reason, reserved_bytes, used_bytes, thumbnail_bytes, url_expires_at, expires_at, deleted_at, ended_at, created_at
      FROM files WHERE id = ANY (${ids}::uuid[])`
    const found = new Map(rows.map((row) => [row.id, fileRecordOfRow(row)]))
    return ids.map((id) => found.get(id))
  })

  return {
    ...quota(db),
    ...leases(db),
    ...transitions(db),
    ...parts(db),
    ...thumbnails(db),
    ...cleanup(db),

    async find(id, userId, withDeleted = false) {
      const file = await findById(id)
      return file?.userId === userId && (withDeleted || file.deletedAt === null) ? file : null
    },

    async findAll(ids) {
      const rows = await db.sql.rows<FileRow>`SELECT * FROM files WHERE id = ANY(${ids}::uuid[])`
      return rows.map(fileRecordOfRow)
    },

    async rename(id, userId, filename) {
      const renamed = await db.sql.run`
        UPDATE files SET filename = ${filename}
        WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND deleted_at IS NULL`
      return renamed === 1
    },

    list: (userId, page) => listFiles(db, userId, page),
    totals: (userId, filter) => fileTotals(db, userId, filter),
  }
}
