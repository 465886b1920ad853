import type { Clock } from '../clock.ts'
import type { AccountRemovalRepo, FileEraser } from './ports.ts'

/** How often removals that a crash or the store held up are taken on again. */
const RESUME_MS = 60_000

/** How long the person who asked waits for the files; the rest goes on without them. */
const PATIENCE_MS = 10_000

const BATCH = 100

export type RemovalDeps = {
  repo: AccountRemovalRepo
  files: FileEraser
  clock: Clock
  log: { warn(details: object, message: string): void }
}

export type AccountRemoval = ReturnType<typeof createAccountRemoval>

/**
 * Removes accounts. The mark on the user's row comes first: from then on nobody can sign in, and whatever
 * happens to this process, some replica finds the mark and carries on.
 */
export function createAccountRemoval({ repo, files, clock, log }: RemovalDeps) {
  let timer: NodeJS.Timeout | undefined
  let sweep: Promise<void> | undefined
  let closing = false

  async function remove(userId: string): Promise<void> {
    await repo.begin(userId, clock.now())
    const patience = Promise.withResolvers<void>()
    const alarm = setTimeout(patience.resolve, PATIENCE_MS)
    await Promise.race([carryOn(userId), patience.promise])
    clearTimeout(alarm)
  }

  /** A failure waits for the next round: the account is closed already, only its remains are still there. */
  async function carryOn(userId: string): Promise<void> {
    try {
      await files.deleteAllFilesOf(userId)
      await repo.finish(userId)
    } catch (error) {
      log.warn({ err: error, userId }, 'removal of an account is held up')
    }
  }

  /** Takes on whatever has begun and is not finished. */
  async function resume(): Promise<void> {
    try {
      let batch = await repo.begun(null, BATCH)
      while (batch.length > 0 && !closing) {
        for (const userId of batch) if (!closing) await carryOn(userId)
        batch = await repo.begun(batch.at(-1) ?? null, BATCH)
      }
    } catch (error) {
      log.warn({ err: error }, 'could not look for accounts to remove')
    }
  }

  return {
    remove,
    resume,
    start(): void {
      const round = () => {
        sweep = resume().finally(() => {
          if (!closing) timer = setTimeout(round, RESUME_MS).unref()
        })
      }
      timer = setTimeout(round, 0).unref()
    },
    async close(): Promise<void> {
      closing = true
      clearTimeout(timer)
      await sweep
    },
  }
}
