import { type Clock, daysAfter } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { createSweepRounds, type InBatches, runSteps } from '../../kernel/sweep-rounds.ts'

/** Each function deletes up to `limit` rows and returns how many. */
export type SweepRepo = {
  /** Deletes recipients of the messages that `deleteMessages` deletes next. One message can have millions. */
  deleteRecipients(before: Date, limit: number): Promise<number>
  /** Deletes only completed and canceled messages. */
  deleteMessages(before: Date, limit: number): Promise<number>
  deleteKeys(before: Date, limit: number): Promise<number>
  deleteMovedDevices(before: Date, limit: number): Promise<number>
  deleteFailures(before: Date, limit: number): Promise<number>
  deleteAudit(times: { before: Date; sendsBefore: Date }, limit: number): Promise<number>
  /** Finds entries beyond `keep`, of users with entries after `since` and of entries without a user. */
  findExcessAudit(since: Date, keep: AuditKeep): Promise<ExcessAudit[]>
  deleteExcessAudit(excess: ExcessAudit, limit: number): Promise<number>
}

/** Number of the newest audit entries to keep per action. */
export type AuditKeep = { perUser: number; withoutUser: number }

/** Entries of one action and user (or without a user), up to the entry `id`. */
export type ExcessAudit = { userId: string | null; action: string; id: string }

/** Longer than the longest ttlSeconds (28 days). */
const KEEP_MESSAGES_DAYS = 35
const KEEP_FAILURES_DAYS = 7
const KEEP_MOVED_DAYS = 30
/** An Idempotency-Key returns its first response for 24 hours (docs/api.md). */
const KEEP_KEYS_DAYS = 1
/**
 * Entries of pushes to one user, and of topics, are deleted with the messages: a busy token adds hundreds of thousands
 * a day.
 */
const KEEP_AUDIT_DAYS = 400

/**
 * About 3 MB per user and action. Counted per action, so that someone who steals a session cannot displace its entry
 * by repeating other actions. Entries without a user are mostly rejections, which many addresses can cause together.
 */
export const KEEP_AUDIT: AuditKeep = { perUser: 10_000, withoutUser: 1_000_000 }
/** Only users with new entries can exceed `KEEP_AUDIT`. Longer than the interval, in case rounds fail. */
const RECENT_AUDIT_DAYS = 1

const INTERVAL_MS = 3_600_000

export type PushSweeperDeps = { sweeps: SweepRepo; clock: Clock; log: Logger }

/** Deletes old push records about once an hour in every replica. Concurrent sweeps skip each other's rows. */
export function createPushSweeper({ sweeps, clock, log }: PushSweeperDeps) {
  async function deleteExcessAudit(since: Date, inBatches: InBatches): Promise<number> {
    let deleted = 0
    for (const excess of await sweeps.findExcessAudit(since, KEEP_AUDIT))
      deleted += await inBatches((limit) => sweeps.deleteExcessAudit(excess, limit))
    return deleted
  }

  async function deleteMessages(before: Date, inBatches: InBatches): Promise<number> {
    let messages = 0
    await inBatches(async (limit) => {
      const recipients = await sweeps.deleteRecipients(before, limit)
      if (recipients === limit) return recipients
      const deleted = await sweeps.deleteMessages(before, limit)
      messages += deleted
      return deleted
    })
    return messages
  }

  return createSweepRounds({
    everyMs: INTERVAL_MS,

    /** Returns the number of rows deleted of each kind. */
    async work(inBatches) {
      const before = (days: number) => daysAfter(clock.now(), -days)
      const auditTimes = { before: before(KEEP_AUDIT_DAYS), sendsBefore: before(KEEP_MESSAGES_DAYS) }
      return runSteps({
        messages: () => deleteMessages(before(KEEP_MESSAGES_DAYS), inBatches),
        keys: () => inBatches((limit) => sweeps.deleteKeys(before(KEEP_KEYS_DAYS), limit)),
        failures: () => inBatches((limit) => sweeps.deleteFailures(before(KEEP_FAILURES_DAYS), limit)),
        movedDevices: () => inBatches((limit) => sweeps.deleteMovedDevices(before(KEEP_MOVED_DAYS), limit)),
        audit: () => inBatches((limit) => sweeps.deleteAudit(auditTimes, limit)),
        excessAudit: () => deleteExcessAudit(before(RECENT_AUDIT_DAYS), inBatches),
      })
    },

    onDone(deleted) {
      if (Object.values(deleted).some((count) => count > 0)) log.info(deleted, 'deleted old push records')
    },
    onError: (err) => log.warn({ err }, 'could not delete old push records'),
  })
}
