import type { UploaderSnapshot } from '@pigeonhole/client/browser'

/** Uploads that would be lost or interrupted with the page: running, waiting and paused ones. */
export function unfinishedCount({ counts }: Pick<UploaderSnapshot, 'counts'>): number {
  return counts.queued + counts.starting + counts.uploading + counts.verifying + counts.paused
}
