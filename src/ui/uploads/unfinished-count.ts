import type { UploaderSnapshot } from '@pigeonhole/client/browser'

/** Counts the uploads that leaving the page would interrupt: running, waiting and paused ones. */
export function unfinishedCount({ counts }: Pick<UploaderSnapshot, 'counts'>): number {
  return counts.queued + counts.starting + counts.uploading + counts.verifying + counts.paused
}
