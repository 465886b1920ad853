import pg from 'pg'
import { databaseTime } from '../adapters/postgres/database-state.ts'
import { databaseFault } from '../adapters/postgres/errors.ts'
import { hostStates, primaryUrl } from '../adapters/postgres/find-primary.ts'
import { appliedMigrations, hasMigrations, readMigrations } from '../adapters/postgres/migrations.ts'
import { POOL_SIZES } from '../adapters/postgres/pool.ts'
import { createSql, type Sql } from '../adapters/postgres/sql.ts'
import { countCleanupFailures } from '../adapters/postgres/uploads/cleanup.ts'
import { storedBytes } from '../adapters/postgres/uploads/storage-leases.ts'
import type { Config } from '../config/config.ts'
import { urlPerHost } from '../kernel/database-hosts.ts'
import { compareClocks } from './peer.ts'
import { attempt, describe, fail, ok, type Report, type Verdict, warn } from './report.ts'

const MIN_VERSION = 14
/** Connections that a replica and its successor can open during an update. */
const MAX_CONNECTIONS = 2 * Object.values(POOL_SIZES).reduce((sum, size) => sum + size, 0)
/** Share of TOTAL_STORAGE_BYTES from which uploads are about to be rejected. */
const NEARLY_FULL = 0.9
/** Shorter failures are retried soon and need no attention. */
const WEBHOOK_FAILING = '1 hour'

/**
 * Checks version, migrations, clock and connections of the database, and what its rows show. Changes nothing.
 * `migrations`: the folder of this release's migrations.
 */
export async function checkDatabase(
  { databaseUrl, totalStorageBytes }: Pick<Config, 'databaseUrl' | 'totalStorageBytes'>,
  migrations: string,
  report: Report,
): Promise<void> {
  if (urlPerHost(databaseUrl).length > 1)
    await attempt(report, 'database-hosts', () => checkHosts(databaseUrl))
  let client: pg.Client
  try {
    client = new pg.Client({
      connectionString: await primaryUrl(databaseUrl, 5_000),
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      application_name: 'pigeonhole-doctor',
    })
    client.on('error', () => {})
    await client.connect()
  } catch (error) {
    const cause = [describe(error), databaseFault(error)].filter((text) => text !== undefined).join(': ')
    report('database-connection', 'FAIL', `DATABASE_URL does not accept connections: ${cause}`)
    return
  }
  const sql = createSql(client)
  try {
    report('database-connection', 'ok', 'accepts connections')
    await attempt(report, 'database-version', () => checkVersion(sql))
    await attempt(report, 'database-migrations', () => checkMigrations(sql, migrations))
    await attempt(report, 'database-connections', () => checkConnections(sql))
    await attempt(report, 'database-clock', () =>
      compareClocks(() => databaseTime(sql), warn('the database returned no time')),
    )
    // Skip what pending migrations have yet to create: `database-migrations` reports them.
    const [schema] = await sql.rows<'findTables'>`
      SELECT to_regclass('webhooks') IS NOT NULL AS webhooks, EXISTS (
        SELECT FROM information_schema.columns
        WHERE table_name = 'files' AND column_name = 'cleanup_failing_since') AS cleanup`
    if (schema?.cleanup && totalStorageBytes !== undefined)
      await attempt(report, 'storage-ceiling', () => checkStorageCeiling(sql, totalStorageBytes))
    if (schema?.cleanup) await attempt(report, 'files-cleanup', () => checkCleanup(sql))
    if (schema?.webhooks) await attempt(report, 'webhooks', () => checkWebhooks(sql))
  } finally {
    await client.end().catch(() => {})
  }
}

async function checkHosts(databaseUrl: string): Promise<Verdict> {
  const hosts = await hostStates(databaseUrl, 5_000)
  const list = hosts.map((found) => {
    if ('error' in found) return `${found.host} does not accept connections (${describe(found.error)})`
    return found.state === 'primary' ? `${found.host} is the primary` : `${found.host} is a standby`
  })
  const message = list.join(', ')
  if (hosts.filter((found) => 'state' in found && found.state === 'primary').length > 1)
    return fail(`${message}: stop all primaries but one, because they accept conflicting writes`)
  if (hosts.some((found) => 'error' in found))
    return warn(`${message}: repair it, because the service needs it if the primary fails`)
  return ok(message)
}

