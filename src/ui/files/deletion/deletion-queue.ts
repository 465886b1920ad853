/**
 * Files that the user has deleted and can still get back. `files.delete` removes the bytes at once, so undoing means
 * not having sent it yet:
 *
 * - The files disappear from the lists. After the time for undoing they are deleted; a deletion before that joins the
 *   waiting ones and starts the time again. Undo brings all of them back.
 * - Another page of ours: the queue is in the layout and goes on.
 * - Leaving, closing or reloading the page: nobody could undo any more, so the deletions are sent at once, by requests
 *   that outlive the page. The notes that the browser keeps let the next page repeat them, since nobody has read the
 *   answers: `files.delete` is idempotent.
 * - A browser that crashed has sent nothing. The next page of the same user finds the notes, and begins the time for
 *   undoing again: nothing is deleted behind the user's back, nor forgotten.
 * - What the server refuses is shown again, and said.
 */
export type DeletionQueue = ReturnType<typeof createDeletionQueue>

export type DeletionSnapshot = {
  /** Not on any list: waiting, or on their way to the server. */
  hidden: ReadonlySet<string>
  /** Can be undone. */
  waiting: number
  /** Being deleted. */
  sending: number
}

/** What happened to files that were to be deleted. `error`: of the last one that failed. */
export type DeletionResult = { deleted: string[]; failed: string[]; error?: unknown }

/** `sending`: asked of the server, perhaps without reading its answer. */
export type DeletionNote = { waiting: string[]; sending: string[] }

export type DeletionNotes = {
  /** Replaces this page's note. */
  save(note: DeletionNote): void
  /** The notes of pages that are gone, which forget them. */
  takeOver(): Promise<DeletionNote[]>
}

type DeletionQueueOptions = {
  /** Deletes one file. Called for a few at once. */
  send(id: string): Promise<unknown>
  /** Sends deletions that outlive the page; nobody reads the answers. */
  sendWhileLeaving(ids: string[]): void
  notes: DeletionNotes
  undoMs: number
  onResult(result: DeletionResult): void
}

const PARALLEL = 4

export function createDeletionQueue(options: DeletionQueueOptions) {
  const { notes, undoMs, onResult } = options
  let waiting = new Set<string>()
  const sending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let held = false
  let snapshot: DeletionSnapshot = { hidden: new Set(), waiting: 0, sending: 0 }
  const listeners = new Set<() => void>()

  function changed() {
    snapshot = { hidden: new Set([...waiting, ...sending]), waiting: waiting.size, sending: sending.size }
    notes.save({ waiting: [...waiting], sending: [...sending] })
    for (const listener of listeners) listener()
  }

  function startTime() {
    clearTimeout(timer)
    if (waiting.size > 0 && !held) timer = setTimeout(() => void deleteNow(), undoMs)
  }

  /** Ends the time for undoing. */
  function takeWaiting(): string[] {
    clearTimeout(timer)
    held = false
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
    const left = ids.values()
    const worker = async () => {
      for (const id of left)
        try {
          await options.send(id)
          result.deleted.push(id)
        } catch (error) {
          result.failed.push(id)
          result.error = error
        }
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    // The lists first: a file must not appear again before it is gone.
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
    /** Returns how many files came back. */
    undo(): number {
      const { length } = takeWaiting()
      changed()
      return length
    },
    deleteNow,
    /** Stops the time while somebody is at the Undo button, and starts it again afterwards. */
    hold(on: boolean): void {
      held = on
      startTime()
    },
    /** Call it when the page is left. If the page comes back after all, `deleteNow` ends what this has begun. */
    leave(): void {
      clearTimeout(timer)
      const ids = [...waiting, ...sending]
      if (ids.length === 0) return
      options.sendWhileLeaving(ids)
      notes.save({ waiting: [], sending: ids })
    },
    /** Goes on with what pages left behind that are gone. */
    async resume(): Promise<void> {
      for (const note of await notes.takeOver()) {
        void send(note.sending)
        if (note.waiting.length > 0) add(note.waiting)
      }
    },
  }
}
