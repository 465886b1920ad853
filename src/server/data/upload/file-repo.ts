import type { UploadRepo } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'
import { cleanup } from './cleanup.ts'
import { type FileRow, fileRecord, fileRecordOfRow } from './file-record.ts'
import { leases } from './leases.ts'
import { parts } from './parts.ts'
import { quota } from './quota.ts'
import { transitions } from './transitions.ts'

/**
 * Files in PostgreSQL. `users.reserved_bytes`, `used_bytes` and `open_uploads` always equal the sums over the user's files:
 * both sides change in one statement, by the same amount, and nowhere else.
 */
export function createFileRepo(db: Db): UploadRepo {
  return {
    ...quota(db),
    ...leases(db),
    ...transitions(db),
    ...parts(db),
    ...cleanup(db),

    async find(id, userId, withDeleted = false) {
      const file = await db.file.findUnique({ where: { id, userId } })
      return file && (withDeleted || file.deletedAt === null) ? fileRecord(file) : null
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

    async list(userId, { before, endedAfter, limit }) {
      const files = await db.file.findMany({
        where: {
          userId,
          deletedAt: null,
          ...(before && { id: { lt: before } }),
          OR: [{ endedAt: null }, { endedAt: { gt: endedAfter } }],
        },
        orderBy: { id: 'desc' },
        take: limit,
      })
      return files.map(fileRecord)
    },
  }
}
