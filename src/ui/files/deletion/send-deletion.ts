import { errorFacts } from '../../context/error-text.ts'

/** Deleting thousands of files reaches the server's limit of calls, which counts by the minute. */
const WAIT_MS = 10_000
const MAX_WAITS = 12

/**
 * Deletes a file. One that is gone already is deleted; a fault of the server is tried once more, since the file is
 * hidden by then and the second call finishes; too many calls wait.
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
      const { code } = errorFacts(error)
      if (code === 'NOT_FOUND') return
      if (code === 'TOO_MANY_REQUESTS' && waits < MAX_WAITS) await wait(WAIT_MS)
      else if (code === 'INTERNAL_SERVER_ERROR' && faults++ === 0) continue
      else throw error
    }
}
