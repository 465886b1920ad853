import { signOut } from './auth-api.ts'

/** Maximum time that signing out waits for the browser's push service. */
const UNSUBSCRIBE_TIMEOUT_MS = 3_000
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Stops messages to this browser with `unsubscribe`, then signs out. Returns false if the server cannot be reached: the
 * session is still active. Load the next page fully, which removes the user's data from memory.
 */
export async function leaveAccount(unsubscribe: () => Promise<void>): Promise<boolean> {
  // The next user of this browser must not see this user's messages. Sign out even if this fails.
  await Promise.race([unsubscribe().catch(() => {}), sleep(UNSUBSCRIBE_TIMEOUT_MS)])
  return signOut()
}
