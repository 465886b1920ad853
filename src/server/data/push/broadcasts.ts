import { tokenActor } from '../../audit.ts'
import type { Audience, Broadcast, BroadcastLimits, BroadcastResult, Content } from '../../push/ports.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { type Sql, sqlIn } from '../postgres/sql.ts'
import { planAudience } from './audience-chunks.ts'
import { lockPushToken } from './cancellation.ts'
import { broadcastColumns } from './message-row.ts'

/** Planning reads the devices of a whole topic, or of everybody, in one transaction. */
const TIMEOUT_MS = 60_000

/** Accepts a broadcast: plans it, or puts it down for `sendAt`. */
export async function createBroadcast(
  db: Db,
  message: Broadcast,
  { chunkSize, maxUnfinished }: BroadcastLimits,
): Promise<BroadcastResult> {
  const { id, sender, content, audience, sendAt } = message
  return db.$transaction(
    async (tx): Promise<BroadcastResult> => {
      const sql = sqlIn(tx)
      await lockPushToken(sql, sender.id)
      const unfinished = await countUnfinished(sql, sender.id, audience.kind === 'user')
      if (unfinished === null) return 'revoked'
      if (unfinished >= maxUnfinished) return 'tooMany'
      await tx.pushMessage.create({ data: broadcastColumns(message) })
      if (!sendAt) await begin(sql, { id, content, audience }, chunkSize)
      await addAudit(sql, {
        action: 'push.broadcast',
        actor: tokenActor(sender.id),
        userId: sender.userId,
        subjectId: id,
        address: sender.address,
        details: {
          category: content.category,
          title: content.title ?? null,
          ...auditOf(audience),
          ...(sendAt && { sendAt: sendAt.toISOString() }),
        },
      })
      return 'accepted'
    },
    { timeout: TIMEOUT_MS },
  )
}

/** Begins the scheduled message that has been due for longest; other replicas skip it meanwhile. False: none is due. */
export async function startScheduled(db: Db, chunkSize: number): Promise<boolean> {
  // Nearly always none is, and then no transaction is needed.
  const [due] = await db.sql.rows<{ id: string }>`
    SELECT id FROM push_messages
    WHERE scheduled AND cancelled_at IS NULL AND send_at <= now() ORDER BY send_at LIMIT 1`
  if (!due) return false
  return db.$transaction(
    async (tx) => {
      const sql = sqlIn(tx)
      const [message] = await sql.rows<{ id: string; content: Content; audience: Audience }>`
        SELECT id, content, audience FROM push_messages
        WHERE scheduled AND cancelled_at IS NULL AND send_at <= now()
        ORDER BY send_at LIMIT 1 FOR UPDATE SKIP LOCKED`
      if (!message) return false
      await begin(sql, message, chunkSize)
      return true
    },
    { timeout: TIMEOUT_MS },
  )
}

/** By the database's clock, also for when it expires. */
async function begin(
  sql: Sql,
  { id, content, audience }: { id: string; content: Content; audience: Audience },
  chunkSize: number,
): Promise<void> {
  const any = await planAudience(sql, { id, category: content.category, audience }, chunkSize)
  // From now on it is like any push to that user.
  const toUser = audience.kind === 'user' ? audience.userId : null
  if (toUser) await sql.run`DELETE FROM push_recipients WHERE message_id = ${id}::uuid`
  await sql.run`
    UPDATE push_messages SET
      scheduled = false, audience = audience - 'userIds',
      user_id = CASE WHEN ${audience.kind} = 'all' THEN NULL ELSE coalesce(${toUser}::uuid, id) END,
      expires_at = now() + ${content.ttlSeconds} * interval '1 second',
      status = (CASE WHEN ${any} THEN 'queued' ELSE 'completed' END)::message_status,
      completed_at = CASE WHEN ${any} THEN NULL ELSE now() END
    WHERE id = ${id}::uuid`
}

/** Those to single users (which are scheduled), or all others; null: the token is revoked, or its owner disabled. */
async function countUnfinished(sql: Sql, pushTokenId: string, toOneUser: boolean): Promise<number | null> {
  const [token] = await sql.rows<{ unfinished: number }>`
    SELECT (SELECT count(*) FROM push_messages
            WHERE push_token_id = t.id AND completed_at IS NULL AND cancelled_at IS NULL
              AND (coalesce(audience ->> 'kind', '') = 'user') = ${toOneUser})::int AS unfinished
    FROM push_tokens t JOIN users u ON u.id = t.user_id AND u.disabled_at IS NULL
    WHERE t.id = ${pushTokenId}::uuid AND t.revoked_at IS NULL`
  return token?.unfinished ?? null
}

function auditOf(audience: Audience): Record<string, unknown> {
  if (audience.kind === 'users') return { users: audience.userIds.length }
  if (audience.kind === 'user') return { userId: audience.userId }
  return audience.kind === 'topic' ? { topic: audience.topic } : {}
}
