import type { UploaderSnapshot } from '@pigeonhole/client/browser'

/** Counts the uploads that leaving the page would interrupt: running, waiting and paused ones. */
export function unfinishedCount({ counts }: Pick<UploaderSnapshot, 'counts'>): number {
  const { queued, starting, uploading, verifying, pausing, paused } = counts
  return queued + starting + uploading + verifying + pausing + paused
}
