import type { AdminBroadcast } from '../../../../domain/push/broadcasts/schema.ts'
import type { Db } from '../../db.ts'
import { messageView } from '../messages/message-view.ts'

/**
 * Returns broadcasts and scheduled messages older than `beforeId`, newest first. An index contains only these, because
 * thousands of messages to single users may lie between two of them.
 */
export async function listBroadcasts(
  db: Db,
  beforeId: string | undefined,
  limit: number,
  chunkSize: number,
): Promise<AdminBroadcast[]> {
  // Chunks without a platform are ranges that no one has read yet. No count of the message includes their devices.
  const rows = await db.sql.rows<'listBroadcasts'>`
    SELECT m.*, t.name AS "tokenName", t.user_id AS "tokenUserId", (
      SELECT count(*)::int FROM push_message_chunks c WHERE c.message_id = m.id AND c.platform IS NULL) AS ranges
    FROM (
      SELECT * FROM push_messages
      WHERE (user_id IS NULL OR user_id = id) AND (${beforeId ?? null}::uuid IS NULL OR id < ${beforeId ?? null}::uuid)
      ORDER BY id DESC LIMIT ${limit}) m
    LEFT JOIN push_tokens t ON t.id = m.push_token_id ORDER BY m.id DESC`
  return rows.map((row) => {
    const view = messageView(row)
    const { ios, android, web } = view.audience
    const isFinished = row.status === 'completed' || row.status === 'cancelled'
    const waiting = ios + android + web - view.sent - view.failed - view.removed
    const { push_token_id: id, tokenName: name, tokenUserId: userId } = row
    return {
      ...view,
      title: row.content.title ?? null,
      category: row.category,
      createdAt: row.created_at,
      completedAt: row.completed_at,
      toAll: row.user_id === null || row.audience?.kind === 'all',
      remaining: isFinished ? 0 : waiting + row.ranges * chunkSize,
      pushToken: id !== null && name !== null && userId !== null ? { id, name, userId } : null,
    }
  })
}
