import type pg from 'pg'
import { attempt, type Report } from './finding.ts'

/** Shorter failures are repeated soon, and need nobody. */
const PATIENCE = '1 hour'

/** Whether receivers of webhooks take what they are sent. */
export async function checkWebhooks(client: pg.Client, report: Report): Promise<void> {
  // Before the migrations, which have a finding of their own, there is nothing to look at.
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('webhooks') IS NOT NULL AS found`,
  )
  if (rows[0]!.found) await attempt(report, 'webhooks', () => checkReceivers(client, report))
}

async function checkReceivers(client: pg.Client, report: Report): Promise<void> {
  const { rows } = await client.query<{ url: string; failing: boolean }>(
    `SELECT url, ended_at IS NULL AS failing FROM webhooks
     WHERE ended_at IS NOT NULL OR (active AND failing_since < now() - $1::interval) ORDER BY ended_at IS NOT NULL, id LIMIT 3`,
    [PATIENCE],
  )
  if (rows.length === 0) {
    report('webhooks', 'ok', 'no receiver has failed for an hour or ended its subscription')
    return
  }
  const list = rows.map(({ url, failing }) => `${new URL(url).host} ${failing ? 'fails' : 'answered 410'}`)
  report(
    'webhooks',
    'warn',
    `${list.join(', ')}: GET /api/admin/webhooks says since when, and the deliveries of each say why`,
  )
}
