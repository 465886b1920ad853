import type { DeletionJournal, JournalEntry } from './deletion-queue.ts'
import { journalKeys, journalPrefix } from './has-pending-deletions.ts'

/**
 * Journal in localStorage, with one entry per page. An open page holds a lock with the entry's name, so entries without
 * a lock belong to closed pages. Without storage nothing is recorded, and without locks (pages on plain HTTP) nothing is
 * taken over: the files survive a crash.
 */
export function browserDeletionJournal(userId: string): DeletionJournal {
  const ownKey = journalPrefix(userId) + Math.random().toString(36).slice(2)
  const { locks } = navigator as { locks?: LockManager }
  void locks?.request(ownKey, () => new Promise(() => {}))

  function write(key: string, entry: JournalEntry): void {
    try {
      if (entry.waiting.length + entry.sending.length === 0) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(entry))
    } catch {
      // Storage is unavailable or full: nothing is recorded.
    }
  }

  function take(key: string): JournalEntry | undefined {
    const text = localStorage.getItem(key)
    localStorage.removeItem(key)
    return text === null ? undefined : parse(text)
  }

  return {
    save: (entry) => write(ownKey, entry),
    async takeOver() {
      if (!locks) return []
      const entries: JournalEntry[] = []
      for (const key of journalKeys(userId))
        if (key !== ownKey)
          await locks.request(key, { ifAvailable: true }, (lock) => {
            const entry = lock && take(key)
            if (entry) entries.push(entry)
          })
      return entries
    },
  }
}

function parse(text: string): JournalEntry | undefined {
  try {
    const { waiting, sending } = JSON.parse(text) as Partial<JournalEntry>
    return { waiting: strings(waiting), sending: strings(sending) }
  } catch {
    return undefined
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
