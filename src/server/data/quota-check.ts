import type { Db } from './postgres/db.ts'
import { sqlIn } from './postgres/sql.ts'

/** A user whose sums are not those of the files; all in bytes. */
export type Drift = {
  userId: string
  email: string
  used: bigint
  usedByFiles: bigint
  reserved: bigint
  reservedByFiles: bigint
}

/** How many users were looked at, and who drifted: one statement, so one snapshot of a live database. */
export async function findDrift(db: Db): Promise<{ users: number; drifted: Drift[] }> {
  const [{ count } = { count: 0n }] = await db.sql.rows<{ count: bigint }>`SELECT count(*) FROM users`
  const drifted = await db.sql.rows<Drift>`
    SELECT users.id AS "userId", email, used_bytes AS used, reserved_bytes AS reserved,
      COALESCE(sums.used, 0)::bigint AS "usedByFiles", COALESCE(sums.reserved, 0)::bigint AS "reservedByFiles"
    FROM users LEFT JOIN (
      SELECT user_id, sum(used_bytes) AS used, sum(reserved_bytes) AS reserved FROM files GROUP BY user_id
    ) AS sums ON sums.user_id = users.id
    WHERE used_bytes <> COALESCE(sums.used, 0) OR reserved_bytes <> COALESCE(sums.reserved, 0)
    ORDER BY users.id`
  return { users: Number(count), drifted }
}

/**
 * Sets the sums of these users to those of their files. The users are locked first, in a statement of its
 * own: the sums are then read after every change that is under way, and none comes in between.
 */
export async function repairDrift(db: Db, userIds: string[]): Promise<void> {
  await db.$transaction(async (tx) => {
    const sql = sqlIn(tx)
    await sql.rows`SELECT id FROM users WHERE id = ANY(${userIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`
    await sql.run`
      UPDATE users SET used_bytes = sums.used, reserved_bytes = sums.reserved
      FROM (
        SELECT users.id, COALESCE(sum(files.used_bytes), 0) AS used,
          COALESCE(sum(files.reserved_bytes), 0) AS reserved
        FROM users LEFT JOIN files ON files.user_id = users.id
        WHERE users.id = ANY(${userIds}::uuid[]) GROUP BY users.id
      ) AS sums
      WHERE users.id = sums.id`
  })
}
