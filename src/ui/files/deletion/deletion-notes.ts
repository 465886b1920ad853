import type { DeletionNote, DeletionNotes } from './deletion-queue.ts'
import { noteKeys, notesPrefix } from './has-deletion-notes.ts'

/**
 * Notes in localStorage, one for each page. A page holds a lock of the note's name while it lives; what nobody holds
 * was left behind. Without storage nothing is remembered, without locks (pages on plain HTTP) nothing is taken over:
 * then a crash means that the files stay.
 */
export function browserDeletionNotes(userId: string): DeletionNotes {
  const own = notesPrefix(userId) + Math.random().toString(36).slice(2)
  const { locks } = navigator as { locks?: LockManager }
  void locks?.request(own, () => new Promise(() => {}))

  function write(key: string, note: DeletionNote): void {
    try {
      if (note.waiting.length + note.sending.length === 0) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(note))
    } catch {
      // No storage, or too little: see above.
    }
  }

  function take(key: string): DeletionNote | undefined {
    const text = localStorage.getItem(key)
    localStorage.removeItem(key)
    return text === null ? undefined : parse(text)
  }

  return {
    save: (note) => write(own, note),
    async takeOver() {
      if (!locks) return []
      const found: DeletionNote[] = []
      for (const key of noteKeys(userId))
        if (key !== own)
          await locks.request(key, { ifAvailable: true }, (lock) => {
            const note = lock && take(key)
            if (note) found.push(note)
          })
      return found
    },
  }
}

function parse(text: string): DeletionNote | undefined {
  try {
    const { waiting, sending } = JSON.parse(text) as Partial<DeletionNote>
    return { waiting: strings(waiting), sending: strings(sending) }
  } catch {
    return undefined
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
