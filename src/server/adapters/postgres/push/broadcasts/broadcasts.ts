import type { Audience, Broadcast, BroadcastResult } from '../../../../domain/push/broadcasts/broadcast.ts'
import { pickedToken } from '../../../../domain/push/messages/message.ts'
import type {
  BroadcastSearch,
  DueMessage,
  MessageRepo,
} from '../../../../domain/push/messages/message-repo.ts'
import type { Content } from '../../../../domain/push/messages/notification.ts'
import { tokenActor } from '../../../../kernel/audit.ts'
import { LAST_ID } from '../../../../kernel/ids.ts'
import { addAudit } from '../../accounts/audit-repo.ts'
import type { Db } from '../../db.ts'
import type { Sql } from '../../sql.ts'
import { lockPushToken } from '../messages/cancellation.ts'
import { messageView } from '../messages/message-view.ts'
import { planAudience, removeRecipients } from './audience-chunks.ts'

/** Planning reads the devices of a whole topic or of all users in one transaction: a million users take 40 s. */
const PLAN_TIMEOUT_MS = 600_000

/** Accepts a broadcast, which then waits to be started: now without `sendAt`. */
export async function createBroadcast(
  db: Db,
  message: Broadcast,
  maxUnfinished: number,
): Promise<BroadcastResult> {
  const { id, sender, content, audience, sendAt, createdAt, expiresAt } = message
  const { category, title = null } = content
  return db.sqlTransaction(async (sql): Promise<BroadcastResult> => {
    await lockPushToken(sql, sender.id)
    const unfinished = await countUnfinished(sql, sender.id, audience.kind === 'user')
    if (unfinished === null) return 'revoked'
    if (unfinished >= maxUnfinished) return 'tooMany'
    // Planning removes the list of `userIds` from the audience.
    await sql.run<'createBroadcast'>`
      INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, created_at, expires_at, audience,
        send_at, scheduled)
      VALUES (${id}::uuid, ${sender.id}::uuid, ${id}::uuid, ${category}, ${JSON.stringify(content)}::jsonb, 'queued',
        ${createdAt}, coalesce(${sendAt ? expiresAt : null}::timestamptz, now() + ${content.ttlSeconds} * interval '1 second'),
        ${JSON.stringify(audience)}::jsonb, ${sendAt ?? null}, true)`
    await addAudit(sql, {
      action: 'push.broadcast',
      actor: sender.actor ?? tokenActor(sender.id),
      userId: sender.userId,
      subjectId: id,
      address: sender.address,
      details: {
        category,
        title,
        ...auditOf(audience),
        ...(sendAt && { sendAt: sendAt.toISOString() }),
        ...pickedToken(sender),
      },
    })
    return 'accepted'
  })
}

/** Finds a message that is due and not in `skip`: one without `send_at`, or the one whose `send_at` is earliest. */
export async function findDue(
  { sql }: Pick<Db, 'sql'>,
  ...[skip, { withTopics, scheduledNext }]: Parameters<MessageRepo['findDue']>
): Promise<DueMessage | null> {
  const found = await sql.row<'findDueMessage'>`
    SELECT id, kind FROM (
      (SELECT id, audience ->> 'kind' AS kind, false AS later FROM push_messages
       WHERE scheduled AND cancelled_at IS NULL AND send_at IS NULL AND NOT id = ANY (${skip}::uuid[])
         AND (${withTopics}::bool OR audience ->> 'kind' <> 'topic')
       LIMIT 1)
      UNION ALL
      (SELECT id, audience ->> 'kind', true FROM push_messages
       WHERE scheduled AND cancelled_at IS NULL AND send_at <= now() AND NOT id = ANY (${skip}::uuid[])
         AND (${withTopics}::bool OR audience ->> 'kind' <> 'topic')
       ORDER BY send_at LIMIT 1)) AS due
    ORDER BY later = ${scheduledNext}::bool DESC LIMIT 1`
  return found && { id: found.id, toTopic: found.kind === 'topic' }
}

