import { MAX_FAILURES } from '../../push/counts.ts'
import type { CancelResult, Failure, Platform } from '../../push/ports.ts'
import { addToTimeline, type Timeline } from '../../push/timeline.ts'
import type { Sql } from '../postgres/sql.ts'
import { addFailures } from './failure-rows.ts'

type CancelledMessage = {
  failures: Failure[]
  timeline: Timeline | null
  now: Date
  completed: boolean
  cancelled: boolean
}

/** Held while a token's broadcast is accepted and while it is revoked, so that neither misses the other. */
export async function lockPushToken(sql: Sql, pushTokenId: string): Promise<void> {
  await sql.run`SELECT pg_advisory_xact_lock(hashtextextended('push-token:' || ${pushTokenId}, 0))`
}

/** Inside a transaction. Cancels all that this token has broadcast and is not sent yet; returns the messages' ids. */
export async function cancelUnfinished(sql: Sql, pushTokenId: string): Promise<string[]> {
  await lockPushToken(sql, pushTokenId)
  // There may be thousands of them, with nothing planned.
  const scheduled = await sql.rows<{ id: string }>`
    UPDATE push_messages
    SET cancelled_at = now(), status = 'cancelled', scheduled = false, audience = audience - 'userIds'
    WHERE push_token_id = ${pushTokenId}::uuid AND completed_at IS NULL AND cancelled_at IS NULL AND scheduled
    RETURNING id`
  const rows = await sql.rows<{ id: string }>`
    SELECT id FROM push_messages
    WHERE push_token_id = ${pushTokenId}::uuid AND completed_at IS NULL AND cancelled_at IS NULL ORDER BY id`
  const cancelled = scheduled.map(({ id }) => id)
  for (const { id } of rows) if ((await cancelMessage(sql, id)) === 'cancelled') cancelled.push(id)
  return cancelled
}

/**
 * Inside a transaction. Drops the chunks that nobody works on; whoever works on one records it as always, and the last
 * one sets the status.
 */
export async function cancelMessage(sql: Sql, id: string): Promise<CancelResult> {
  const [message] = await sql.rows<CancelledMessage>`
    SELECT failures, timeline, now() AS now, status = 'completed' AS completed, cancelled_at IS NOT NULL AS cancelled
    FROM push_messages WHERE id = ${id}::uuid FOR UPDATE`
  if (!message) return 'notFound'
  if (message.completed) return 'completed'
  if (message.cancelled) return 'alreadyCancelled'
  // SKIP LOCKED: a worker that is claiming a chunk waits for the message's row, which is locked here.
  const dropped = await sql.rows<{ platform: Platform | null; device_ids: string[] }>`
    DELETE FROM push_message_chunks WHERE id IN (
      SELECT id FROM push_message_chunks WHERE message_id = ${id}::uuid AND lease_id IS NULL
      FOR UPDATE SKIP LOCKED)
    RETURNING platform, device_ids`
  // Devices of a retry were counted as audience; those of a range are counted when it is sent.
  const failed = dropped.flatMap(({ platform, device_ids }) =>
    platform ? device_ids.map((deviceId): Failure => ({ deviceId, platform, reason: 'CANCELLED' })) : [],
  )
  const listed = JSON.stringify([...message.failures, ...failed].slice(0, MAX_FAILURES))
  const counts = { sent: 0, failed: failed.length, removed: 0 }
  const timeline =
    failed.length === 0 ? message.timeline : addToTimeline(message.timeline, message.now, counts)
  await sql.run`
    WITH rest AS (SELECT EXISTS (SELECT 1 FROM push_message_chunks WHERE message_id = ${id}::uuid) AS any)
    UPDATE push_messages SET
      cancelled_at = now(), scheduled = false, audience = audience - 'userIds', failed = failed + ${failed.length}::int, failures = ${listed}::jsonb,
      timeline = ${timeline && JSON.stringify(timeline)}::jsonb,
      status = (CASE WHEN rest.any THEN 'sending' ELSE 'cancelled' END)::message_status
    FROM rest WHERE id = ${id}::uuid`
  await addFailures(sql, id, failed)
  return 'cancelled'
}
