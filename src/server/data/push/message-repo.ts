import { ADMIN_ACTOR, tokenActor } from '../../audit.ts'
import { MAX_FAILURES } from '../../push/counts.ts'
import type { BroadcastResult, MessageRepo, Platform, SentMessage } from '../../push/ports.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { type Sql, sqlIn } from '../postgres/sql.ts'
import { cancelMessage, lockPushToken } from './cancellation.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import { removeDevices, type SettledCounts } from './device-removal.ts'
import { addFailures } from './failure-rows.ts'
import { inboxMessageOf, type MessageRow, messageColumns, messageView } from './message-row.ts'

export function createMessageRepo(db: Db, breakers: CircuitBreakers): MessageRepo {
  return {
    async find(id) {
      const row = await db.pushMessage.findUnique({ where: { id } })
      return row && messageView(row)
    },

    async listSentBy(pushTokenId, beforeId, limit) {
      const rows = await db.pushMessage.findMany({
        where: { pushTokenId, id: { lt: beforeId } },
        orderBy: { id: 'desc' },
        take: limit,
      })
      return rows.map((row) => ({
        ...messageView(row),
        title: (row.content as { title: string }).title,
        createdAt: row.createdAt,
      }))
    },

    async listFailures(messageId, afterId, limit) {
      const rows = await db.pushFailure.findMany({
        where: { messageId, id: { gt: afterId === undefined ? undefined : BigInt(afterId) } },
        orderBy: { id: 'asc' },
        take: limit,
        omit: { messageId: true },
      })
      return rows.map((row) => ({ ...row, id: String(row.id) }))
    },

    async recordDirect(message, counts) {
      const { audience } = counts
      const { id, sender, userId, content, createdAt, expiresAt } = message
      const details = JSON.stringify({ userId, category: content.category })
      // DO NOTHING: the write may be repeated, and a request that was taken over may still be running. The token may
      // have been deleted since; KEY SHARE is the lock that its foreign key takes anyway.
      const store = (sql: Sql, done: SettledCounts) => sql.run`
        WITH stored AS (
          INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, audience_ios,
            audience_android, sent, failed, removed, failures, created_at, expires_at, completed_at)
          VALUES (${id}::uuid, (SELECT t.id FROM push_tokens t WHERE t.id = ${sender.id}::uuid FOR KEY SHARE),
            ${userId}::uuid, ${content.category},
            ${JSON.stringify(content)}::jsonb, 'completed', ${audience.ios}::int, ${audience.android}::int,
            ${done.sent}::int, ${done.failed}::int, ${done.removed}::int, ${JSON.stringify(done.failures.slice(0, MAX_FAILURES))}::jsonb,
            ${createdAt}::timestamptz, ${expiresAt}::timestamptz,
            ${new Date()}::timestamptz)
          ON CONFLICT (id) DO NOTHING RETURNING id)
        INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
        SELECT id, 'push.sent', ${tokenActor(sender.id)}, ${sender.userId}::uuid, id::text, ${sender.address},
               ${details}::jsonb
        FROM stored`
      const isPlain = counts.gone.length + counts.suspects.length + counts.failures.length === 0
      // Nearly always: one statement instead of a transaction.
      const settled = await breakers.recording(counts, async (recordSuspects) => {
        if (isPlain) {
          const done = await removeDevices(db.sql, id, counts, new Map())
          await store(db.sql, done)
          return done
        }
        return db.$transaction(async (tx) => {
          const sql = sqlIn(tx)
          const done = await removeDevices(sql, id, counts, await recordSuspects(sql))
          const stored = await store(sql, done)
          if (stored > 0) await addFailures(sql, id, done.failures)
          return done
        })
      })
      const { sent, failed, removed } = settled
      const failures = settled.failures.slice(0, MAX_FAILURES)
      return { id, status: 'completed', audience, sent, failed, removed, failures }
    },

    async createBroadcast(message, { chunkSize, maxUnfinished }) {
      const { id, sender, userIds, content } = message
      return db.$transaction(
        async (tx): Promise<BroadcastResult> => {
          const sql = sqlIn(tx)
          await lockPushToken(sql, sender.id)
          const [token] = await sql.rows<{ unfinished: number }>`
            SELECT (SELECT count(*) FROM push_messages
                    WHERE push_token_id = t.id AND completed_at IS NULL AND cancelled_at IS NULL)::int AS unfinished
            FROM push_tokens t WHERE t.id = ${sender.id}::uuid AND t.revoked_at IS NULL`
          if (!token) return 'revoked'
          if (token.unfinished >= maxUnfinished) return 'tooMany'
          await tx.pushMessage.create({ data: { ...messageColumns(message), status: 'queued' } })
          const chunks = userIds
            ? await planUserChunks(sql, message, userIds, chunkSize)
            : await planChunks(sql, id, chunkSize)
          if (chunks === 0)
            await tx.pushMessage.update({
              where: { id },
              data: { status: 'completed', completedAt: new Date() },
            })
          await addAudit(sql, {
            action: 'push.broadcast',
            actor: tokenActor(sender.id),
            userId: sender.userId,
            subjectId: id,
            address: sender.address,
            details: {
              category: content.category,
              title: content.title,
              ...(userIds && { users: userIds.length }),
            },
          })
          return 'accepted'
        },
        { timeout: 60_000 },
      )
    },

    async cancel(id, { token, address }) {
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        const result = await cancelMessage(sql, id)
        if (result === 'cancelled')
          await addAudit(sql, {
            action: 'push.cancelled',
            actor: token ? tokenActor(token.id) : ADMIN_ACTOR,
            userId: token?.userId,
            subjectId: id,
            address,
          })
        return result
      })
    },

    async listSentTo(userId, beforeId, limit) {
      // Two scans of the index on user_id, one for the user and one for null: 0.3 ms among 200,000 messages.
      const rows = await db.sql.rows<
        Pick<MessageRow, 'id' | 'content' | 'created_at'> & { broadcast: boolean }
      >`
        (SELECT m.id, m.content, m.user_id IS NULL AS broadcast, m.created_at
        FROM users u JOIN push_messages m
          ON m.user_id = u.id OR (m.user_id IS NULL AND m.created_at >= u.created_at)
        WHERE u.id = ${userId}::uuid AND (m.status <> 'cancelled' OR m.sent > 0)
          AND (${beforeId ?? null}::uuid IS NULL OR m.id < ${beforeId ?? null}::uuid)
        ORDER BY m.id DESC LIMIT ${limit})
        UNION ALL
        (SELECT m.id, m.content, false, m.created_at
        FROM push_recipients r JOIN push_messages m ON m.id = r.message_id
        WHERE r.user_id = ${userId}::uuid AND (m.status <> 'cancelled' OR m.sent > 0)
          AND (${beforeId ?? null}::uuid IS NULL OR r.message_id < ${beforeId ?? null}::uuid)
        ORDER BY r.message_id DESC LIMIT ${limit})
        ORDER BY id DESC LIMIT ${limit}`
      return rows.map(inboxMessageOf)
    },
  }
}

