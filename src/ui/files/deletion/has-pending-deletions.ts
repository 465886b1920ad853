/** Returns the prefix of a user's journal entries in localStorage. Each page appends its own random name. */
export const journalPrefix = (userId: string): string => `pigeonhole-deletions:${userId}:`

/** Returns true if any page of the user, open or closed, has recorded deletions. */
export function hasPendingDeletions(userId: string): boolean {
  return journalKeys(userId).length > 0
}

export function journalKeys(userId: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(journalPrefix(userId)))
  } catch {
    return []
  }
}
