import type pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import { isReadOnly } from './find-primary.ts'
import { appliedMigrations } from './migrations.ts'
import { createSql, type Sql } from './sql.ts'

/** With a larger difference, presigned URLs are already expired when issued, or stay valid for too long. */
const MAX_CLOCK_SKEW_MS = 60_000

export type DatabaseStateDeps = {
  pool: Pick<pg.Pool, 'query'>
  /** Names of the migrations that this release needs. */
  needed: readonly string[]
  clock: Clock
}

/**
 * Checks whether this release can use the database. Each check resolves to null, or to a sentence that states the fault
 * and the fix. It rejects if the database does not respond.
 */
export function createDatabaseState({ pool, needed, clock }: DatabaseStateDeps) {
  const sql = createSql(pool)
  // Migrations are never undone, so checks stop once this is true.
  let isMigrated = false

  async function pendingMigration(): Promise<string | undefined> {
    const rows = await appliedMigrations(sql)
    const applied = new Set(rows.filter(({ finishedAt }) => finishedAt !== null).map(({ name }) => name))
    return needed.find((name) => !applied.has(name))
  }

  async function migrationFault(): Promise<string | null> {
    if (isMigrated) return null
    try {
      const pending = await pendingMigration()
      if (pending !== undefined) return `migration ${pending} is pending; run: npm run db:migrate`
    } catch (error) {
      const code = (error as { code?: unknown }).code
      if (code === '42P01') return 'the database has no tables yet; run: npm run db:migrate'
      // A deployment can migrate as another user, whose table this user cannot read.
      if (code !== '42501') throw error
    }
    isMigrated = true
    return null
  }

  return {
    /** Checks what startup waits for: the database accepts writes and has this release's migrations. */
    async schemaFault(): Promise<string | null> {
      return (await isReadOnly(sql)) ? READ_ONLY : migrationFault()
    },

    /** Checks what readiness reports: the same, and the clock. */
    async fault(): Promise<string | null> {
      const askedAt = clock.now().getTime()
      const database = (await databaseTime(sql)).getTime()
      // The database's time lies between both readings, so a slow response is not mistaken for a wrong clock.
      const behindMs = database - clock.now().getTime()
      const aheadMs = askedAt - database
      if (Math.max(behindMs, aheadMs) > MAX_CLOCK_SKEW_MS)
        return `this replica's clock is ${Math.round(Math.max(behindMs, aheadMs) / 1000)} s ${behindMs > 0 ? 'behind' : 'ahead of'} the database's; set up NTP on both`
      return this.schemaFault()
    },
  }
}

const READ_ONLY = 'the database is read-only: DATABASE_URL reaches a standby'

/** Returns the time of the database's clock, which all replicas share. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql.rows<'databaseTime'>`SELECT clock_timestamp() AS now`
  return row!.now
}
