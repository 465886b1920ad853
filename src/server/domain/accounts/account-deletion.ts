import { setTimeout as sleep } from 'node:timers/promises'
import { userActor } from '../../kernel/audit.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { createSweepRounds } from '../../kernel/sweep-rounds.ts'

/** Steps of deleting an account. Each can be repeated. */
export type AccountDeletionRepo = {
  /**
   * In one transaction, ends all access (sign-in, sessions, API keys, push tokens), removes the devices, cancels unsent
   * broadcasts of the push tokens and frees the email. `by` is for the audit entry.
   */
  begin(userId: string, by: { actor: string | null; address: string | null; at: Date }): Promise<void>
  /** Begins the deletion of sign-ups that have not verified their email in time. Returns their number. */
  closeOverdue(at: Date, limit: number): Promise<number>
  /** Lists users whose deletion has begun, sorted by ID, after `after`. */
  findUnfinished(after: string | null, limit: number): Promise<string[]>
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
    await Promise.race([finish(userId), sleep(REQUEST_WAIT_MS, undefined, { ref: false })])
  }

  /** Leaves a failure to the next round: the account is already closed, and only its data remains. */
  async function finish(userId: string): Promise<void> {
    try {
      await deleteFiles(userId)
      await repo.finish(userId)
    } catch (error) {
      log.warn({ err: error, userId }, 'account deletion failed, will retry')
    }
  }

  /** Deletes sign-ups that have not verified their email in time, and finishes every deletion that has begun. */
  async function resume(): Promise<void> {
    while (!closing && (await repo.closeOverdue(clock.now(), BATCH)) === BATCH);
    let batch = await repo.findUnfinished(null, BATCH)
    while (batch.length > 0 && !closing) {
      for (const userId of batch) if (!closing) await finish(userId)
      batch = await repo.findUnfinished(batch.at(-1) ?? null, BATCH)
    }
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
