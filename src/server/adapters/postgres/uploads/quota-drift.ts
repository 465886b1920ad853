import type { Db } from '../db.ts'
import type { Row } from '../sql.ts'

/** A user whose quota differs from the sums over the files; sizes in bytes. Users who sign in elsewhere have no email. */
export type QuotaDrift = Row<'findQuotaDrift'>

/** Returns the number of users, and those with drift. One statement compares them, so it sees one snapshot. */
export async function findQuotaDrift(db: Db): Promise<{ users: number; drifted: QuotaDrift[] }> {
  const users = await db.user.count()
  const drifted = await db.sql.rows<'findQuotaDrift'>`
    SELECT users.id AS "userId", email, used_bytes AS used, reserved_bytes AS reserved,
      COALESCE(sums.used, 0)::bigint AS "usedByFiles", COALESCE(sums.reserved, 0)::bigint AS "reservedByFiles",
      open_uploads::bigint AS unfinished, COALESCE(sums.unfinished, 0)::bigint AS "unfinishedFiles"
    FROM users LEFT JOIN (
      SELECT user_id, sum(used_bytes) AS used, sum(reserved_bytes) AS reserved,
        count(*) FILTER (WHERE state IN ('PENDING', 'UPLOADING')) AS unfinished
      FROM files GROUP BY user_id
    ) AS sums ON sums.user_id = users.id
    WHERE used_bytes <> COALESCE(sums.used, 0) OR reserved_bytes <> COALESCE(sums.reserved, 0)
      OR open_uploads <> COALESCE(sums.unfinished, 0)
    ORDER BY users.id`
  return { users, drifted }
}

/**
 * Sets the quota of these users to the sums over their files. A separate statement locks the users first, so the sums
 * include every change in progress, and no other change can follow before the update.
 */
export async function repairQuotaDrift(db: Db, userIds: string[]): Promise<void> {
  await db.sqlTransaction(async (sql) => {
    await sql.rows<'lockUsers'>`SELECT id FROM users WHERE id = ANY(${userIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`
    await sql.run<'repairQuotaDrift'>`
      UPDATE users SET used_bytes = sums.used, reserved_bytes = sums.reserved, open_uploads = sums.unfinished
      FROM (
        SELECT users.id, COALESCE(sum(files.used_bytes), 0) AS used,
          COALESCE(sum(files.reserved_bytes), 0) AS reserved,
          count(files.id) FILTER (WHERE files.state IN ('PENDING', 'UPLOADING')) AS unfinished
        FROM users LEFT JOIN files ON files.user_id = users.id
        WHERE users.id = ANY(${userIds}::uuid[]) GROUP BY users.id
      ) AS sums
      WHERE users.id = sums.id`
  })
}
