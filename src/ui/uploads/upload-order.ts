import type { UploadHandle, UploadState } from '@pigeonhole/client/browser'

/** What needs the reader first, then what is under way, then what is over. */
const RANK: Record<UploadState, number> = {
  failed: 0,
  paused: 1,
  starting: 1,
  uploading: 1,
  verifying: 1,
  queued: 2,
  done: 3,
  cancelled: 3,
}

/** Uploads as the tray lists them. Those of one rank stay in the order in which they were added. */
export function inTrayOrder(uploads: readonly UploadHandle[]): UploadHandle[] {
  return uploads
    .map((upload) => ({ upload, rank: RANK[upload.getSnapshot().state] }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ upload }) => upload)
}
