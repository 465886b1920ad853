import type { UploadRepo } from '../upload/ports.ts'
import { endings } from './file-endings.ts'
import { leases } from './file-leases.ts'
import { parts } from './file-parts.ts'
import { quota } from './file-quota.ts'
import { fromModel } from './file-rows.ts'
import { sweeping } from './file-sweeping.ts'
import type { Db } from './postgres/db.ts'

/**
 * Files in PostgreSQL. The law: `users.reserved_bytes` and `used_bytes` are the sums over the user's files.
 * It holds because both sides change in one statement, by the same amounts, and nowhere else.
 */
export function createFileRepo(db: Db): UploadRepo {
  return {
    ...quota(db),
    ...leases(db),
    ...endings(db),
    ...parts(db),
    ...sweeping(db),

    async find(id, userId, withDeleted = false) {
      const file = await db.file.findUnique({ where: { id, userId } })
      return file && (withDeleted || file.deletedAt === null) ? fromModel(file) : null
    },

    async list(userId, before, limit) {
      const files = await db.file.findMany({
        where: { userId, deletedAt: null, ...(before && { id: { lt: before } }) },
        orderBy: { id: 'desc' },
        take: limit,
      })
      return files.map(fromModel)
    },
  }
}
