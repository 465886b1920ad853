// Applies the migrations in prisma/migrations, in the table and under the lock that Prisma's own
// `migrate deploy` uses, which could therefore take over at any time. Why not Prisma's engine:
// docs/decisions/001-migrations-without-an-engine.md.

import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { MigrationError, toMigrationError } from './migration-error.ts'

/** A folder of prisma/migrations. `checksum`: SHA-256 of the script, hex, as Prisma computes it. */
export type Migration = { name: string; script: string; checksum: string }

export type MigrateOptions = {
  databaseUrl: string
  /** prisma/migrations. */
  directory: string
  /** How long to wait for other replicas' migrations and for locks on tables. Default 60,000 ms. */
  waitMs?: number
  /** Called with each migration's name once it is committed. */
  onApplied?: (name: string) => void
}

/** `applied`: by this call. `unknown`: only in the database, from a newer release. */
export type MigrateResult = { applied: string[]; unknown: string[] }

type AppliedRow = { migration_name: string; checksum: string; finished_at: Date | null; logs: string | null }

/** pg_advisory_lock(72707369) is what Prisma's engine takes. */
const LOCK = 72707369

/**
 * Brings the database up to date. Every migration is one transaction together with its row in
 * `_prisma_migrations`: killed at any point, it is either there as a whole or not at all. The lock is
 * held by that transaction, so replicas queue, nothing has to be released after a crash, and a
 * transaction-pooling PgBouncer in between does no harm. Throws `MigrationError` with one line.
 */
export async function applyMigrations(options: MigrateOptions): Promise<MigrateResult> {
  const { databaseUrl, directory, waitMs = 60_000, onApplied } = options
  checkUrl(databaseUrl)
  const migrations = readMigrations(directory)
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'pigeonhole-migrate',
  })
  // Without a listener, a connection lost between queries would end the process.
  client.on('error', () => {})
  const applied: string[] = []
  try {
    await client.connect()
    // If this process is killed, PostgreSQL then ends its statement within a second and releases the lock.
    // Not every platform supports the setting, so an error is ignored.
    await client.query("SET client_connection_check_interval = '1s'").catch(() => {})
    for (;;) {
      const step = await applyNext(client, migrations, waitMs)
      if (step.done) return { applied, unknown: step.unknown }
      applied.push(step.name)
      onApplied?.(step.name)
    }
  } catch (error) {
    throw toMigrationError(error, databaseUrl, waitMs)
  } finally {
    await client.end().catch(() => {})
  }
}

/** All migrations of a folder, ordered by name. */
export function readMigrations(directory: string): Migration[] {
  if (!existsSync(directory)) throw new MigrationError(`migrations not found: ${directory} does not exist`)
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const script = readFileSync(join(directory, name, 'migration.sql'), 'utf8')
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') }
    })
}

type Step = { done: true; unknown: string[] } | { done: false; name: string }

async function applyNext(client: pg.Client, migrations: Migration[], waitMs: number): Promise<Step> {
  await client.query('BEGIN')
  try {
    // A statement of a migration may take as long as it needs, whatever a pooler's connection was set to.
    await client.query(
      "SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', '0', true)",
      [String(waitMs)],
    )
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const rows = await readApplied(client)
    const next = nextPending(migrations, rows)
    if (next) await run(client, next)
    await client.query('COMMIT')
    if (next) return { done: false, name: next.name }
    const known = new Set(migrations.map(({ name }) => name))
    return { done: true, unknown: rows.map((row) => row.migration_name).filter((name) => !known.has(name)) }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function readApplied(client: pg.Client): Promise<AppliedRow[]> {
  // Checked first, since "IF NOT EXISTS" requires the right to create even if the table exists.
  const { rows } = await client.query<{ found: string | null }>(
    "SELECT to_regclass('_prisma_migrations') AS found",
  )
  if (rows[0]?.found == null) await client.query(MIGRATIONS_TABLE)
  const applied = await client.query<AppliedRow>(
    'SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at',
  )
  return applied.rows
}

/** The first migration that is not applied. Throws if an applied one was changed or failed. */
function nextPending(migrations: Migration[], rows: AppliedRow[]): Migration | undefined {
  const byName = new Map(rows.map((row) => [row.migration_name, row]))
  for (const migration of migrations) {
    const row = byName.get(migration.name)
    if (!row) continue
    if (row.finished_at === null) {
      throw new MigrationError(
        `migration ${migration.name} failed when Prisma's own tool applied it; repair the database, then: prisma migrate resolve`,
      )
    }
    if (row.checksum !== migration.checksum) {
      throw new MigrationError(
        `migration ${migration.name} was changed after it was applied; restore the file and write a new migration for the change`,
      )
    }
  }
  return migrations.find(({ name }) => !byName.has(name))
}

async function run(client: pg.Client, migration: Migration): Promise<void> {
  const transaction = async () => (await client.query('SELECT pg_current_xact_id()::text AS id')).rows[0]?.id
  const before = await transaction()
  try {
    await client.query(migration.script)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(`migration ${migration.name} failed and changed nothing: ${reason}`, { cause })
  }
  if ((await transaction()) !== before) {
    throw new MigrationError(
      `migration ${migration.name} ends its transaction with COMMIT or ROLLBACK; remove that statement`,
    )
  }
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), migration.checksum, migration.name],
  )
}

function checkUrl(databaseUrl: string): void {
  const scheme = URL.canParse(databaseUrl) ? new URL(databaseUrl).protocol : ''
  if (scheme !== 'postgresql:' && scheme !== 'postgres:') {
    throw new MigrationError(
      'DATABASE_URL is not a PostgreSQL URL (postgresql://user:password@host:port/database)',
    )
  }
}

/** As Prisma's engine creates it. */
const MIGRATIONS_TABLE = `
CREATE TABLE _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
)`
