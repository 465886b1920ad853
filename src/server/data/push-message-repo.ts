import type { Prisma } from '../../generated/prisma/client.ts'
import { newId } from '../ids.ts'
import { noSuspicion } from '../push/brake.ts'
import type { Failure, MessageRepo, NewMessage } from '../push/ports.ts'
import type { MessageView } from '../push/schema.ts'
import type { Db } from './postgres/db.ts'
import { type Sql, sqlIn } from './postgres/sql.ts'
import { type Settled, settle } from './push-removals.ts'

export function createPushMessageRepo(db: Db): MessageRepo {
  return {
    async find(id) {
      const row = await db.pushMessage.findUnique({ where: { id } })
      if (!row) return null
      return {
        id,
        pushTokenId: row.pushTokenId,
        status: row.status,
        audience: { ios: row.audienceIos, android: row.audienceAndroid },
        sent: row.sent,
        failed: row.failed,
        removed: row.removed,
        failures: row.failures as Failure[],
      }
    },

    async recordDirect(message, tally): Promise<MessageView> {
      const { audience } = tally
      const { id, pushTokenId, userId, content, createdAt, expiresAt } = message
      // The write may be repeated, and a request that was taken over may still be alive: no conflict counts.
      const store = (sql: Sql, done: Settled) => sql.run`
        INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, audience_ios,
          audience_android, sent, failed, removed, failures, suspects, created_at, expires_at, completed_at)
        VALUES (${id}::uuid, ${pushTokenId}::uuid, ${userId}::uuid, ${content.category},
          ${JSON.stringify(content)}::jsonb, 'completed', ${audience.ios}::int, ${audience.android}::int,
          ${done.sent}::int, ${done.failed}::int, ${done.removed}::int, ${JSON.stringify(done.failures)}::jsonb,
          ${JSON.stringify(done.suspicion)}::jsonb, ${createdAt}::timestamptz, ${expiresAt}::timestamptz,
          ${new Date()}::timestamptz)
        ON CONFLICT (id) DO NOTHING`
      const plain = tally.gone.length + tally.suspects.length === 0
      // Nothing to remove, as nearly always: one statement instead of a transaction.
      const settled = plain
        ? await settle(db.sql, message.id, tally, noSuspicion())
        : await db.$transaction(async (tx) => {
            const sql = sqlIn(tx)
            const done = await settle(sql, message.id, tally, noSuspicion())
            await store(sql, done)
            return done
          })
      if (plain) await store(db.sql, settled)
      const { sent, failed, removed, failures } = settled
      return { id: message.id, status: 'completed', audience, sent, failed, removed, failures }
    },

    async createBroadcast(message, chunkSize) {
      const details = {
        messageId: message.id,
        category: message.content.category,
        title: message.content.title,
      }
      await db.$transaction(
        async (tx) => {
          await tx.pushMessage.create({ data: { ...columnsOf(message), status: 'queued' } })
          const chunks = await planChunks(sqlIn(tx), message.id, chunkSize)
          if (chunks === 0)
            await tx.pushMessage.update({
              where: { id: message.id },
              data: { status: 'completed', completedAt: new Date() },
            })
          await tx.auditEntry.create({
            data: { id: newId(), action: 'push.broadcast', subjectId: message.pushTokenId, details },
          })
        },
        { timeout: 60_000 },
      )
    },
  }
}

function columnsOf(message: NewMessage) {
  const { id, pushTokenId, userId, content, createdAt, expiresAt } = message
  return {
    id,
    pushTokenId,
    userId,
    category: content.category,
    content: content as Prisma.InputJsonObject,
    createdAt,
    expiresAt,
  }
}

/**
 * Ranges of `chunkSize` device ids, of all devices that there are in this snapshot: enabled or not, opted out
 * or not, which is looked at when the chunk is read. Hops from edge to edge over the primary key's index.
 */
async function planChunks(sql: Sql, messageId: string, chunkSize: number): Promise<number> {
  return sql.run`
    WITH RECURSIVE final AS (SELECT id FROM devices ORDER BY id DESC LIMIT 1),
    ranges (after_id, last_id) AS (
      SELECT NULL::uuid, coalesce((SELECT id FROM devices ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), final.id)
      FROM final
      UNION ALL
      SELECT r.last_id, coalesce(
        (SELECT id FROM devices WHERE id > r.last_id ORDER BY id OFFSET ${chunkSize - 1} LIMIT 1), final.id)
      FROM ranges r, final WHERE r.last_id < final.id)
    INSERT INTO push_message_chunks (message_id, after_id, last_id)
    SELECT ${messageId}::uuid, after_id, last_id FROM ranges`
}
