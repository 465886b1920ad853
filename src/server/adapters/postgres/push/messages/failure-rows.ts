import type { Failure } from '../../../../domain/push/messages/counts.ts'
import type { FailureCount } from '../../../../domain/push/messages/schema.ts'
import type { Sql } from '../../sql.ts'

/** Maximum rows per message. A broadcast that fails for all devices would otherwise write a row for each. */
export const MAX_FAILURE_ROWS = 10_000

/** Adds to a message's list of failures. The caller has locked the message, or it is not visible to others yet. */
export async function addFailures(sql: Sql, messageId: string, failures: Failure[]): Promise<void> {
  if (failures.length === 0) return
  await sql.run<'addFailures'>`
    INSERT INTO push_failures (message_id, device_id, user_id, platform, reason)
    SELECT ${messageId}::uuid, f.device_id, d.user_id, f.platform, f.reason
    FROM unnest(${failures.map((f) => f.deviceId)}::uuid[], ${failures.map((f) => f.platform)}::platform[], ${failures.map((f) => f.reason)}::text[])
      WITH ORDINALITY AS f (device_id, platform, reason, n)
    LEFT JOIN devices d ON d.id = f.device_id
    ORDER BY f.n
    LIMIT greatest(0, ${MAX_FAILURE_ROWS}::int - (
      SELECT count(*) FROM push_failures WHERE message_id = ${messageId}::uuid))`
}

/** Counts a message's failed devices by reason, most frequent first. */
export function countFailures(sql: Sql, messageId: string, limit: number): Promise<FailureCount[]> {
  return sql.rows<'countFailures'>`
    SELECT platform, reason, count(*)::int AS count FROM push_failures WHERE message_id = ${messageId}::uuid
    GROUP BY platform, reason ORDER BY count DESC, platform, reason LIMIT ${limit}`
}
