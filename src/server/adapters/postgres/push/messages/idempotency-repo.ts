import type { IdempotencyRepo } from '../../../../domain/push/messages/idempotency.ts'
import { messageOutput } from '../../../../domain/push/messages/schema.ts'
import type { Db } from '../../db.ts'

/** Time for which a key returns its first response. */
const KEEP = '24 hours'

export function createIdempotencyRepo({ sql }: Db): IdempotencyRepo {
  return {
    async claim({ pushTokenId, key, bodyHash, messageId }, leaseMs) {
      const [claimed] = await sql.rows<'claimIdempotencyKey'>`
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
        RETURNING message_id AS id`
      if (claimed) return { kind: 'acquired', messageId: claimed.id, takenOver: claimed.id !== messageId }
      const [found] = await sql.rows<'findIdempotencyKey'>`
        SELECT body_hash AS "bodyHash", http_status AS "httpStatus", response FROM idempotency_keys
        WHERE push_token_id = ${pushTokenId}::uuid AND key = ${key}`
      // Without a row, it was released between the two statements. The next claim will acquire it.
      if (!found) return { kind: 'inProgress' }
      if (found.bodyHash !== bodyHash) return { kind: 'bodyMismatch' }
      if (found.httpStatus === null) return { kind: 'inProgress' }
      // jsonb reorders fields; the schema restores their order.
      return { kind: 'completed', httpStatus: found.httpStatus, answer: messageOutput.parse(found.response) }
    },

    extend: ({ pushTokenId, key, messageId }, leaseMs) => sql.write<'extendIdempotencyKey'>`
      UPDATE idempotency_keys SET leased_until = now() + ${leaseMs} * interval '1 ms'
      WHERE push_token_id = ${pushTokenId}::uuid AND key = ${key}
        AND message_id = ${messageId}::uuid AND http_status IS NULL`,

    complete: ({ pushTokenId, key, messageId }, httpStatus, answer) => sql.write<'completeIdempotencyKey'>`
      UPDATE idempotency_keys SET http_status = ${httpStatus}::int, response = ${JSON.stringify(answer)}::jsonb
      WHERE push_token_id = ${pushTokenId}::uuid AND key = ${key}
        AND message_id = ${messageId}::uuid AND http_status IS NULL`,

    release: ({ pushTokenId, key, messageId }) => sql.write<'releaseIdempotencyKey'>`
      DELETE FROM idempotency_keys
      WHERE push_token_id = ${pushTokenId}::uuid AND key = ${key}
        AND message_id = ${messageId}::uuid AND http_status IS NULL`,
  }
}