/**
 * Begins a message that is due. Returns false if another replica is doing so. Planning can take a minute. It locks the
 * message only at its end, so that the message can be canceled meanwhile.
 * @throws the reason of `signal` if that aborts; the message then stays due
 */
export async function startMessage(
  db: Db,
  id: string,
  chunkSize: number,
  signal: AbortSignal,
): Promise<boolean> {
  const plan = db.sqlTransaction(async (sql) => {
    const [lock] = await sql.rows<'lockPlanning'>`
      SELECT pg_try_advisory_xact_lock(hashtextextended('push-message:' || ${id}, 0)) AS held`
    if (!lock!.held) return false
    const [message] = await sql.rows<'findMessageToStart'>`
      SELECT id, content, audience FROM push_messages
      WHERE id = ${id}::uuid AND scheduled AND cancelled_at IS NULL
        AND (send_at IS NULL OR send_at <= now())
      FOR KEY SHARE SKIP LOCKED`
    if (!message) return !(await isDue(sql, id))
    await begin(sql, db.sql, { ...message, audience: message.audience! }, chunkSize, signal)
    return true
  }, PLAN_TIMEOUT_MS)
  return plan.catch(async (error: unknown) => {
    if (!(error instanceof CancelledMeanwhile)) throw error
    await removeRecipients(db.sql, id)
    return true
  })
}

/** Returns true for a message that a replica of the previous version is starting: that locks its row from the beginning. */
async function isDue(sql: Sql, id: string): Promise<boolean> {
  const due = await sql.row<'isMessageDue'>`
    SELECT id FROM push_messages WHERE id = ${id}::uuid AND scheduled AND cancelled_at IS NULL`
  return due !== null
}

/** Rolls back the plan of a message that was canceled during planning. */
class CancelledMeanwhile extends Error {}

/** Plans a message. The time until a scheduled one expires begins now, by the database's clock. */
async function begin(
  sql: Sql,
  autocommit: Sql,
  { id, content, audience }: { id: string; content: Content; audience: Audience },
  chunkSize: number,
  signal: AbortSignal,
): Promise<void> {
  const { any, ios, android, web } = await planAudience(
    sql,
    autocommit,
    { id, content, audience },
    chunkSize,
    signal,
  )
  // From here on, the message is like any push to that user.
  const toUser = audience.kind === 'user' ? audience.userId : null
  if (toUser) await sql.run<'deleteRecipients'>`DELETE FROM push_recipients WHERE message_id = ${id}::uuid`
  const begun = await sql.wrote<'beginMessage'>`
    UPDATE push_messages SET
      scheduled = false, audience = audience - 'userIds',
      audience_ios = ${ios}::int, audience_android = ${android}::int, audience_web = ${web}::int,
      user_id = CASE WHEN ${audience.kind} = 'all' THEN NULL ELSE coalesce(${toUser}::uuid, id) END,
      expires_at = CASE WHEN send_at IS NULL THEN expires_at
        ELSE now() + ${content.ttlSeconds} * interval '1 second' END,
      status = (CASE WHEN ${any} THEN 'queued' ELSE 'completed' END)::message_status,
      completed_at = CASE WHEN ${any} THEN NULL ELSE now() END
    WHERE id = ${id}::uuid AND scheduled AND cancelled_at IS NULL`
  if (!begun) throw new CancelledMeanwhile()
}

/**
 * Counts the token's unfinished messages: scheduled ones to single users, or all others. Returns null if the token is
 * revoked or its owner disabled.
 */
