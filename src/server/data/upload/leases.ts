import type { UploadRepo } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'
import { type FileRow, fileRecordOfRow } from './file-record.ts'

/** Leases expire by the database's clock, which all replicas share. */
export function leases(db: Db): Pick<UploadRepo, 'acquire' | 'renew' | 'release'> {
  return {
    async acquire(id, userId, lease, state) {
      const [row] = await db.sql.rows<FileRow>`
        UPDATE files SET lease_id = ${lease.id}::uuid,
          leased_until = now() + ${lease.ms}::int * interval '1 millisecond'
        WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND state = ${state}::file_state
          AND deleted_at IS NULL AND (leased_until IS NULL OR leased_until < now())
        RETURNING *`
      return row ? fileRecordOfRow(row) : null
    },

    async renew(id, lease) {
      const renewed = await db.sql.run`
        UPDATE files SET leased_until = now() + ${lease.ms}::int * interval '1 millisecond'
        WHERE id = ${id}::uuid AND lease_id = ${lease.id}::uuid`
      return renewed === 1
    },

    async release(id, leaseId) {
      const released = await db.sql.run`
        UPDATE files SET lease_id = NULL, leased_until = NULL
        WHERE id = ${id}::uuid AND lease_id = ${leaseId}::uuid`
      return released === 1
    },
  }
}
