import { errorDetails } from '../../context/error-text.ts'

/** Interval between retries. Deleting thousands of files exceeds the server's limit of calls per minute. */
const WAIT_MS = 10_000
const MAX_WAITS = 12

/**
 * Deletes or restores a file. Treats a file that does not exist as deleted. Retries once after an internal error, because the file
 * is already hidden and the second call finishes the deletion. Waits and retries after TOO_MANY_REQUESTS.
 */
export async function sendDeletion(
  send: () => Promise<unknown>,
  wait = (ms: number) => new Promise<unknown>((resolve) => setTimeout(resolve, ms)),
): Promise<void> {
  let faults = 0
  for (let waits = 0; ; waits++)
    try {
      await send()
      return
    } catch (error) {
      const { code } = errorDetails(error)
      if (code === 'NOT_FOUND') return
      if (code === 'TOO_MANY_REQUESTS' && waits < MAX_WAITS) await wait(WAIT_MS)
      else if (code === 'INTERNAL_SERVER_ERROR' && faults++ === 0) continue
      else throw error
    }
}
