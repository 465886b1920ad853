import { setTimeout as sleep } from 'node:timers/promises'
import { isId, newId } from '../ids.ts'
import { busy, notFound } from './errors.ts'
import type { FileRecord, FileState, LeaseTerm, UploadDeps } from './ports.ts'

/**
 * After a crash the next caller takes over within this time. Renewed often enough that two renewals in a row may fail:
 * who does not renew is dead, suspended or cut off from the database.
 */
const LEASE_MS = 4_000
const RENEW_EVERY_MS = 1_000
/** A call under a lease ends within this time, including the wait for another worker's lease. */
const TIMEOUT_MS = 45_000
const POLL_MS = 100

/** Another worker may hold the lease by now: stop, and read the file again. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease on the file was lost')
    this.name = 'LeaseLost'
  }
}

/** The right to work on one file across store and database. */
export type Lease = {
  id: string
  /** Aborts when the lease is lost or the call has timed out. */
  signal: AbortSignal
  /**
   * Renews the lease now. Call it right before a step that the next holder could not undo.
   * @throws LeaseLost
   */
  renew(): Promise<void>
}

type Task<T> = {
  fileId: string
  userId: string
  /** The state in which there is work to do. In any other state `settled` answers. */
  state: FileState
  /** Throws if the call does not fit the file, whatever its state. */
  check?(file: FileRecord): void
  settled(file: FileRecord): T
  work(file: FileRecord, lease: Lease): Promise<T>
}

/**
 * Runs `work` under a lease on the file. Of two calls at once one works; the other waits and gives the same
 * answer. When a worker crashes, the next caller takes over as soon as the lease has expired.
 * @throws AppError NOT_FOUND, what `check`, `settled` and `work` throw, INTERNAL_SERVER_ERROR on timeout
 */
export async function withLease<T>(deps: UploadDeps, task: Task<T>): Promise<T> {
  const { fileId, userId, state } = task
  if (!isId(fileId)) throw notFound()
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  for (;;) {
    const term = { id: newId(), ms: LEASE_MS }
    const file = await deps.repo.acquire(fileId, userId, term, state)
    if (file) {
      try {
        return await whileRenewing(deps, file, { ...term, timeout }, async (lease) => {
          task.check?.(file)
          return task.work(file, lease)
        })
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
      }
    } else {
      const found = await deps.repo.find(fileId, userId)
      if (!found) throw notFound()
      task.check?.(found)
      if (found.state !== state) return task.settled(found)
    }
    if (timeout.aborted) throw busy()
    await sleep(POLL_MS / 2 + Math.random() * POLL_MS)
  }
}

/**
 * Runs `work` while renewing a lease that was just taken, and releases the lease afterwards.
 *
 * The lease also expires by our own monotonic clock: a process that was suspended must not continue, even
 * if it cannot reach the database.
 * @throws LeaseLost if `work` fails after the lease was lost
 */
async function whileRenewing<T>(
  { repo, report }: Pick<UploadDeps, 'repo' | 'report'>,
  { id: fileId }: Pick<FileRecord, 'id'>,
  term: LeaseTerm & { timeout: AbortSignal },
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  let validUntil = performance.now() + term.ms
  const renew = async () => {
    const startedAt = performance.now()
    if (startedAt > validUntil || !(await repo.renew(fileId, term))) lost.abort(new LeaseLost())
    else validUntil = startedAt + term.ms
    lost.signal.throwIfAborted()
  }
  const timer = setInterval(
    () => {
      if (performance.now() > validUntil) lost.abort(new LeaseLost())
      // A database that does not answer has not taken the lease away: the clock above decides.
      else
        renew().catch(
          (error: unknown) => lost.signal.aborted || report('lease not renewed', { fileId, error }),
        )
    },
    Math.min(RENEW_EVERY_MS, term.ms / 3),
  )
  const release = () =>
    repo.release(fileId, term.id).catch((error: unknown) => {
      report('lease not released', { fileId, error })
      return true
    })
  try {
    const result = await work({ id: term.id, signal: AbortSignal.any([lost.signal, term.timeout]), renew })
    await release()
    return result
  } catch (error) {
    // Once the lease is lost (or a change of state has ended it), the error says nothing about the file:
    // the caller reads it again.
    if (lost.signal.aborted || !(await release())) throw new LeaseLost()
    throw error
  } finally {
    clearInterval(timer)
  }
}
