import { userActor } from '../audit.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { AccountDeletionRepo, UserFiles } from './ports.ts'

/** How often to resume deletions that a crash or the object store interrupted. */
const RESUME_MS = 60_000

/** How long the request waits for the files; after that the deletion goes on in the background. */
const REQUEST_WAIT_MS = 10_000

const BATCH = 100

export type AccountDeletionDeps = {
  repo: AccountDeletionRepo
  files: UserFiles
  clock: Clock
  log: Pick<Logger, 'warn'>
}

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

/**
 * Deletes accounts. The user's row is marked first: from then on nobody can sign in, and if this process dies,
 * another replica finds the mark and resumes.
 */
export function createAccountDeletion({ repo, files, clock, log }: AccountDeletionDeps) {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let closing = false

  /** `actor`: who does it, for the audit log. */
  async function deleteAccount(
    userId: string,
    address: string | null,
    actor: string | null = userActor(userId),
  ): Promise<void> {
    await repo.begin(userId, { actor, address, at: clock.now() })
    const timeout = Promise.withResolvers<void>()
    const timeoutTimer = setTimeout(timeout.resolve, REQUEST_WAIT_MS)
    await Promise.race([finish(userId), timeout.promise])
    clearTimeout(timeoutTimer)
  }

  /** A failure waits for the next round: the account is closed already, only its data is left. */
  async function finish(userId: string): Promise<void> {
    try {
      await files.deleteAll(userId)
      await repo.finish(userId)
    } catch (error) {
      log.warn({ err: error, userId }, 'account deletion failed, will retry')
    }
  }

  /** Finishes every deletion that has begun. */
  async function resume(): Promise<void> {
    try {
      let batch = await repo.findUnfinished(null, BATCH)
      while (batch.length > 0 && !closing) {
        for (const userId of batch) if (!closing) await finish(userId)
        batch = await repo.findUnfinished(batch.at(-1) ?? null, BATCH)
      }
    } catch (error) {
      log.warn({ err: error }, 'could not look for accounts to delete')
    }
  }

  return {
    deleteAccount,
    resume,
    start(): void {
      const run = () => {
        round = resume().finally(() => {
          if (!closing) timer = setTimeout(run, RESUME_MS).unref()
        })
      }
      timer = setTimeout(run, 0).unref()
    },
    async close(): Promise<void> {
      closing = true
      clearTimeout(timer)
      await round
    },
  }
}
