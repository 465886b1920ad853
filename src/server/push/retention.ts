import { jittered } from '../backoff.ts'
import { type Clock, secondsAfter } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { RetentionRepo } from './ports.ts'

const DAY_SECONDS = 86_400
/** How long a message can be looked at: somewhat longer than the longest ttlSeconds (28 days). */
export const KEEP_MESSAGES_DAYS = 35
/** An Idempotency-Key stands for its first answer for 24 hours (docs/api.md). */
export const KEEP_KEYS_DAYS = 1
export const KEEP_AUDIT_DAYS = 400

/** Rows removed by one statement, so that none runs long or holds many locks. */
const BATCH = 2_000
const EVERY_MS = 3_600_000

export type RetentionDeps = { retention: RetentionRepo; clock: Clock; log: Logger }

/**
 * Removes what is too old, about once an hour in every replica: replicas that do so at once skip what the
 * other is removing.
 */
export function createRetention({ retention, clock, log }: RetentionDeps) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let round: Promise<void> | undefined

  /** How many rows of each kind went. */
  async function run(): Promise<{ messages: number; keys: number; audit: number }> {
    const before = (days: number) => secondsAfter(clock.now(), -days * DAY_SECONDS)
    return {
      messages: await all((limit) => retention.deleteMessages(before(KEEP_MESSAGES_DAYS), limit)),
      keys: await all((limit) => retention.deleteKeys(before(KEEP_KEYS_DAYS), limit)),
      audit: await all((limit) => retention.deleteAudit(before(KEEP_AUDIT_DAYS), limit)),
    }
  }

  async function all(remove: (limit: number) => Promise<number>): Promise<number> {
    let total = 0
    while (!stopped) {
      const removed = await remove(BATCH)
      total += removed
      if (removed < BATCH) break
    }
    return total
  }

  async function runLogged(): Promise<void> {
    try {
      const removed = await run()
      if (removed.messages + removed.keys + removed.audit > 0) log.info(removed, 'removed old push records')
    } catch (error) {
      log.warn({ err: error }, 'could not remove old push records')
    }
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = runLogged().finally(() => {
        if (!stopped) schedule(jittered(EVERY_MS))
      })
    }, delayMs).unref()
  }

  return {
    run,
    start: () => schedule(jittered(60_000)),
    async close(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
