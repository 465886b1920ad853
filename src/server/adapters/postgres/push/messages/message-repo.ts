import { MAX_FAILURES } from '../../../../domain/push/messages/counts.ts'
import type { MessageRepo } from '../../../../domain/push/messages/message-repo.ts'
import { ADMIN_ACTOR, tokenActor, userActor } from '../../../../kernel/audit.ts'
import { addAudit } from '../../accounts/audit-repo.ts'
import { createBatch } from '../../batch.ts'
import { databaseTime } from '../../database-state.ts'
import type { Db } from '../../db.ts'
import { createBroadcast, findDue, listBroadcasts, startMessage } from '../broadcasts/broadcasts.ts'
import type { CircuitBreakers } from '../delivery/circuit-breakers.ts'
import { removeDevices } from '../devices/device-removal.ts'
import { cancelMessage } from './cancellation.ts'
import { type DirectMessage, storeDirect } from './direct-messages.ts'
import { addFailures, countFailures } from './failure-rows.ts'
import { messageView } from './message-view.ts'

export function createMessageRepo(db: Db, breakers: CircuitBreakers): MessageRepo {
  const storeTogether = createBatch((messages: DirectMessage[]) => storeDirect(db.sql, messages))

  async function find(id: string, pushTokenId?: string) {
    const [row] = await db.sql.rows<'findMessage'>`
      SELECT * FROM push_messages
      WHERE id = ${id}::uuid AND (${pushTokenId ?? null}::uuid IS NULL OR push_token_id = ${pushTokenId ?? null}::uuid)`
    return row ? messageView(row) : null
  }

  return {
    find,

    async listSentBy(pushTokenId, beforeId, limit) {
      const rows = await db.sql.rows<'listMessagesOfToken'>`
        SELECT * FROM push_messages WHERE push_token_id = ${pushTokenId}::uuid
          AND (${beforeId ?? null}::uuid IS NULL OR id < ${beforeId ?? null}::uuid)
        ORDER BY id DESC LIMIT ${limit}`
      return rows.map((row) => ({
        ...messageView(row),
        title: row.content.title ?? null,
        createdAt: row.created_at,
      }))
    },

    listBroadcasts: (...page) => listBroadcasts(db, ...page),

    async findBroadcast(id, chunkSize) {
      const [broadcast] = await listBroadcasts(db, { id, beforeId: undefined, limit: 1 }, chunkSize)
      return broadcast ?? null
    },

    countFailures: (...message) => countFailures(db.sql, ...message),

    async listFailures(messageId, afterId, limit) {
      const rows = await db.sql.rows<'listFailures'>`
        SELECT f.id::text, f.device_id AS "deviceId", f.user_id AS "userId", f.platform, f.reason, f.at,
          u.id AS "foundUserId", COALESCE(u.email, u.claimed_email, u.display_email) AS email, u.name
        FROM push_failures f LEFT JOIN users u ON u.id = f.user_id
        WHERE f.message_id = ${messageId}::uuid AND f.id > ${BigInt(afterId ?? -1)}::bigint
        ORDER BY f.id LIMIT ${limit}`
      return rows.map(({ foundUserId, email, name, ...failure }) => ({
        ...failure,
        user: foundUserId === null ? null : { email, name },
      }))
    },

    async recordDirect(message, counts) {
      const { id } = message
      const { audience } = counts
      const isPlain = counts.gone.length + counts.suspects.length + counts.failures.length === 0
      const settled = await breakers.recording(counts, async (recordSuspects) => {
        // Most messages change no device. One statement then stores several, instead of a transaction for each.
        if (isPlain) {
          const done = { sent: counts.sent, failed: 0, removed: 0, failures: [] }
          return (await storeTogether({ message, audience, settled: done })) ? done : null
        }
        return db.sqlTransaction(async (sql) => {
          const done = await removeDevices(sql, id, counts, await recordSuspects(sql))
          const [stored] = await storeDirect(sql, [{ message, audience, settled: done }])
          if (!stored) return null
          await addFailures(sql, id, done.failures)
          return done
        })
      })
      // An earlier attempt stored it and removed the devices, whose rows are gone now.
      if (!settled) return (await find(id))!
      const { sent, failed, removed } = settled
      const failures = settled.failures.slice(0, MAX_FAILURES)
      return { id, status: 'completed', audience, sent, failed, removed, failures }
    },

    createBroadcast: (message, maxUnfinished) => createBroadcast(db, message, maxUnfinished),

    findDue: (skip, options) => findDue(db, skip, options),
    start: (id, chunkSize, signal) => startMessage(db, id, chunkSize, signal),

    now: () => databaseTime(db.sql),

    cancel: (id, { token, userId = token?.userId, actor: canceler, address }) =>
      db.sqlTransaction(async (sql) => {
        const result = await cancelMessage(sql, id)
        const actor = canceler ?? (token ? tokenActor(token.id) : userId ? userActor(userId) : ADMIN_ACTOR)
        if (result === 'cancelled')
          await addAudit(sql, { action: 'push.cancelled', actor, userId, subjectId: id, address })
        return result
      }),
  }
}
