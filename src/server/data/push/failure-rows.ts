import type { Failure } from '../../push/ports.ts'
import type { Sql } from '../postgres/sql.ts'

/** Rows of a message; a broadcast that fails for everybody would otherwise write as many as there are devices. */
export const MAX_FAILURE_ROWS = 10_000

/** Adds to the list of a message's failures. The message's row is locked, or not yet visible to others. */
export async function addFailures(sql: Sql, messageId: string, failures: Failure[]): Promise<void> {
  if (failures.length === 0) return
  const column = (name: keyof Failure) => failures.map((failure) => failure[name])
  await sql.run`
    INSERT INTO push_failures (message_id, device_id, user_id, platform, reason)
    SELECT ${messageId}::uuid, f.device_id, d.user_id, f.platform, f.reason
    FROM unnest(${column('deviceId')}::uuid[], ${column('platform')}::platform[], ${column('reason')}::text[])
      WITH ORDINALITY AS f (device_id, platform, reason, n)
    LEFT JOIN devices d ON d.id = f.device_id
    ORDER BY f.n
    LIMIT greatest(0, ${MAX_FAILURE_ROWS}::int - (
      SELECT count(*) FROM push_failures WHERE message_id = ${messageId}::uuid))`
}
