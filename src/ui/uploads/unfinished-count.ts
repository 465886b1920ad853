import type { UploaderSnapshot } from '@pigeonhole/client/browser'

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

/** Returns the message that tells what happens to the uploads while the browser is offline. */
export function offlineNoticeKey(snapshot: Pick<UploaderSnapshot, 'counts' | 'uploads'>) {
  const waiting = waitingCount(snapshot)
  if (waiting === 0) return 'uploads.offlinePaused'
  return waiting < unfinishedCount(snapshot) ? 'uploads.offlineSome' : 'uploads.offline'
}

/** Sums up the bytes that will be sent again, because sending them was interrupted. */
export function bytesToResend({ uploads }: Pick<UploaderSnapshot, 'uploads'>): number {
  return uploads.reduce((sum, upload) => sum + upload.getSnapshot().bytesToResend, 0)
}
