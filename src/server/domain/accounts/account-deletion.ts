import { userActor } from '../../kernel/audit.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { createSweepRounds, runSteps } from '../../kernel/sweep-rounds.ts'
import { within } from '../../kernel/time-limit.ts'

/** Steps of deleting an account. Each can be repeated. */
export type AccountDeletionRepo = {
  /**
   * In one transaction, ends all access (sign-in, sessions, API keys, push tokens), removes the devices, cancels unsent
   * broadcasts of the push tokens and frees the email. `by` is for the audit entry.
   */
  begin(userId: string, by: { actor: string | null; address: string | null; at: Date }): Promise<void>
  /**
   * Begins the deletion of sign-ups that have not verified their email in time. Returns their number. One that fails does
   * not stop the others; its error is thrown at the end.
   */
  closeOverdue(at: Date, limit: number): Promise<number>
  /** Lists users whose deletion has begun, sorted by ID, after `after`. */
  findUnfinished(after: string | null, limit: number): Promise<string[]>
  /**
   * Removes up to `limit` references to the user's push tokens, and returns their number. Messages that the tokens have
   * sent stay in other users' inboxes and in the audit log.
   */
  releasePushTokens(userId: string, limit: number): Promise<number>
  /** Deletes the user's row, or returns false if a file is left. */
  finish(userId: string): Promise<boolean>
}

/** Interval for resuming deletions that a crash or the object store interrupted. */
const RESUME_MS = 60_000

/** Time that a request waits for the files. Afterwards, the deletion continues in the background. */
const REQUEST_WAIT_MS = 10_000

const BATCH = 100

type AccountDeletionDeps = {
  repo: AccountDeletionRepo
  /** Deletes what it can of the user's files now. Can be repeated. */
  deleteFiles(userId: string): Promise<unknown>
  clock: Clock
  log: Pick<Logger, 'warn'>
}

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

/**
 * Deletes accounts. Marks the user's row first: from then on no one can sign in, and if this process dies, another
 * replica finds the mark and resumes.
 */
export function createAccountDeletion({ repo, deleteFiles, clock, log }: AccountDeletionDeps) {
  let closing = false

  /** `actor` is for the audit log. */
  async function deleteAccount(
    userId: string,
    address: string | null,
    actor: string | null = userActor(userId),
  ): Promise<void> {
    await repo.begin(userId, { actor, address, at: clock.now() })
    await within(REQUEST_WAIT_MS, finish(userId))
  }

  /** Leaves a failure to the next round: the account is already closed, and only its data remains. */
  async function finish(userId: string): Promise<void> {
    try {
      await deleteFiles(userId)
      await rounds.inBatches((limit) => repo.releasePushTokens(userId, limit))
      if (!closing) await repo.finish(userId)
    } catch (error) {
      log.warn({ err: error, userId }, 'account deletion failed, will retry')
    }
  }

  /** Deletes sign-ups that have not verified their email in time, and finishes every deletion that has begun. */
  const resume = () => runSteps({ overdue: closeOverdue, unfinished: finishAll })

  async function closeOverdue(): Promise<number> {
    let total = 0
    for (let closed = BATCH; closed === BATCH && !closing; total += closed)
      closed = await repo.closeOverdue(clock.now(), BATCH)
    return total
  }

  async function finishAll(): Promise<number> {
    let total = 0
    let batch = await repo.findUnfinished(null, BATCH)
    while (batch.length > 0 && !closing) {
      for (const userId of batch) if (!closing) await finish(userId)
      total += batch.length
      batch = await repo.findUnfinished(batch.at(-1) ?? null, BATCH)
    }
    return total
  }

  const rounds = createSweepRounds({
    everyMs: RESUME_MS,
    firstMs: 0,
    work: resume,
    onError: (err) => log.warn({ err }, 'could not find accounts to delete'),
  })
  return {
    deleteAccount,
    resume,
    start: rounds.start,
    close(): Promise<void> {
      closing = true
      return rounds.close()
    },
  }
}
