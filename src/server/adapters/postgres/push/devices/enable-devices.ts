import type { Upstream } from '../../../../domain/push/delivery/upstream.ts'
import { MAX_FAILURES } from '../../../../domain/push/messages/counts.ts'
import type { Db } from '../../db.ts'
import type { Sql } from '../../sql.ts'
import { MAX_FAILURE_ROWS } from '../messages/failure-rows.ts'

/**
 * Re-enables the devices that this upstream's responses have disabled since then. Their messages then count them as
 * failed instead of removed. Returns the number of devices.
 */
export async function enableAgain(sql: Sql, upstream: Upstream, since: Date): Promise<number> {
  const [row] = await sql.rows<'enableAgain'>`
    WITH enabled AS (
      UPDATE devices d SET disabled_reason = NULL, disabled_by = NULL, disabled_at = NULL
      FROM devices old
      WHERE old.id = d.id AND d.disabled_reason IS NOT NULL AND d.disabled_at >= ${since}::timestamptz
        -- The same rule as upstreamOf.
        AND CASE WHEN d.app = 'default' THEN '' ELSE d.app || '/' END
          || CASE WHEN d.platform = 'ios' AND d.environment = 'sandbox' THEN 'ios-sandbox'
            WHEN d.web_service <> 'google' THEN 'web-' || d.web_service
            ELSE d.platform::text END = ${upstream}
      RETURNING d.id, d.user_id, d.platform, old.disabled_by AS message_id, old.disabled_reason AS reason),
    numbered AS (SELECT *, row_number() OVER (PARTITION BY message_id) AS n FROM enabled),
    by_message AS (
      SELECT message_id, count(*)::int AS enabled,
             ${MAX_FAILURE_ROWS}::int - (SELECT count(*) FROM push_failures f WHERE f.message_id = numbered.message_id) AS room,
             jsonb_agg(jsonb_build_object('deviceId', id, 'platform', platform, 'reason', reason))
               FILTER (WHERE n <= ${MAX_FAILURES}::int) AS failures
      FROM numbered GROUP BY message_id),
    listed AS (
      INSERT INTO push_failures (message_id, device_id, user_id, platform, reason)
      SELECT m.id, e.id, e.user_id, e.platform, e.reason
      FROM numbered e JOIN by_message b USING (message_id) JOIN push_messages m ON m.id = e.message_id
      WHERE e.n <= b.room),
    recounted AS (
      UPDATE push_messages m
      SET removed = m.removed - least(m.removed, b.enabled), failed = m.failed + least(m.removed, b.enabled),
          failures = jsonb_path_query_array(
            m.failures || b.failures, '$[0 to $last]', jsonb_build_object('last', ${MAX_FAILURES - 1}::int))
      FROM by_message b WHERE m.id = b.message_id)
    SELECT count(*)::int AS enabled FROM enabled`
  return row!.enabled
}

/** Enables all devices disabled since then, or only those with this reason. Returns the number of devices. */
export async function enableDevices(db: Db, since: Date, reason?: string): Promise<number> {
  // The previous release wrote no disabled_at, so the time of the message is used instead.
  return db.sql.run<'enableDevices'>`
    UPDATE devices d SET disabled_reason = NULL, disabled_by = NULL, disabled_at = NULL
    WHERE d.disabled_reason IS NOT NULL
      AND coalesce(d.disabled_at, (SELECT m.created_at FROM push_messages m WHERE m.id = d.disabled_by))
        >= ${since}::timestamptz
      AND (${reason ?? null}::text IS NULL OR d.disabled_reason = ${reason ?? null}::text)`
}
