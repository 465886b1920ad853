import { jittered } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { SessionRepo } from './ports.ts'

/** Rows deleted by one statement, so that none runs long or holds many locks. */
const BATCH_SIZE = 2_000
const INTERVAL_MS = 3_600_000

export type SessionSweeperDeps = { repo: SessionRepo; clock: Clock; log: Pick<Logger, 'warn'> }

/** Deletes the rows of sessions that have expired, about once an hour in every replica. */
export function createSessionSweeper({ repo, clock, log }: SessionSweeperDeps) {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let closing = false

  /** Returns how many rows were deleted. */
  async function run(): Promise<number> {
    let total = 0
    while (!closing) {
      const deleted = await repo.deleteExpired(clock.now(), BATCH_SIZE)
      total += deleted
      if (deleted < BATCH_SIZE) break
    }
    return total
  }

  async function runLogged(): Promise<void> {
    try {
      await run()
    } catch (error) {
      log.warn({ err: error }, 'could not delete expired sessions')
    }
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = runLogged().finally(() => {
        if (!closing) schedule(jittered(INTERVAL_MS))
      })
    }, delayMs).unref()
  }

  return {
    run,
    start: () => schedule(jittered(60_000)),
    async close(): Promise<void> {
      closing = true
      clearTimeout(timer)
      await round
    },
  }
}
