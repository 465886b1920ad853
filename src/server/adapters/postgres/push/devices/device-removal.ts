import { type Upstream, upstreamOf } from '../../../../domain/push/delivery/upstream.ts'
import type { Counts, Failure, Removal } from '../../../../domain/push/messages/counts.ts'
import type { Sql } from '../../sql.ts'
import type { BreakerStates } from '../delivery/circuit-breakers.ts'

/** Counts that are added to a message after its devices are removed. */
export type SettledCounts = { sent: number; failed: number; removed: number; failures: Failure[] }

/**
 * Deletes the devices that are gone and disables the suspects. Suspects count as failed if the circuit breaker of their
 * upstream is open, and so do devices that have registered again since.
 */
export async function removeDevices(sql: Sql, messageId: string, counts: Counts, breakers: BreakerStates) {
  const settled = { sent: counts.sent, failed: counts.failed, removed: 0, failures: [...counts.failures] }
  const fail = (removals: Removal[]) => {
    for (const removal of removals) settled.failures.push(failureOf(removal))
    settled.failed += removals.length
  }
  const split = (removals: Removal[], done: Set<string>) => {
    settled.removed += done.size
    fail(removals.filter((r) => !done.has(r.recipient.deviceId)))
  }

  if (counts.gone.length > 0) split(counts.gone, await deleteGone(sql, counts.gone))

  const byUpstream = Map.groupBy(counts.suspects, ({ recipient }): Upstream => upstreamOf(recipient))
  for (const [upstream, suspects] of byUpstream) {
    const { open, disabledAt } = breakers.get(upstream)!
    if (open) fail(suspects)
    else split(suspects, await disable(sql, messageId, suspects, disabledAt))
  }
  return settled
}

const failureOf = ({ recipient, reason }: Removal): Failure => ({
  deviceId: recipient.deviceId,
  platform: recipient.platform,
  reason,
})

async function deleteGone(sql: Sql, gone: Removal[]): Promise<Set<string>> {
  const rows = await sql.rows<'deleteGoneDevices'>`
    DELETE FROM devices d
    USING unnest(${ids(gone)}::uuid[], ${seen(gone)}::text[]::timestamptz[], ${gone.map((r) => r.since ?? null)}::timestamptz[])
      AS g (id, last_seen_at, since)
    WHERE d.id = g.id
      AND CASE WHEN g.since IS NULL THEN d.last_seen_at = g.last_seen_at ELSE d.last_seen_at <= g.since END
    RETURNING d.id`
  return new Set(rows.map((row) => row.id))
}

async function disable(sql: Sql, messageId: string, suspects: Removal[], disabledAt: Date) {
  const rows = await sql.rows<'disableDevices'>`
    UPDATE devices d
    SET disabled_reason = coalesce(d.disabled_reason, s.reason),
        disabled_by = CASE WHEN d.disabled_reason IS NULL THEN ${messageId}::uuid ELSE d.disabled_by END,
        disabled_at = CASE WHEN d.disabled_reason IS NULL THEN ${disabledAt}::timestamptz ELSE d.disabled_at END
    FROM unnest(${ids(suspects)}::uuid[], ${seen(suspects)}::text[]::timestamptz[], ${suspects.map((s) => s.reason)}::text[])
      AS s (id, last_seen_at, reason)
    WHERE d.id = s.id AND d.last_seen_at = s.last_seen_at
    RETURNING d.id`
  return new Set(rows.map((row) => row.id))
}

const ids = (removals: Removal[]) => removals.map((r) => r.recipient.deviceId)
const seen = (removals: Removal[]) => removals.map((r) => r.recipient.lastSeenAt)
