import type { Lease, Report, UploadRepo } from './ports.ts'

/** After a crash the next caller takes over within this time. */
export const LEASE_MS = 10_000
const RENEW_EVERY_MS = 3_000

/** Another worker may have the file by now: stop, and look at it afresh. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease on the file was lost')
    this.name = 'LeaseLost'
  }
}

export type Hold = {
  id: string
  /** Aborts when the lease is lost or `until` aborts. */
  signal: AbortSignal
  /**
   * Renews now; call it right before a step that a successor could not undo.
   * @throws LeaseLost
   */
  secure(): Promise<void>
}

/**
 * Runs `work` while renewing a lease that was just taken, and gives the lease up afterwards.
 * Throws LeaseLost if `work` fails and the lease is not ours any more.
 *
 * A lease counts as lost by our own monotonic clock too: a process that slept past it must not go on, even
 * if the database cannot be asked.
 */
export async function holding<T>(
  repo: Pick<UploadRepo, 'renew' | 'release'>,
  fileId: string,
  lease: Lease,
  until: AbortSignal,
  report: Report,
  work: (hold: Hold) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  let validUntil = performance.now() + lease.ms
  const secure = async () => {
    const asked = performance.now()
    if (asked > validUntil || !(await repo.renew(fileId, lease))) lost.abort(new LeaseLost())
    else validUntil = asked + lease.ms
    lost.signal.throwIfAborted()
  }
  const beat = setInterval(
    () => {
      if (performance.now() > validUntil) lost.abort(new LeaseLost())
      // A database that does not answer is not a lost lease; the clock above decides.
      else
        secure().catch(
          (error: unknown) => lost.signal.aborted || report('lease not renewed', { fileId, error }),
        )
    },
    Math.min(RENEW_EVERY_MS, lease.ms / 3),
  )
  const giveUp = () =>
    repo.release(fileId, lease.id).catch((error: unknown) => {
      report('lease not released', { fileId, error })
      return true
    })
  try {
    const result = await work({ id: lease.id, signal: AbortSignal.any([lost.signal, until]), secure })
    await giveUp()
    return result
  } catch (error) {
    // An error under a lease that was no longer ours (or that a change of state has ended) is not the
    // answer: what the file is by now is.
    if (lost.signal.aborted || !(await giveUp())) throw new LeaseLost()
    throw error
  } finally {
    clearInterval(beat)
  }
}
