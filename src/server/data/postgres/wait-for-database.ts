import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '../../log.ts'
import { StartupError } from '../../startup-error.ts'

const TIMEOUT_MS = 60_000
const EVERY_MS = 500
/** How often to log that we are still waiting. */
const LOG_EVERY_MS = 5_000

/**
 * Waits until the database answers and has our tables, since containers start in any order.
 * @throws StartupError after `timeoutMs`
 */
export async function waitForDatabase(
  pool: pg.Pool,
  log: Pick<Logger, 'warn' | 'info'>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const startedAt = performance.now()
  let loggedAt = -LOG_EVERY_MS
  for (;;) {
    const fault = await faultOf(pool)
    const waitedMs = Math.round(performance.now() - startedAt)
    if (fault === null) {
      if (loggedAt >= 0) log.info({ waitedMs }, 'the database is ready')
      return
    }
    if (waitedMs >= timeoutMs)
      throw new StartupError(`gave up after ${Math.round(waitedMs / 1000)} s: ${fault}`)
    if (waitedMs - loggedAt >= LOG_EVERY_MS) {
      loggedAt = waitedMs
      log.warn({ waitedMs, timeoutMs }, `waiting: ${fault}`)
    }
    await sleep(EVERY_MS)
  }
}

/** What is wrong, or null. Names neither host nor user: they are in DATABASE_URL, next to the password. */
async function faultOf(pool: pg.Pool): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ found: boolean }>(
      "SELECT to_regclass('rate_limits') IS NOT NULL AS found",
    )
    return rows[0]!.found ? null : 'the database has no tables yet; run: npm run db:migrate'
  } catch (error) {
    const code = (error as { code?: unknown }).code
    return `the database (DATABASE_URL) does not accept connections (${typeof code === 'string' ? code : 'no answer'})`
  }
}
