import { setTimeout as sleep } from 'node:timers/promises'
import { isId, newId } from '../../kernel/ids.ts'
import { busy, notFound, requireFile, requireKind, type UploadKind } from './errors.ts'
import type { FileRecord, LeaseTerm } from './file-record.ts'
import type { UploadDeps } from './upload-deps.ts'

/**
 * Time within which the next caller takes over after a crash. Two renewals in a row can fail: a worker that misses more
 * is dead, suspended or disconnected from the database.
 */
const LEASE_MS = 4_000
const RENEW_EVERY_MS = 1_000
/** Maximum duration of a call under a lease, including the wait for another worker's lease. */
const TIMEOUT_MS = 45_000
const POLL_MS = 100

const STATE_OF = { simple: 'PENDING', multipart: 'UPLOADING', ready: 'READY' } as const

/** Another worker may hold the lease now: stop, and read the file again. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease on the file was lost')
    this.name = 'LeaseLost'
  }
}

/** Exclusive right to work on one file across store and database. */
export type Lease = {
  id: string
  /** Aborts when the lease is lost or the call has timed out. */
  signal: AbortSignal
  /** Renews the lease now. Call it right before a step that the next holder could not undo. @throws LeaseLost */
  renew(): Promise<void>
}

type Task<T> = {
  fileId: string
  userId: string
  /** `ready`: a READY file of either kind. */
  kind: UploadKind | 'ready'
  /** Ends the work early. */
  signal?: AbortSignal
  /** Handles an upload that has ended, so that there is no work to do. */
  settled(file: FileRecord): T
  work(file: FileRecord, lease: Lease): Promise<T>
}

/**
 * Runs `work` on an unfinished upload or a READY file under a lease. Of two concurrent calls, one works; the other waits and gets the
 * same response. After a crash, the next caller takes over as soon as the lease expires.
 * @throws AppError NOT_FOUND, BAD_REQUEST for the other kind of upload, what `settled` and `work` throw, and
 * INTERNAL_SERVER_ERROR on timeout
 */
export async function withLease<T>(deps: UploadDeps, task: Task<T>): Promise<T> {
  const { fileId, userId, kind } = task
  const state = STATE_OF[kind]
  const timeout = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(task.signal ? [task.signal] : [])])
  if (!isId(fileId)) throw notFound()
  for (;;) {
    const term = { id: newId(), ms: LEASE_MS }
    const file = await deps.repo.acquire(fileId, userId, term, state)
    if (file) {
      try {
        return await whileRenewing(deps, file.id, { ...term, timeout }, (lease) => task.work(file, lease))
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
      }
    } else {
      const found = await requireFile(deps, userId, fileId)
      if (kind !== 'ready') requireKind(found, kind)
      if (found.state !== state) return task.settled(found)
    }
    if (timeout.aborted) throw busy()
    await sleep(POLL_MS / 2 + Math.random() * POLL_MS)
  }
}

/**
 * Runs `work` while renewing a lease that was just taken, and releases the lease afterwards.
 *
 * The lease also expires by this process's monotonic clock: after being suspended, the process must not continue, even
 * if it cannot reach the database.
 * @throws LeaseLost if `work` fails after the lease was lost
 */
async function whileRenewing<T>(
  { repo, report }: Pick<UploadDeps, 'repo' | 'report'>,
  fileId: string,
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
  const timer = setInterval(() => {
    if (performance.now() > validUntil) lost.abort(new LeaseLost())
    // A database that does not respond has not taken the lease away, so the clock above decides.
    else
      renew().catch((error: unknown) => lost.signal.aborted || report('lease not renewed', { fileId, error }))
  }, RENEW_EVERY_MS)
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
    // If the lease was lost or a change of state has ended it, the error says nothing about the file, which the caller
    // reads again.
    if (lost.signal.aborted || !(await release())) throw new LeaseLost()
    throw error
  } finally {
    clearInterval(timer)
  }
}
