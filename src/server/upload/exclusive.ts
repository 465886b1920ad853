import { setTimeout as sleep } from 'node:timers/promises'
import { isId, newId } from '../ids.ts'
import type { UploadDeps } from './deps.ts'
import { type Hold, holding, LEASE_MS, LeaseLost } from './lease.ts'
import type { FileRecord, FileState } from './ports.ts'
import { busy, notFound } from './refusals.ts'

/** A call that spans store and database ends within this time, waiting for another worker included. */
const BOUND_MS = 45_000
const POLL_MS = 100

type Task<T> = {
  fileId: string
  userId: string
  /** In this state there is work to do; in any other `settled` answers. */
  state: FileState
  /** Throws what does not fit the file at all, whatever its state. */
  check?(file: FileRecord): void
  settled(file: FileRecord): T
  work(file: FileRecord, hold: Hold): Promise<T>
}

/**
 * Of two calls at once one works; the other waits and gets the same answer. A worker that died is followed
 * by the next caller as soon as its lease has run out.
 * @throws AppError NOT_FOUND, what `check`, `settled` and `work` throw, INTERNAL_SERVER_ERROR when time is up
 */
export async function exclusively<T>(deps: UploadDeps, task: Task<T>): Promise<T> {
  const { fileId, userId, state } = task
  if (!isId(fileId)) throw notFound()
  const until = AbortSignal.timeout(BOUND_MS)
  for (;;) {
    const lease = { id: newId(), ms: LEASE_MS }
    const taken = await deps.repo.acquire(fileId, userId, lease, state)
    if (taken) {
      try {
        return await holding(deps.repo, fileId, lease, until, deps.report, async (hold) => {
          task.check?.(taken)
          return task.work(taken, hold)
        })
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
      }
    } else {
      const seen = await deps.repo.find(fileId, userId)
      if (!seen) throw notFound()
      task.check?.(seen)
      if (seen.state !== state) return task.settled(seen)
    }
    if (until.aborted) throw busy()
    await sleep(POLL_MS / 2 + Math.random() * POLL_MS)
  }
}