async function countUnfinished(sql: Sql, pushTokenId: string, toOneUser: boolean): Promise<number | null> {
  const [token] = await sql.rows<'countUnfinished'>`
    SELECT (SELECT count(*) FROM push_messages
            WHERE push_token_id = t.id AND completed_at IS NULL AND cancelled_at IS NULL
              AND (coalesce(audience ->> 'kind', '') = 'user') = ${toOneUser})::int AS unfinished
    FROM push_tokens t JOIN users u ON u.id = t.user_id AND u.disabled_at IS NULL AND u.deleted_at IS NULL
    WHERE t.id = ${pushTokenId}::uuid AND t.revoked_at IS NULL`
  return token?.unfinished ?? null
}

function auditOf(audience: Audience): Record<string, string | number> {
  if (audience.kind === 'users') return { users: audience.userIds.length }
  if (audience.kind === 'user') return { userId: audience.userId }
  return audience.kind === 'topic' ? { topic: audience.topic } : {}
}

/**
 * Returns broadcasts and scheduled messages, newest first. An index contains only these, because
 * thousands of messages to single users may lie between two of them.
 */
export async function listBroadcasts(
  { planned }: Pick<Db, 'planned'>,
  search: BroadcastSearch & { id?: string },
  chunkSize: number,
) {
  const { id = null, topic = null, query = null, pushTokenId = null, beforeId = LAST_ID, limit } = search
  // Scheduled messages are stored as queued.
  const status = search.status === 'scheduled' ? 'queued' : (search.status ?? null)
  const scheduled = search.status === 'scheduled' ? true : search.status === 'queued' ? false : null
  // Chunks without a platform are ranges that no one has read yet. No count of the message includes their devices.
  const rows = await planned.rows<'listBroadcasts'>`
    SELECT m.*, t.name AS "tokenName", t.user_id AS "tokenUserId", (
      SELECT count(*)::int FROM push_message_chunks c WHERE c.message_id = m.id AND c.platform IS NULL) AS ranges
    FROM (
      SELECT * FROM push_messages
      WHERE id < ${beforeId}::uuid AND (user_id IS NULL OR user_id = id)
        AND (${id}::uuid IS NULL OR id = ${id}::uuid)
        AND (${topic}::text IS NULL OR (audience ->> 'kind' = 'topic' AND audience ->> 'topic' = ${topic}::text))
        AND (${pushTokenId}::uuid IS NULL OR push_token_id = ${pushTokenId}::uuid)
        AND (${query}::text IS NULL
          OR position(lower(normalize(${query}::text)) IN lower(normalize(content ->> 'title'))) > 0)
        AND (${status}::message_status IS NULL OR status = ${status}::message_status)
        AND (${scheduled}::bool IS NULL
          OR (scheduled AND cancelled_at IS NULL AND send_at IS NOT NULL) = ${scheduled}::bool)
      ORDER BY id DESC LIMIT ${limit}::int) AS m
    LEFT JOIN (push_tokens t JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL) ON t.id = m.push_token_id
    ORDER BY m.id DESC`
  return rows.map((row) => {
    const view = messageView(row)
    const { ios, android, web } = view.audience
    const isFinished = row.status === 'completed' || row.status === 'cancelled'
    const waiting = ios + android + web - view.sent - view.failed - view.removed
    const toAll = row.user_id === null || row.audience?.kind === 'all'
    const { push_token_id: tokenId, tokenName: name, tokenUserId: userId } = row
    return {
      ...view,
      title: row.content.title ?? null,
      body: row.content.body ?? null,
      link: row.content.link ?? null,
      imageUrl: row.content.imageUrl ?? null,
      category: row.category,
      createdAt: row.created_at,
      completedAt: row.completed_at,
      apps: row.content.apps ?? null,
      toAll,
      target: toAll ? ('all' as const) : (row.audience?.kind ?? ('users' as const)),
      topic: row.audience?.kind === 'topic' ? row.audience.topic : null,
      remaining: isFinished ? 0 : waiting + row.ranges * chunkSize,
      pushToken: tokenId !== null && name !== null && userId !== null ? { id: tokenId, name, userId } : null,
    }
  })
}
