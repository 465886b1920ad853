/**
 * Queue of files that move to the trash unless the user undoes it. The server deletes held files permanently at once,
 * and a restored public file gets a new URL, so the queue sends nothing before the undo period ends:
 *
 * - The files disappear from the lists at once. Another deletion joins the waiting files and restarts the period. Undo
 *   restores all waiting files.
 * - Navigation inside the app does not affect the queue, which lives in the layout.
 * - When the user leaves, closes or reloads the page, the queue sends the deletions at once, with requests that outlive
 *   the page. No page reads their responses, so the next page repeats the deletions from the journal. This is safe:
 *   `files.delete` is idempotent.
 * - A browser that crashes has sent nothing. The user's next page reads the journal and restarts the undo period.
 * - Files that the server rejects appear again, with a message.
 */
export type DeletionQueue = ReturnType<typeof createDeletionQueue>

export type DeletionSnapshot = {
  /** IDs of files that no list shows: those waiting or being deleted. */
  hidden: ReadonlySet<string>
  /** Number of deletions that can be undone. */
  waiting: number
  /** Number of files being deleted. */
  sending: number
}

/** Result of deletions. `error` is that of the last failure. */
export type DeletionResult = { deleted: string[]; failed: string[]; error?: unknown }

/** Pending deletions of one page. Those in `sending` were sent, but the page may not have read the response. */
export type JournalEntry = { waiting: string[]; sending: string[] }

export type DeletionJournal = {
  /** Replaces this page's entry. */
  save(entry: JournalEntry): void
  /** Removes and returns the entries of closed pages. */
  takeOver(): Promise<JournalEntry[]>
}

type DeletionQueueOptions = {
  /** Deletes one file. Called for several files in parallel. */
  send(id: string): Promise<unknown>
  /** Sends deletions that outlive the page, without reading the responses. */
  sendOnUnload(ids: string[]): void
  journal: DeletionJournal
  undoMs: number
  onResult(result: DeletionResult): void
}

const PARALLEL = 4

export function createDeletionQueue(options: DeletionQueueOptions) {
  const { journal, undoMs, onResult } = options
  let waiting = new Set<string>()
  const sending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHeld = false
  let snapshot: DeletionSnapshot = { hidden: new Set(), waiting: 0, sending: 0 }
  const listeners = new Set<() => void>()

  function changed() {
    snapshot = { hidden: new Set([...waiting, ...sending]), waiting: waiting.size, sending: sending.size }
    journal.save({ waiting: [...waiting], sending: [...sending] })
    for (const listener of listeners) listener()
  }

  function startTime() {
    clearTimeout(timer)
    if (waiting.size > 0 && !isHeld) timer = setTimeout(() => void deleteNow(), undoMs)
  }

  /** Ends the undo period and returns the waiting IDs. */
  function takeWaiting(): string[] {
    clearTimeout(timer)
    isHeld = false
    const ids = [...waiting]
    waiting = new Set()
    return ids
  }

  const deleteNow = (): Promise<void> => send(takeWaiting())

  function add(ids: string[]): void {
    for (const id of ids) if (!sending.has(id)) waiting.add(id)
    changed()
    startTime()
  }

  async function send(ids: string[]): Promise<void> {
    if (ids.length === 0) return
    for (const id of ids) sending.add(id)
    changed()
    const result: DeletionResult = { deleted: [], failed: [] }
    const remaining = ids.values()
    const worker = async () => {
      for (const id of remaining)
        try {
          await options.send(id)
          result.deleted.push(id)
        } catch (error) {
          result.failed.push(id)
          result.error = error
        }
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    // Update the lists first, or deleted files would reappear for a moment.
    onResult(result)
    for (const id of ids) sending.delete(id)
    changed()
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: (): DeletionSnapshot => snapshot,

    add,
    /** Restores the waiting files and returns their number. */
    undo(): number {
      const { length } = takeWaiting()
      changed()
      return length
    },
    deleteNow,
    /** Stops the time while the user is at the Undo button, and restarts it afterwards. */
    hold(on: boolean): void {
      isHeld = on
      startTime()
    },
    /** Sends all deletions. Call it when the page is left. If the page is restored, call `deleteNow` to finish. */
    leave(): void {
      clearTimeout(timer)
      const ids = [...waiting, ...sending]
      if (ids.length === 0) return
      options.sendOnUnload(ids)
      journal.save({ waiting: [], sending: ids })
    },
    /** Continues the deletions of closed pages. */
    async resume(): Promise<void> {
      for (const entry of await journal.takeOver()) {
        void send(entry.sending)
        if (entry.waiting.length > 0) add(entry.waiting)
      }
    },
  }
}
