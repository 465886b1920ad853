import { addToTimeline } from '../../../../domain/push/inbox/timeline.ts'
import { type Failure, MAX_FAILURES } from '../../../../domain/push/messages/counts.ts'
import type { CancelResult } from '../../../../domain/push/messages/message-repo.ts'
import type { Sql } from '../../sql.ts'
import { addFailures, MAX_FAILURE_ROWS } from './failure-rows.ts'

/** Serializes accepting a token's broadcast and revoking the token, so that neither misses the other. */
export async function lockPushToken(sql: Sql, pushTokenId: string): Promise<void> {
  await sql.run<'lockPushToken'>`SELECT pg_advisory_xact_lock(hashtextextended('push-token:' || ${pushTokenId}, 0))`
}

/** Time limit of a transaction that cancels all that a token or user sends. A message can have thousands of chunks. */
export const CANCEL_ALL_TIMEOUT_MS = 30_000

/** Cancels, in a transaction, what the user's push tokens have not sent yet. Returns the number of messages. */
export async function cancelAllOfUser(sql: Sql, userId: string): Promise<number> {
  const tokens = await sql.rows<'listTokenIds'>`SELECT id FROM push_tokens WHERE user_id = ${userId}::uuid`
  let cancelled = 0
  for (const { id } of tokens) cancelled += await cancelUnfinished(sql, id)
  return cancelled
}

/** Cancels, in a transaction, the broadcasts that this token has not sent yet. Returns the number of messages. */
export async function cancelUnfinished(sql: Sql, pushTokenId: string): Promise<number> {
  await lockPushToken(sql, pushTokenId)
  // There can be thousands of scheduled messages, and none of them has chunks.
  let cancelled = await sql.run<'cancelScheduled'>`
    UPDATE push_messages
    SET cancelled_at = now(), status = 'cancelled', scheduled = false, audience = audience - 'userIds'
    WHERE push_token_id = ${pushTokenId}::uuid AND completed_at IS NULL AND cancelled_at IS NULL AND scheduled`
  const rows = await sql.rows<'findUnfinishedMessages'>`
    SELECT id FROM push_messages
    WHERE push_token_id = ${pushTokenId}::uuid AND completed_at IS NULL AND cancelled_at IS NULL ORDER BY id`
  for (const { id } of rows) if ((await cancelMessage(sql, id)) === 'cancelled') cancelled++
  return cancelled
}

/**
 * Cancels a message in a transaction. Deletes the chunks that no worker holds. Workers record theirs as usual, and the
 * last one sets the status.
 */
export async function cancelMessage(sql: Sql, id: string): Promise<CancelResult> {
  const [message] = await sql.rows<'lockCancelledMessage'>`
    SELECT failures, timeline, now() AS now, status = 'completed' AS completed, cancelled_at IS NOT NULL AS cancelled
    FROM push_messages WHERE id = ${id}::uuid FOR NO KEY UPDATE`
  if (!message) return 'notFound'
  if (message.completed) return 'completed'
  if (message.cancelled) return 'alreadyCancelled'
  // SKIP LOCKED, because a worker that is claiming a chunk waits for the message's row, which is locked here. The
  // audience already includes the devices of a retry. Those of a range, which has no platform, are counted when it is
  // sent. There can be a million devices, so returns only those that can be listed.
  const devices = await sql.rows<'deleteUnclaimedChunks'>`
    WITH deleted AS (
      DELETE FROM push_message_chunks WHERE id IN (
        SELECT id FROM push_message_chunks WHERE message_id = ${id}::uuid AND lease_id IS NULL
        FOR UPDATE SKIP LOCKED)
      RETURNING platform, device_ids),
    retries AS (SELECT platform, device_ids FROM deleted WHERE platform IS NOT NULL)
    SELECT platform, device_id AS "deviceId", (SELECT sum(cardinality(device_ids)) FROM retries)::int AS total
    FROM retries CROSS JOIN unnest(device_ids) AS device_id
    LIMIT ${MAX_FAILURE_ROWS}::int`
  const total = devices[0]?.total ?? 0
  const failed = devices.map(
    ({ deviceId, platform }): Failure => ({ deviceId: deviceId!, platform: platform!, reason: 'CANCELLED' }),
  )
  const listed = JSON.stringify([...message.failures, ...failed].slice(0, MAX_FAILURES))
  const counts = { sent: 0, failed: total, removed: 0 }
  const timeline = total === 0 ? message.timeline : addToTimeline(message.timeline, message.now, counts)
  await sql.run<'cancelMessage'>`
    WITH rest AS (SELECT EXISTS (SELECT 1 FROM push_message_chunks WHERE message_id = ${id}::uuid) AS any)
    UPDATE push_messages SET
      cancelled_at = now(), scheduled = false, audience = audience - 'userIds', failed = failed + ${total}::int,
      failures = ${listed}::jsonb, timeline = ${timeline && JSON.stringify(timeline)}::jsonb,
      status = (CASE WHEN rest.any THEN 'sending' ELSE 'cancelled' END)::message_status
    FROM rest WHERE id = ${id}::uuid`
  await addFailures(sql, id, failed)
  return 'cancelled'
}
