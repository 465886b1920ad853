/** Where pages keep a user's notes in localStorage, each under a name of its own behind this. */
export const notesPrefix = (userId: string): string => `pigeonhole-deletions:${userId}:`

/** Whether a page that is gone, or another one, has left notes about deletions. */
export function hasDeletionNotes(userId: string): boolean {
  return noteKeys(userId).length > 0
}

export function noteKeys(userId: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(notesPrefix(userId)))
  } catch {
    return []
  }
}