/**
 * For each platform ranges of `chunkSize` device ids over all its devices of this snapshot. Disabled devices and
 * opt-outs are left out only when a chunk is read. Hops from range to range over the index on platform and id.
 * Returns the number of chunks.
 */
async function planChunks(sql: Sql, messageId: string, chunkSize: number): Promise<number> {
  return sql.run`
    WITH RECURSIVE final AS (
      SELECT p.platform, d.id FROM unnest(enum_range(NULL::platform)) AS p (platform), LATERAL (
        SELECT id FROM devices WHERE platform = p.platform ORDER BY id DESC LIMIT 1) d),
    ranges (platform, after_id, last_id) AS (
      SELECT f.platform, NULL::uuid, coalesce((
        SELECT id FROM devices WHERE platform = f.platform ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), f.id)
      FROM final f
      UNION ALL
      SELECT f.platform, r.last_id, coalesce((
        SELECT id FROM devices WHERE platform = f.platform AND id > r.last_id
        ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), f.id)
      FROM ranges r JOIN final f ON f.platform = r.platform WHERE r.last_id < f.id)
    INSERT INTO push_message_chunks (message_id, upstream, after_id, last_id)
    SELECT ${messageId}::uuid, platform::text, after_id, last_id FROM ranges`
}

/**
 * Chunks of the devices that these users have now, opt-outs applied, which are the audience; the users are put down as
 * recipients. Returns the number of devices.
 */
async function planUserChunks(
  sql: Sql,
  { id, content }: SentMessage,
  userIds: readonly string[],
  chunkSize: number,
): Promise<number> {
  await sql.run`
    INSERT INTO push_recipients (user_id, message_id)
    SELECT id, ${id}::uuid FROM users WHERE id = ANY (${userIds}::uuid[]) AND deleted_at IS NULL`
  const counted = await sql.rows<{ platform: Platform; count: number }>`
    WITH audience AS (
      SELECT d.id, d.platform,
        CASE WHEN d.platform = 'ios' AND d.environment = 'sandbox' THEN 'ios-sandbox' ELSE d.platform::text END AS upstream
      FROM push_recipients r
      JOIN devices d ON d.user_id = r.user_id AND d.disabled_reason IS NULL
      LEFT JOIN notification_preferences p ON p.user_id = r.user_id
      WHERE r.message_id = ${id}::uuid AND coalesce(p.push_enabled, true)
        AND NOT ${content.category} = ANY (coalesce(p.muted_categories, '{}'))),
    numbered AS (
      SELECT *, (row_number() OVER (PARTITION BY upstream ORDER BY id) - 1) / ${chunkSize}::int AS n FROM audience),
    planned AS (
      INSERT INTO push_message_chunks (message_id, upstream, platform, device_ids)
      SELECT ${id}::uuid, upstream, platform, array_agg(id) FROM numbered GROUP BY upstream, platform, n)
    SELECT platform, count(*)::int AS count FROM audience GROUP BY platform`
  const of = (platform: Platform) => counted.find((c) => c.platform === platform)?.count ?? 0
  await sql.run`
    UPDATE push_messages SET audience_ios = ${of('ios')}::int, audience_android = ${of('android')}::int
    WHERE id = ${id}::uuid`
  return of('ios') + of('android')
}
