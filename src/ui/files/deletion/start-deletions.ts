import type { Client } from '@pigeonhole/client'
import { browserDeletionJournal } from './deletion-journal.ts'
import { createDeletionQueue, type DeletionQueue, type DeletionResult } from './deletion-queue.ts'
import { sendDeletion } from './send-deletion.ts'

/** Maximum calls in one request, set by the server. */
const BATCH = 20

/**
 * Moves all files to the trash with requests that outlive the page. The API client would send them slightly
 * later, which is too late. Browsers accept 64 KB of such requests, about 1,000 files. The journal keeps the others for
 * the next page.
 */
function deleteOnUnload(ids: string[]): void {
  for (let i = 0; i < ids.length; i += BATCH) {
    const batch = ids.slice(i, i + BATCH)
    fetch(`/api/trpc/${batch.map(() => 'files.delete').join()}?batch=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(batch.map((fileId, n) => [n, { fileId, trash: true }]))),
      keepalive: true,
      // The page is closing, so it cannot report errors.
    }).catch(() => {})
  }
}

/**
 * Length of the undo period, enough to reach the bar with the keyboard. It pauses while the bar has the focus or the
 * pointer.
 */
const UNDO_MS = 10_000

/** Creates the page's queue and continues the deletions of closed pages. */
export function startDeletions(
  client: Client,
  userId: string,
  onResult: (result: DeletionResult) => void,
): DeletionQueue {
  const queue = createDeletionQueue({
    send: (fileId) => sendDeletion(() => client.files.delete.mutate({ fileId, trash: true })),
    sendOnUnload: deleteOnUnload,
    journal: browserDeletionJournal(userId),
    undoMs: UNDO_MS,
    onResult,
  })
  addEventListener('pagehide', () => queue.leave())
  // The browser restored the page from its back/forward cache.
  addEventListener('pageshow', ({ persisted }) => persisted && void queue.deleteNow())
  void queue.resume()
  return queue
}
