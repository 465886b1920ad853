import type { Sql } from '../postgres/sql.ts'

/**
 * Locks the user of a session, so that whoever ends the user's access waits and then finds what is made here, or this
 * finds the access ended: false. FOR NO KEY UPDATE also takes turns with what else the user makes under a limit.
 */
export async function lockUser(sql: Sql, userId: string, epoch: number): Promise<boolean> {
  const found = await sql.rows<{ id: string }>`
    SELECT id FROM users
    WHERE id = ${userId}::uuid AND session_epoch = ${epoch}::int AND deleted_at IS NULL AND disabled_at IS NULL
    FOR NO KEY UPDATE`
  return found.length > 0
}
