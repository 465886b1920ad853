import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../kernel/log.ts'
import { StartupError } from '../../kernel/startup-error.ts'
import { databaseErrorCode, databaseFault } from './errors.ts'

const TIMEOUT_MS = 60_000
const EVERY_MS = 500
/** Interval between log lines while waiting. */
const LOG_EVERY_MS = 5_000

/**
 * Waits until the database responds, accepts writes and has this release's migrations. Containers start in any order,
 * and a release can start before its migrations have run.
 * @throws StartupError after `timeoutMs`
 */
export async function waitForDatabase(
  schemaFault: () => Promise<string | null>,
  log: Pick<Logger, 'warn' | 'info'>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const startedAt = performance.now()
  let loggedAt = -LOG_EVERY_MS
  for (;;) {
    const fault = await faultOf(schemaFault)
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

/** Returns the fault, or null. Omits host and user: they are in DATABASE_URL, next to the password. */
async function faultOf(schemaFault: () => Promise<string | null>): Promise<string | null> {
  try {
    return await schemaFault()
  } catch (error) {
    const advice = databaseFault(error)
    return `the database (DATABASE_URL) does not accept connections (${databaseErrorCode(error) ?? 'no response'})${advice ? `: ${advice}` : ''}`
  }
}
