import type { Sql } from '../sql.ts'

/**
 * Locks the user of a session. Returns false if the user's access has ended. Anything that ends it later waits for this
 * transaction and finds what it creates. FOR NO KEY UPDATE also serializes creations that count against a limit.
 */
export async function lockUser(sql: Sql, userId: string, epoch: number): Promise<boolean> {
  const found = await sql.row<'lockUser'>`
    SELECT id FROM users
    WHERE id = ${userId}::uuid AND session_epoch = ${epoch}::int AND deleted_at IS NULL AND disabled_at IS NULL
    FOR NO KEY UPDATE`
  return found !== null
}
