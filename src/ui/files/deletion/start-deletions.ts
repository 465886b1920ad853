import type { Client } from '@pigeonhole/client'
import { deleteWhileLeaving } from './delete-while-leaving.ts'
import { browserDeletionNotes } from './deletion-notes.ts'
import { createDeletionQueue, type DeletionQueue, type DeletionResult } from './deletion-queue.ts'
import { sendDeletion } from './send-deletion.ts'

/** Long enough to notice the bar and reach it with the keyboard; it stops while the bar has the focus or the pointer. */
const UNDO_MS = 10_000

/** The queue of this page, until the page is gone. */
export function startDeletions(
  client: Client,
  userId: string,
  onResult: (result: DeletionResult) => void,
): DeletionQueue {
  const queue = createDeletionQueue({
    send: (fileId) => sendDeletion(() => client.files.delete.mutate({ fileId })),
    sendWhileLeaving: deleteWhileLeaving,
    notes: browserDeletionNotes(userId),
    undoMs: UNDO_MS,
    onResult,
  })
  addEventListener('pagehide', () => queue.leave())
  // The browser kept the page while the user was elsewhere.
  addEventListener('pageshow', ({ persisted }) => persisted && void queue.deleteNow())
  void queue.resume()
  return queue
}
