import type { UploaderSnapshot, UploadState } from '@pigeonhole/client/browser'

/** Counts the uploads that leaving the page would interrupt: running, waiting and paused ones. */
export function unfinishedCount({ counts }: Pick<UploaderSnapshot, 'counts'>): number {
  const { queued, starting, uploading, verifying, pausing, paused } = counts
  return queued + starting + uploading + verifying + pausing + paused
}

/** Counts the unfinished uploads that continue without the user. Offline, they wait for the network. */
export function waitingCount(snapshot: Pick<UploaderSnapshot, 'counts' | 'uploads'>): number {
  const needUser = snapshot.uploads.filter((upload) => {
    const { state, pauseReason } = upload.getSnapshot()
    return state === 'paused' && pauseReason !== 'offline'
  })
  return unfinishedCount(snapshot) - needUser.length
}

const ENDED = new Set<UploadState>(['done', 'failed', 'cancelled'])

/** Sums up the bytes of unfinished uploads. The uploader's sums also include finished ones. */
export function unfinishedBytes({ uploads }: Pick<UploaderSnapshot, 'uploads'>) {
  let size = 0
  let bytesSent = 0
  for (const upload of uploads) {
    const one = upload.getSnapshot()
    if (ENDED.has(one.state)) continue
    size += one.size
    bytesSent += one.bytesSent
  }
  return { size, bytesSent }
}
