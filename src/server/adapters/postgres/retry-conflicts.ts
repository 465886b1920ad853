const ATTEMPTS = 5
/**
 * PostgreSQL's serialization_failure, deadlock_detected and check_violation. PostgreSQL checks constraints on the row as
 * the statement first saw it, before it notices that another statement has changed it. A retry is safe, because nothing
 * was written.
 */
const CODES = ['40001', '40P01', '23514']

/** Retries a statement after a conflict. Most statements lock files before users; account deletion does the reverse. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.includes(String(error.code))
}
