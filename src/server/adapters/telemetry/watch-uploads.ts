import type { FileState } from '../../domain/uploads/file-record.ts'
import type { UploadRepo } from '../../domain/uploads/upload-repo.ts'

/** State that a file entered, or DELETED, or REFUSED (it exceeded the quota). */
export type UploadEvent = FileState | 'DELETED' | 'REFUSED'

type Result<Method extends keyof UploadRepo> = Awaited<ReturnType<UploadRepo[Method]>>

/** Numbers of files that entered each state, by the method that changed it. */
type Events = {
  [Method in keyof UploadRepo]?: (
    result: Result<Method>,
    ...args: Parameters<UploadRepo[Method]>
  ) => Partial<Record<UploadEvent, number>>
}

const madeReady = (replaced: unknown[] | null) => ({
  READY: Number(replaced !== null),
  DELETED: replaced?.length ?? 0,
})
const deleted = (DELETED: number) => ({ DELETED })

const EVENTS: Events = {
  reserve: ({ outcome }, { state }) => ({
    [state]: Number(outcome === 'reserved'),
    REFUSED: Number(outcome === 'rejected'),
  }),
  abandonInitiation: () => ({ ABORTED: 1 }),
  markReady: madeReady,
  markHeld: (held) => ({ HELD: Number(held) }),
  acceptHeld: madeReady,
  rejectHeld: (file) => ({ REJECTED: Number(file !== null) }),
  markEnded: (done, _id, _leaseId, { state }) => ({ [state]: Number(done) }),
  markDeleted: (file) => ({ DELETED: Number(file !== null) }),
  expire: (EXPIRED) => ({ EXPIRED }),
  deleteExpired: deleted,
  emptyTrash: deleted,
  deleteExpiredTrash: deleted,
}

type Call = (...args: unknown[]) => Promise<unknown>

/** Wraps the repository and reports every change of state after it is written. */
export function watchUploads(
  repo: UploadRepo,
  onEvent: (event: UploadEvent, count: number) => void,
): UploadRepo {
  const watched = Object.entries(EVENTS).map(([method, eventsOf]) => {
    const call = repo[method as keyof UploadRepo] as Call
    const count = eventsOf as (...change: unknown[]) => Partial<Record<UploadEvent, number>>
    return [
      method,
      async (...args: unknown[]) => {
        const result = await call(...args)
        for (const [event, files] of Object.entries(count(result, ...args)))
          if (files > 0) onEvent(event as UploadEvent, files)
        return result
      },
    ]
  })
  return { ...repo, ...Object.fromEntries(watched) }
}
