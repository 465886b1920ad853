import type { UploaderSnapshot, UploadSnapshot } from '@pigeonhole/client/browser'

/** Counts the uploads that leaving the page would interrupt: running, waiting and paused ones. */
export function unfinishedCount({ counts }: Pick<UploaderSnapshot, 'counts'>): number {
  const { queued, starting, uploading, verifying, pausing, paused } = counts
  return queued + starting + uploading + verifying + pausing + paused
}

/** Counts the unfinished uploads that the user has not paused. Offline, they wait for the network. */
export function waitingCount(snapshot: Pick<UploaderSnapshot, 'counts' | 'uploads'>): number {
  const pausedByUser = snapshot.uploads.filter((upload) => {
    const { state, pauseReason } = upload.getSnapshot()
    return state === 'paused' && pauseReason === 'user'
  })
  return unfinishedCount(snapshot) - pausedByUser.length
}

/** True if the upload needs the network only for the server's check of the stored bytes, which no pause prevents. */
export function waitsForCheck({ state, pauseReason, bytesSent, size }: UploadSnapshot): boolean {
  return state === 'paused' && pauseReason === 'offline' && bytesSent === size
}

/** Returns the message that tells what happens to the uploads while the browser is offline. */
export function offlineNoticeKey(snapshot: Pick<UploaderSnapshot, 'counts' | 'uploads' | 'signedOut'>) {
  const waiting = waitingCount(snapshot)
  if (waiting === 0) return 'uploads.offlinePaused'
  if (snapshot.signedOut) return 'uploads.offlineSignedOut'
  return waiting < unfinishedCount(snapshot) ? 'uploads.offlineSome' : 'uploads.offline'
}
