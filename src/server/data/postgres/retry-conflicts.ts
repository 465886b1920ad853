const ATTEMPTS = 5
/**
 * PostgreSQL's serialization_failure and deadlock_detected, and check_violation: constraints are checked on a row as
 * the statement first saw it, before the statement finds that another one has changed it meanwhile. Nothing was
 * written, so a retry is safe.
 */
const CODES = ['40001', '40P01', '23514']

/** Retries a statement that lost a conflict. Most statements lock files before users, account deletion the reverse. */
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
