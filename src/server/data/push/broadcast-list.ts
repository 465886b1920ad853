import type { AdminBroadcast, Content } from '../../push/ports.ts'
import type { Db } from '../postgres/db.ts'
import { messageView } from './message-row.ts'

/**
 * Broadcasts and what is scheduled, newest first, older than `beforeId`. An index has only these: there may be thousands
 * of messages to single users between two of them.
 */
export async function listBroadcasts(
  db: Db,
  beforeId: string | undefined,
  limit: number,
  chunkSize: number,
): Promise<AdminBroadcast[]> {
  const found = await db.sql.rows<{ id: string }>`
    SELECT id FROM push_messages
    WHERE (user_id IS NULL OR user_id = id) AND (${beforeId ?? null}::uuid IS NULL OR id < ${beforeId ?? null}::uuid)
    ORDER BY id DESC LIMIT ${limit}`
  const ids = found.map(({ id }) => id)
  const [rows, unplanned] = await Promise.all([
    db.pushMessage.findMany({
      where: { id: { in: ids } },
      orderBy: { id: 'desc' },
      include: { pushToken: { select: { id: true, name: true, userId: true } } },
    }),
    unplannedDevices(db, ids, chunkSize),
  ])
  return rows.map((row) => {
    const { pushTokenId: _, ...view } = messageView(row)
    const { ios, android, web } = view.audience
    const isOver = row.status === 'completed' || row.status === 'cancelled'
    const waiting = ios + android + web - view.sent - view.failed - view.removed
    return {
      ...view,
      title: (row.content as Content).title ?? null,
      category: row.category,
      createdAt: row.createdAt,
      completedAt: row.completedAt,
      toAll: row.userId === null || (row.audience as { kind?: string } | null)?.kind === 'all',
      remaining: isOver ? 0 : waiting + (unplanned.get(row.id) ?? 0),
      pushToken: row.pushToken,
    }
  })
}

/** Devices of ranges that nobody has read yet, which no count of the message has: at most so many, by message. */
async function unplannedDevices(db: Db, ids: string[], chunkSize: number): Promise<Map<string, number>> {
  const rows = await db.sql.rows<{ id: string; devices: number }>`
    SELECT message_id AS id, (count(*) * ${chunkSize}::int)::int AS devices FROM push_message_chunks
    WHERE message_id = ANY (${ids}::uuid[]) AND platform IS NULL GROUP BY message_id`
  return new Map(rows.map(({ id, devices }) => [id, devices]))
}
