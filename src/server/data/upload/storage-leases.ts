import { LEASE_SECONDS, type StorageLeases } from '../../upload/storage-ceiling.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'

/** Replicas take leases one after the other: any number that is ours alone. */
const LOCK = 812_647_201

export function createStorageLeases(db: Db): StorageLeases {
  return {
    async keep(replica, bytes) {
      await db.sql.run`UPDATE storage_lots SET bytes = ${bytes}::bigint WHERE id = ${replica}::uuid`
    },

    async take(replica, { need, pending, ceiling }) {
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        await sql.rows`SELECT pg_advisory_xact_lock(${LOCK}::bigint)::text`
        // A statement of its own, whose snapshot is made with the lock held.
        const [row] = await sql.rows<{ bytes: bigint | null }>`
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
          RETURNING bytes - ${pending}::bigint AS bytes`
        await sql.run`DELETE FROM storage_lots WHERE expires_at < clock_timestamp() - interval '1 hour'`
        return row?.bytes == null ? null : Number(row.bytes)
      })
    },
  }
}

/** Bytes of all users. */
export async function storedBytes(db: Db): Promise<{ used: number; reserved: number }> {
  const [row] = await db.sql.rows<{ used: bigint; reserved: bigint }>`
    SELECT COALESCE(sum(used_bytes), 0)::bigint AS used, COALESCE(sum(reserved_bytes), 0)::bigint AS reserved FROM users`
  return { used: Number(row!.used), reserved: Number(row!.reserved) }
}
