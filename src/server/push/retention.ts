import { jittered } from '../backoff.ts'
import { type Clock, secondsAfter } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { RetentionRepo } from './ports.ts'

const DAY_SECONDS = 86_400
/** How long a message can be read: longer than the longest ttlSeconds (28 days). */
export const KEEP_MESSAGES_DAYS = 35
export const KEEP_FAILURES_DAYS = 7
/** How long a user's list shows that somebody else has registered a device. */
export const KEEP_MOVED_DEVICES_DAYS = 30
/** An Idempotency-Key stands for its first answer for 24 hours (docs/api.md). */
export const KEEP_KEYS_DAYS = 1
/** Entries of pushes to one user go with the messages: a busy token makes hundreds of thousands a day. */
export const KEEP_AUDIT_DAYS = 400

/** Rows deleted by one statement, so that none runs long or holds many locks. */
const BATCH_SIZE = 2_000
const INTERVAL_MS = 3_600_000

export type RetentionDeps = { retention: RetentionRepo; clock: Clock; log: Logger }

/**
 * Deletes old messages, idempotency keys and audit entries, about once an hour in every replica. Replicas that do
 * so at the same time skip each other's rows.
 */
export function createRetention({ retention, clock, log }: RetentionDeps) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let round: Promise<void> | undefined

  /** Returns how many rows of each kind were deleted. */
  async function run(): Promise<Record<'messages' | 'keys' | 'audit' | 'failures' | 'movedDevices', number>> {
    const before = (days: number) => secondsAfter(clock.now(), -days * DAY_SECONDS)
    return {
      messages: await inBatches((limit) => retention.deleteMessages(before(KEEP_MESSAGES_DAYS), limit)),
      keys: await inBatches((limit) => retention.deleteKeys(before(KEEP_KEYS_DAYS), limit)),
      failures: await inBatches((limit) => retention.deleteFailures(before(KEEP_FAILURES_DAYS), limit)),
      movedDevices: await inBatches((limit) =>
        retention.deleteMovedDevices(before(KEEP_MOVED_DEVICES_DAYS), limit),
      ),
      audit: await inBatches((limit) =>
        retention.deleteAudit(
          { before: before(KEEP_AUDIT_DAYS), sendsBefore: before(KEEP_MESSAGES_DAYS) },
          limit,
        ),
      ),
    }
  }

  async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
    let total = 0
    while (!stopped) {
      const deleted = await deleteSome(BATCH_SIZE)
      total += deleted
      if (deleted < BATCH_SIZE) break
    }
    return total
  }

  async function runLogged(): Promise<void> {
    try {
      const deleted = await run()
      if (Object.values(deleted).some((count) => count > 0)) log.info(deleted, 'deleted old push records')
    } catch (error) {
      log.warn({ err: error }, 'could not delete old push records')
    }
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = runLogged().finally(() => {
        if (!stopped) schedule(jittered(INTERVAL_MS))
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
