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
