import { type CircuitBreakers, recordAnswers } from '../../push/circuit-breaker.ts'
import type { Counts, Failure, Platform, Removal } from '../../push/ports.ts'
import type { Sql } from '../postgres/sql.ts'

/** What is added to a message once its devices are removed. `removed` is negative when the circuit breaker opens. */
export type SettledCounts = {
  sent: number
  failed: number
  removed: number
  failures: Failure[]
  breakers: CircuitBreakers
}

/**
 * Deletes the devices that are gone and disables the suspects; if the circuit breaker opens, enables the devices
 * again that this message disabled. Devices that have registered again since stay and count as failed.
 */
export async function removeDevices(
  sql: Sql,
  messageId: string,
  counts: Counts,
  before: CircuitBreakers,
): Promise<SettledCounts> {
  const breakers = recordAnswers(before, counts)
  const settled = {
    sent: counts.sent,
    failed: counts.failed,
    removed: 0,
    failures: [...counts.failures],
    breakers,
  }
  const fail = (failures: Failure[]) => {
    for (const failure of failures) settled.failures.push(failure)
    settled.failed += failures.length
  }
  const split = (removals: Removal[], done: Set<string>) => {
    settled.removed += done.size
    fail(removals.filter((r) => !done.has(r.recipient.deviceId)).map(failureOf))
  }

  if (counts.gone.length > 0) split(counts.gone, await deleteGone(sql, counts.gone))

  for (const platform of ['ios', 'android'] as const) {
    const suspects = counts.suspects.filter((s) => s.recipient.platform === platform)
    if (!breakers[platform].open) {
      if (suspects.length === 0) continue
      const disabled = await disable(sql, messageId, suspects)
      breakers[platform].disabled += disabled.size
      split(suspects, disabled)
      continue
    }
    fail(suspects.map(failureOf))
    const { disabled } = breakers[platform]
    if (disabled === 0) continue
    // All of them turn from removed to failed; those that have registered again meanwhile are enabled already.
    const enabled = await enableAgain(sql, messageId, platform)
    settled.removed -= disabled
    fail(enabled)
    settled.failed += disabled - enabled.length
    breakers[platform].disabled = 0
  }
  return settled
}

const failureOf = ({ recipient, reason }: Removal): Failure => ({
  deviceId: recipient.deviceId,
  platform: recipient.platform,
  reason,
})

async function deleteGone(sql: Sql, gone: Removal[]): Promise<Set<string>> {
  const rows = await sql.rows<{ id: string }>`
    DELETE FROM devices d
    USING unnest(${ids(gone)}::uuid[], ${seen(gone)}::timestamptz[], ${gone.map((r) => r.since?.toISOString() ?? null)}::timestamptz[])
      AS g (id, last_seen_at, since)
    WHERE d.id = g.id
      AND CASE WHEN g.since IS NULL THEN d.last_seen_at = g.last_seen_at ELSE d.last_seen_at <= g.since END
    RETURNING d.id`
  return new Set(rows.map((row) => row.id))
}

async function disable(sql: Sql, messageId: string, suspects: Removal[]): Promise<Set<string>> {
  const rows = await sql.rows<{ id: string }>`
    UPDATE devices d
    SET disabled_reason = coalesce(d.disabled_reason, s.reason),
        disabled_by = CASE WHEN d.disabled_reason IS NULL THEN ${messageId}::uuid ELSE d.disabled_by END
    FROM unnest(${ids(suspects)}::uuid[], ${seen(suspects)}::timestamptz[], ${suspects.map((s) => s.reason)}::text[])
      AS s (id, last_seen_at, reason)
    WHERE d.id = s.id AND d.last_seen_at = s.last_seen_at
    RETURNING d.id`
  return new Set(rows.map((row) => row.id))
}

async function enableAgain(sql: Sql, messageId: string, platform: Platform): Promise<Failure[]> {
  const rows = await sql.rows<{ id: string; reason: string }>`
    UPDATE devices d SET disabled_reason = NULL, disabled_by = NULL
    FROM devices old
    WHERE old.id = d.id AND d.disabled_by = ${messageId}::uuid AND d.platform = ${platform}::platform
    RETURNING d.id, old.disabled_reason AS reason`
  return rows.map(({ id, reason }) => ({ deviceId: id, platform, reason }))
}

const ids = (removals: Removal[]) => removals.map((r) => r.recipient.deviceId)
const seen = (removals: Removal[]) => removals.map((r) => r.recipient.lastSeenAt.toISOString())
