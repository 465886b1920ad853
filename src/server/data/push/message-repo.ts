import { ADMIN_ACTOR, tokenActor, userActor } from '../../audit.ts'
import { MAX_FAILURES } from '../../push/counts.ts'
import type { Content, MessageRepo } from '../../push/ports.ts'
import { addAudit } from '../audit/audit-repo.ts'
import { createBatch } from '../postgres/batch.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { listBroadcasts } from './broadcast-list.ts'
import { createBroadcast, startScheduled } from './broadcasts.ts'
import { cancelMessage } from './cancellation.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import { removeDevices } from './device-removal.ts'
import { type DirectMessage, storeDirect } from './direct-messages.ts'
import { addFailures } from './failure-rows.ts'
import { messageView } from './message-row.ts'

export function createMessageRepo(db: Db, breakers: CircuitBreakers): MessageRepo {
  const storePlain = createBatch((messages: DirectMessage[]) => storeDirect(db.sql, messages))

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
        title: (row.content as Content).title ?? null,
        createdAt: row.createdAt,
      }))
    },

    listBroadcasts: (...page) => listBroadcasts(db, ...page),

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
      const { id } = message
      const { audience } = counts
      const isPlain = counts.gone.length + counts.suspects.length + counts.failures.length === 0
      const settled = await breakers.recording(counts, async (recordSuspects) => {
        // Nearly always: no device to change, so one statement for all such messages instead of a transaction each.
        if (isPlain) {
          const done = { sent: counts.sent, failed: 0, removed: 0, failures: [] }
          await storePlain({ message, audience, settled: done })
          return done
        }
        return db.$transaction(async (tx) => {
          const sql = sqlIn(tx)
          const done = await removeDevices(sql, id, counts, await recordSuspects(sql))
          const [stored] = await storeDirect(sql, [{ message, audience, settled: done }])
          if (stored) await addFailures(sql, id, done.failures)
          return done
        })
      })
      const { sent, failed, removed } = settled
      const failures = settled.failures.slice(0, MAX_FAILURES)
      return { id, status: 'completed', audience, sent, failed, removed, failures }
    },

    createBroadcast: (message, limits) => createBroadcast(db, message, limits),

    startScheduled: (chunkSize) => startScheduled(db, chunkSize),

    async now() {
      const [row] = await db.sql.rows<{ now: Date }>`SELECT now()`
      return row!.now
    },

    async cancel(id, { token, userId = token?.userId, actor, address }) {
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        const result = await cancelMessage(sql, id)
        if (result === 'cancelled')
          await addAudit(sql, {
            action: 'push.cancelled',
            actor: actor ?? (token ? tokenActor(token.id) : userId ? userActor(userId) : ADMIN_ACTOR),
            userId,
            subjectId: id,
            address,
          })
        return result
      })
    },
  }
}
