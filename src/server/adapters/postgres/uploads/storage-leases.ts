import { LEASE_SECONDS, type StorageLeases } from '../../../domain/uploads/storage-ceiling.ts'
import type { Db } from '../db.ts'

/** Advisory lock with which replicas take leases one after the other. Nothing else uses this number. */
const LOCK = 812_647_201

export function createStorageLeases(db: Db): StorageLeases {
  return {
    keep: (replica, bytes) => db.sql.write<'keepStorageLease'>`
      UPDATE storage_lots SET bytes = ${bytes}::bigint WHERE id = ${replica}::uuid`,

    take: (replica, { need, pending, ceiling }) =>
      db.sqlTransaction(async (sql) => {
        // A separate statement, so that the snapshot of the next one is taken while the lock is held.
        await sql.run<'lockStorage'>`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`
        const [row] = await sql.rows<'takeStorageLease'>`
          WITH rest AS (
            SELECT ${ceiling}::bigint - ${pending}::bigint
              - (SELECT COALESCE(sum(used_bytes + reserved_bytes), 0) FROM users)
              - (SELECT COALESCE(sum(bytes), 0) FROM storage_lots
                 WHERE id <> ${replica}::uuid AND expires_at > clock_timestamp()) AS free
          ), lease AS (
            SELECT GREATEST(${need}::bigint, LEAST(floor(${ceiling}::bigint / 100), floor(free / 8)))::bigint AS bytes
            FROM rest WHERE free >= ${need}::bigint
          )
          INSERT INTO storage_lots (id, bytes, expires_at)
          SELECT ${replica}::uuid, bytes + ${pending}::bigint,
            clock_timestamp() + make_interval(secs => ${3 * LEASE_SECONDS}::int)
          FROM lease
          ON CONFLICT (id) DO UPDATE SET bytes = EXCLUDED.bytes, expires_at = EXCLUDED.expires_at
          RETURNING (bytes - ${pending}::bigint)::float8 AS bytes`
        await sql.run<'deleteExpiredStorageLeases'>`
          DELETE FROM storage_lots WHERE expires_at < clock_timestamp() - interval '1 hour'`
        return row?.bytes ?? null
      }),
  }
}

/** Returns the bytes of all users together. */
export async function storedBytes({ sql }: Pick<Db, 'sql'>): Promise<{ used: number; reserved: number }> {
  const [row] = await sql.rows<'storedBytes'>`
    SELECT COALESCE(sum(used_bytes), 0)::float8 AS used, COALESCE(sum(reserved_bytes), 0)::float8 AS reserved FROM users`
  return row!
}
