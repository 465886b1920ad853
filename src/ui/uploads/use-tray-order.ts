import type { UploaderSnapshot, UploadHandle, UploadSnapshot, UploadState } from '@pigeonhole/client/browser'
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

/** Rank of failed uploads that cannot be retried, below those that can. */
const FAILED_FOR_GOOD = 0.5

/** Sorts uploads by rank, then by the order in which they were added. */
function inTrayOrder(uploads: readonly UploadHandle[]): UploadHandle[] {
  const rankOf = ({ state, error }: UploadSnapshot) => {
    if (state !== 'failed') return RANK[state]
    return error?.retryable ? RANK.failed : FAILED_FOR_GOOD
  }
  return uploads
    .map((upload) => ({ upload, rank: rankOf(upload.getSnapshot()) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ upload }) => upload)
}

type TrayOrder = { rows: readonly UploadHandle[]; hidesFailed: boolean }

/**
 * Returns the uploads in the tray's order, without those in `collapsed`. While the focus or the pointer is in the list
 * (`held`), rows neither move nor disappear.
 */
export function useTrayOrder(
  { uploads, counts }: UploaderSnapshot,
  held: boolean,
  collapsed: readonly UploadHandle[],
): TrayOrder {
  const shown = useRef<TrayOrder>({ rows: [], hidesFailed: false })
  const states = Object.values(counts).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order depends on the uploads' states
  return useMemo(() => {
    const hidesFailed = collapsed.length > 0 && (!held || shown.current.hidesFailed)
    const hidden = new Set(hidesFailed ? collapsed : [])
    const isVisible = (upload: UploadHandle) => !hidden.has(upload)
    if (held) {
      const present = new Set(uploads)
      const shownBefore = new Set(shown.current.rows)
      const kept = shown.current.rows.filter((upload) => present.has(upload))
      const added = uploads.filter((upload) => !shownBefore.has(upload) && isVisible(upload))
      shown.current = { rows: [...kept, ...added], hidesFailed }
    } else shown.current = { rows: inTrayOrder(uploads.filter(isVisible)), hidesFailed }
    return shown.current
  }, [uploads, states, held, collapsed.length])
}
