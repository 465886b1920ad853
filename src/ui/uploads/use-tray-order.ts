import type { UploaderSnapshot, UploadHandle, UploadState } from '@pigeonhole/client/browser'
import { useMemo, useRef } from 'react'

/** Uploads that need the user come first, then those in progress, then those that have ended. */
const RANK: Record<UploadState, number> = {
  failed: 0,
  pausing: 1,
  paused: 1,
  starting: 1,
  uploading: 1,
  verifying: 1,
  queued: 2,
  done: 3,
  cancelled: 3,
}

/** Sorts uploads by rank, then by the order in which they were added. */
function inTrayOrder(uploads: readonly UploadHandle[]): UploadHandle[] {
  return uploads
    .map((upload) => ({ upload, rank: RANK[upload.getSnapshot().state] }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ upload }) => upload)
}

/** Returns the uploads in the tray's order. While the focus or the pointer is in the list (`held`), rows do not move. */
export function useTrayOrder({ uploads, counts }: UploaderSnapshot, held: boolean): readonly UploadHandle[] {
  const shown = useRef<UploadHandle[]>([])
  const states = Object.values(counts).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order depends on the uploads' states
  return useMemo(() => {
    if (held) {
      const present = new Set(uploads)
      const shownBefore = new Set(shown.current)
      const kept = shown.current.filter((upload) => present.has(upload))
      shown.current = [...kept, ...uploads.filter((upload) => !shownBefore.has(upload))]
    } else shown.current = inTrayOrder(uploads)
    return shown.current
  }, [uploads, states, held])
}
