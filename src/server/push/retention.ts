import { type Clock, secondsAfter } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createRetentionRounds } from '../retention-rounds.ts'
import type { RetentionRepo } from './ports.ts'

const DAY_SECONDS = 86_400
/** How long a message can be read: longer than the longest ttlSeconds (28 days). */
export const KEEP_MESSAGES_DAYS = 35
export const KEEP_FAILURES_DAYS = 7
/** How long a user's list shows that somebody else has registered a device. */
export const KEEP_MOVED_DEVICES_DAYS = 30
/** An Idempotency-Key stands for its first answer for 24 hours (docs/api.md). */
export const KEEP_KEYS_DAYS = 1
/** Entries of pushes to one user, and of topics, go with the messages: a busy token makes hundreds of thousands a day. */
export const KEEP_AUDIT_DAYS = 400

const INTERVAL_MS = 3_600_000

export type RetentionDeps = { retention: RetentionRepo; clock: Clock; log: Logger }

/**
 * Deletes old messages, idempotency keys and audit entries, about once an hour in every replica. Replicas that do
 * so at the same time skip each other's rows.
 */
export function createRetention({ retention, clock, log }: RetentionDeps) {
  return createRetentionRounds({
    everyMs: INTERVAL_MS,

    /** Returns how many rows of each kind were deleted. */
    async work(inBatches) {
      const before = (days: number) => secondsAfter(clock.now(), -days * DAY_SECONDS)
      const auditTimes = { before: before(KEEP_AUDIT_DAYS), sendsBefore: before(KEEP_MESSAGES_DAYS) }
      return {
        messages: await inBatches((limit) => retention.deleteMessages(before(KEEP_MESSAGES_DAYS), limit)),
        keys: await inBatches((limit) => retention.deleteKeys(before(KEEP_KEYS_DAYS), limit)),
        failures: await inBatches((limit) => retention.deleteFailures(before(KEEP_FAILURES_DAYS), limit)),
        movedDevices: await inBatches((limit) =>
          retention.deleteMovedDevices(before(KEEP_MOVED_DEVICES_DAYS), limit),
        ),
        audit: await inBatches((limit) => retention.deleteAudit(auditTimes, limit)),
      }
    },

    onDone(deleted) {
      if (Object.values(deleted).some((count) => count > 0)) log.info(deleted, 'deleted old push records')
    },
    onError: (err) => log.warn({ err }, 'could not delete old push records'),
  })
}
