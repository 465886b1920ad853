import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartupError } from '../../startup-error.ts'
import type { Log } from '../../telemetry/log.ts'

const PATIENCE_MS = 60_000
const EVERY_MS = 500
/** How often the log says that we still wait. */
const TELL_EVERY_MS = 5_000

/**
 * Until the database answers and has our tables; containers are started in any order.
 * @throws StartupError after `patienceMs`
 */
export async function waitForDatabase(
  pool: pg.Pool,
  log: Pick<Log, 'warn' | 'info'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const startedAt = performance.now()
  let told = -TELL_EVERY_MS
  for (;;) {
    const fault = await faultOf(pool)
    const waitedMs = Math.round(performance.now() - startedAt)
    if (fault === null) {
      if (told >= 0) log.info({ waitedMs }, 'the database is there')
      return
    }
    if (waitedMs >= patienceMs)
      throw new StartupError(`gave up after ${Math.round(waitedMs / 1000)} s: ${fault}`)
    if (waitedMs - told >= TELL_EVERY_MS) {
      told = waitedMs
      log.warn({ waitedMs, patienceMs }, `waiting: ${fault}`)
    }
    await sleep(EVERY_MS)
  }
}

/** Null when all is well. Names no host and no user: those are in DATABASE_URL, and so is the password. */
async function faultOf(pool: pg.Pool): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ found: boolean }>(
      "SELECT to_regclass('rate_limits') IS NOT NULL AS found",
    )
    return rows[0]!.found ? null : 'the database has no tables of ours yet; run: npm run db:migrate'
  } catch (error) {
    const code = (error as { code?: unknown }).code
    return `the database (DATABASE_URL) does not take connections (${typeof code === 'string' ? code : 'no answer'})`
  }
}