async function checkVersion(sql: Sql): Promise<Verdict> {
  const [row] = await sql.rows<'serverVersion'>`SELECT current_setting('server_version') AS version`
  const { version } = row!
  return Number.parseInt(version, 10) >= MIN_VERSION
    ? ok(`PostgreSQL ${version}`)
    : fail(`PostgreSQL ${version} is too old: install version ${MIN_VERSION} or newer`)
}

async function checkMigrations(sql: Sql, migrations: string): Promise<Verdict> {
  const rows = (await hasMigrations(sql)) ? await appliedMigrations(sql) : []
  const applied = rows.filter(({ finishedAt }) => finishedAt !== null).map(({ name }) => name)
  const known = readMigrations(migrations).map((migration) => migration.name)
  const pending = known.filter((name) => !applied.includes(name))
  const newer = applied.filter((name) => !known.includes(name))
  if (pending.length > 0) return fail(`${pending.length} pending (${pending[0]} ...): run npm run db:migrate`)
  if (newer.length > 0) return warn(`the database is ahead of this release: ${newer.join(', ')}`)
  return ok(`all ${known.length} applied`)
}

async function checkConnections(sql: Sql): Promise<Verdict> {
  const [row] = await sql.rows<'maxConnections'>`SELECT current_setting('max_connections')::int AS max`
  const { max } = row!
  if (max >= MAX_CONNECTIONS) return ok(`max_connections is ${max}`)
  return warn(
    `max_connections is ${max}: raise it, because one replica and its successor can open ${MAX_CONNECTIONS} during an update`,
  )
}

async function checkStorageCeiling(sql: Sql, ceiling: number): Promise<Verdict> {
  const { used, reserved } = await storedBytes({ sql })
  const bytes = used + reserved
  const message = `${bytes} of the ${ceiling} bytes of TOTAL_STORAGE_BYTES are used or reserved`
  if (bytes < ceiling * NEARLY_FULL) return ok(message)
  const consequence = bytes < ceiling ? 'uploads will soon be rejected' : 'uploads are being rejected'
  return warn(`${message}: ${consequence} with QUOTA_EXCEEDED, so raise it or delete files`)
}

async function checkCleanup(sql: Sql): Promise<Verdict> {
  const { files, bytes } = await countCleanupFailures({ sql })
  if (files === 0) return ok('no cleanup has failed')
  return warn(
    `cleanup in the object store fails (files: ${files}, bytes of quota: ${bytes}): npm run quota:check names the files, and the log has the cause`,
  )
}

async function checkWebhooks(sql: Sql): Promise<Verdict> {
  const rows = await sql.rows<'findFailingWebhooks'>`
    SELECT id, url, ended_at IS NOT NULL AS ended, count(*) OVER ()::int AS total FROM webhooks
    WHERE ended_at IS NOT NULL OR (active AND failing_since < now() - ${WEBHOOK_FAILING}::interval)
    ORDER BY ended, id LIMIT 3`
  if (rows.length === 0) return ok('no receiver has failed for an hour or ended its subscription')
  // Several webhooks can have one host. The rest of a URL can have a secret, also in its path.
  const first = rows.map(({ id, url, ended }) => ({ webhookId: id, host: new URL(url).host, ended }))
  const { total } = rows[0]!
  const list = first.map(({ webhookId, host, ended }) => {
    const webhook = `${host} (${webhookId})`
    return ended ? `${webhook} returned 410` : `${webhook} fails`
  })
  if (total > first.length) list.push(`${total - first.length} more`)
  const message = `${list.join(', ')}: see GET /api/admin/webhooks, and the deliveries of each for the cause`
  return ['warn', message, { total, first }]
}
