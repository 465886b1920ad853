import type { Prisma } from '../../../generated/prisma/client.ts'
import type { IdempotencyRepo } from '../../push/ports.ts'
import { messageOutput } from '../../push/schema.ts'
import type { Db } from '../postgres/db.ts'

/** How long a key stands for its first answer. */
const KEEP = '24 hours'

export function createIdempotencyRepo(db: Db): IdempotencyRepo {
  const held = (ref: { pushTokenId: string; key: string; messageId: string }) => ({
    pushTokenId: ref.pushTokenId,
    key: ref.key,
    messageId: ref.messageId,
    httpStatus: null,
  })
  return {
    async claim(ref, leaseMs) {
      const { pushTokenId, key, bodyHash, messageId } = ref
      const taken = await db.sql.rows<{ message_id: string }>`
        INSERT INTO idempotency_keys AS k (push_token_id, key, body_hash, message_id, leased_until)
        VALUES (${pushTokenId}::uuid, ${key}, ${bodyHash}, ${messageId}::uuid, now() + ${leaseMs} * interval '1 ms')
        ON CONFLICT (push_token_id, key) DO UPDATE SET
          leased_until = excluded.leased_until,
          body_hash = excluded.body_hash,
          response = NULL, http_status = NULL,
          message_id = CASE WHEN k.created_at < now() - ${KEEP}::interval THEN excluded.message_id ELSE k.message_id END,
          created_at = CASE WHEN k.created_at < now() - ${KEEP}::interval THEN now() ELSE k.created_at END
        WHERE k.created_at < now() - ${KEEP}::interval
          OR (k.http_status IS NULL AND k.leased_until < now() AND k.body_hash = excluded.body_hash)
        RETURNING message_id`
      if (taken[0])
        return {
          kind: 'acquired',
          messageId: taken[0].message_id,
          takenOver: taken[0].message_id !== messageId,
        }
      const found = await db.idempotencyKey.findUnique({ where: { pushTokenId_key: { pushTokenId, key } } })
      // Released between the two statements: the next claim will acquire it.
      if (!found) return { kind: 'inProgress' }
      if (found.bodyHash !== bodyHash) return { kind: 'bodyMismatch' }
      if (found.httpStatus === null) return { kind: 'inProgress' }
      // jsonb has its own order of names; the schema restores ours.
      return { kind: 'completed', httpStatus: found.httpStatus, answer: messageOutput.parse(found.response) }
    },

    async extend(ref, leaseMs) {
      await db.sql.run`
        UPDATE idempotency_keys SET leased_until = now() + ${leaseMs} * interval '1 ms'
        WHERE push_token_id = ${ref.pushTokenId}::uuid AND key = ${ref.key}
          AND message_id = ${ref.messageId}::uuid AND http_status IS NULL`
    },

    async complete(ref, httpStatus, answer) {
      await db.idempotencyKey.updateMany({
        where: held(ref),
        data: { httpStatus, response: answer as Prisma.InputJsonObject },
      })
    },

    async release(ref) {
      await db.idempotencyKey.deleteMany({ where: held(ref) })
    },
  }
}
