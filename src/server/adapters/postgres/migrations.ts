// Applies prisma/migrations with the table and the lock of Prisma's `migrate deploy`, which can therefore take over at
// any time. docs/decisions/001-migrations-without-an-engine.md says why this does not use Prisma's engine.

import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { urlPerHost } from '../../kernel/database-hosts.ts'
import { retryOn } from './errors.ts'
import { primaryUrl } from './find-primary.ts'
import { MigrationError, toMigrationError } from './migration-error.ts'
import { createSql, type Row, type Sql } from './sql.ts'

/** Folder of prisma/migrations. `checksum` is the SHA-256 of the script in hex, as Prisma computes it. */
export type Migration = { name: string; script: string; checksum: string }

export type MigrateOptions = {
  databaseUrl: string
  /** prisma/migrations. */
  directory: string
  /** Maximum wait for other replicas' migrations and for table locks. Default: 60,000 ms. */
  waitMs?: number
  /** Called with the name of each committed migration. */
  onApplied?: (name: string) => void
}

/** `applied`: migrations that this call applied. `unknown`: migrations of a newer release in the database. */
export type MigrateResult = { applied: string[]; unknown: string[] }

/** Earlier checksums of migrations whose comments were changed later. Older databases recorded them. */
const EARLIER_CHECKSUMS: Readonly<Record<string, string>> = {
  '20261121120000_initial': 'f3281509bd4653a00becdf2373dd0ff4eba4586f271c7018bf22b499d414518d',
}

const CONNECT_MS = 10_000
/** Maximum attempts per migration, which can deadlock with running replicas. Under load, the second usually succeeds. */
const MAX_ATTEMPTS = 10

/** PostgreSQL's deadlock_detected. */
const DEADLOCK = '40P01'

/** Number of the advisory lock that Prisma's engine takes. */
const LOCK = 72707369

/**
 * Applies all pending migrations. Each migration and its row in `_prisma_migrations` are one transaction, so a killed
 * process leaves a migration applied completely or not at all. That transaction also holds the lock. Replicas therefore
 * queue, a crash leaves no lock behind, and a transaction-pooling PgBouncer is safe.
 * @throws MigrationError with one line
 */
export async function applyMigrations(options: MigrateOptions): Promise<MigrateResult> {
  const { databaseUrl, directory, waitMs = 60_000, onApplied } = options
  checkUrl(databaseUrl)
  const migrations = readMigrations(directory)
  const applied: string[] = []
  try {
    const client = new pg.Client({
      connectionString: await primaryUrl(databaseUrl, CONNECT_MS),
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      application_name: 'pigeonhole-migrate',
    })
    // Without a listener, a connection lost between queries would end the process.
    client.on('error', () => {})
    try {
      await client.connect()
      // If this process is killed, PostgreSQL then ends its statement within a second and releases the lock.
      // Some platforms do not support the setting, so errors are ignored.
      await client.query("SET client_connection_check_interval = '1s'").catch(() => {})
      for (;;) {
        // A migration locks one table after another, and running replicas lock them in another order. The failed attempt
        // changed nothing.
        const step = await retryOn([DEADLOCK], MAX_ATTEMPTS, () => applyNext(client, migrations, waitMs))
        if (step.done) return { applied, unknown: step.unknown }
        applied.push(step.name)
        onApplied?.(step.name)
      }
    } finally {
      await client.end().catch(() => {})
    }
  } catch (error) {
    throw toMigrationError(error, databaseUrl, waitMs)
  }
}

/** Reads all migrations of a folder, sorted by name. */
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
  const sql = createSql(client)
  await client.query('BEGIN')
  try {
    // Statements of a migration have no time limit, even if a pooler's connection has one.
    await sql.run<'limitMigration'>`
      SELECT set_config('lock_timeout', ${String(waitMs)}, true), set_config('statement_timeout', '0', true)`
    await sql.run<'lockMigrations'>`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`
    if (!(await hasMigrations(sql))) await client.query(MIGRATIONS_TABLE)
    const rows = await appliedMigrations(sql)
    const next = nextPending(migrations, rows)
    if (next) await run(client, next)
    await client.query('COMMIT')
    if (next) return { done: false, name: next.name }
    const known = new Set(migrations.map(({ name }) => name))
    return { done: true, unknown: rows.map(({ name }) => name).filter((name) => !known.has(name)) }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * Returns whether the table of migrations exists. "IF NOT EXISTS" would require the right to create it even if it
 * exists.
 */
export async function hasMigrations(sql: Sql): Promise<boolean> {
  const [row] = await sql.rows<'hasMigrations'>`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`
  return row!.found
}

/** Returns the migrations that the database has, in the order they were applied. `finishedAt` is null for a failed one. */
export function appliedMigrations(sql: Sql): Promise<Row<'appliedMigrations'>[]> {
  return sql.rows<'appliedMigrations'>`
    SELECT migration_name AS name, checksum, finished_at AS "finishedAt"
    FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`
}

/** Returns the first unapplied migration. @throws MigrationError if an applied one was changed or failed */
function nextPending(migrations: Migration[], rows: Row<'appliedMigrations'>[]): Migration | undefined {
  const byName = new Map(rows.map((row) => [row.name, row]))
  for (const migration of migrations) {
    const row = byName.get(migration.name)
    if (!row) continue
    if (row.finishedAt === null) {
      throw new MigrationError(
        `migration ${migration.name} failed when Prisma's own tool applied it; repair the database, then: prisma migrate resolve`,
      )
    }
    if (row.checksum !== migration.checksum && row.checksum !== EARLIER_CHECKSUMS[migration.name]) {
      throw new MigrationError(
        `migration ${migration.name} was changed after it was applied; restore the file and write a new migration for the change`,
      )
    }
  }
  return migrations.find(({ name }) => !byName.has(name))
}

async function run(client: pg.Client, migration: Migration): Promise<void> {
  const sql = createSql(client)
  const before = await transactionId(sql)
  try {
    await client.query(migration.script)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(`migration ${migration.name} failed and changed nothing: ${reason}`, { cause })
  }
  if ((await transactionId(sql)) !== before) {
    throw new MigrationError(
      `migration ${migration.name} ends its transaction with COMMIT or ROLLBACK; remove that statement`,
    )
  }
  await sql.run<'recordMigration'>`
    INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
    VALUES (${randomUUID()}, ${migration.checksum}, ${migration.name}, now(), clock_timestamp(), 1)`
}

async function transactionId(sql: Sql): Promise<string> {
  const [row] = await sql.rows<'transactionId'>`SELECT pg_current_xact_id()::text AS id`
  return row!.id
}

function checkUrl(databaseUrl: string): void {
  const isUrl = (url: string) => /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '')
  if (!urlPerHost(databaseUrl).every(isUrl)) {
    throw new MigrationError(
      'DATABASE_URL is not a PostgreSQL URL (postgresql://user:password@host:port/database)',
    )
  }
}

/** The table as Prisma's engine creates it. */
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
