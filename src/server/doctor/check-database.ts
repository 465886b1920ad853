import pg from 'pg'
import type { Config } from '../config.ts'
import { readMigrations } from '../data/postgres/migrations.ts'
import { checkStoredFiles } from './check-stored-files.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { attempt, describe, type Report, reportSkew } from './finding.ts'

const OLDEST_VERSION = 14
/** What a replica may open (docs/operations.md, sizing), twice for an update. */
const CONNECTIONS = 68

/**
 * Version, migrations, clock and connections of the database, and what the rows say. Changes nothing. `migrations`: the
 * folder of this release's.
 */
export async function checkDatabase(
  { databaseUrl, totalStorageBytes }: Pick<Config, 'databaseUrl' | 'totalStorageBytes'>,
  migrations: string,
  report: Report,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    application_name: 'pigeonhole-doctor',
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    report('database-connection', 'FAIL', `DATABASE_URL does not accept connections: ${describe(error)}`)
    return
  }
  try {
    report('database-connection', 'ok', 'accepts connections')
    await attempt(report, 'database-version', () => checkVersion(client, report))
    await attempt(report, 'database-migrations', () => checkMigrations(client, migrations, report))
    await attempt(report, 'database-connections', () => checkConnections(client, report))
    await attempt(report, 'database-clock', async () => {
      const before = Date.now()
      const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
      reportSkew(report, 'database-clock', rows[0]!.now, new Date((before + Date.now()) / 2))
    })
    await checkStoredFiles(client, totalStorageBytes, report)
    await checkWebhooks(client, report)
  } finally {
    await client.end().catch(() => {})
  }
}

async function checkVersion(client: pg.Client, report: Report): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
  const version = rows[0]!.server_version
  if (Number.parseInt(version, 10) >= OLDEST_VERSION)
    report('database-version', 'ok', `PostgreSQL ${version}`)
  else report('database-version', 'FAIL', `PostgreSQL ${version}: ${OLDEST_VERSION} or newer is needed`)
}

async function checkMigrations(client: pg.Client, migrations: string, report: Report): Promise<void> {
  const found = await client.query<{ found: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found",
  )
  const { rows } = found.rows[0]!.found
    ? await client.query<{ migration_name: string }>(
        'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
      )
    : { rows: [] }
  const applied = rows.map((row) => row.migration_name)
  const known = readMigrations(migrations).map((migration) => migration.name)
  const pending = known.filter((name) => !applied.includes(name))
  const newer = applied.filter((name) => !known.includes(name))
  if (pending.length > 0)
    report(
      'database-migrations',
      'FAIL',
      `${pending.length} pending (${pending[0]} ...): run npm run db:migrate`,
    )
  else if (newer.length > 0)
    report('database-migrations', 'warn', `the database is ahead of this release: ${newer.join(', ')}`)
  else report('database-migrations', 'ok', `all ${known.length} applied`)
}

async function checkConnections(client: pg.Client, report: Report): Promise<void> {
  const { rows } = await client.query<{ max_connections: string }>('SHOW max_connections')
  const most = Number(rows[0]!.max_connections)
  if (most >= CONNECTIONS) report('database-connections', 'ok', `max_connections is ${most}`)
  else
    report(
      'database-connections',
      'warn',
      `max_connections is ${most}: one replica and its successor may open ${CONNECTIONS} during an update`,
    )
}
