/** Time until a script is requested again after it failed online. */
const RETRY_MS = 5_000

/**
 * Waits until a script that could not be loaded is worth another request: until the network is back. Online, the server may
 * be restarting, or the network may have returned before the failure was noticed.
 */
export function timeToRetryScript(): Promise<unknown> {
  return new Promise((resolve) => {
    if (navigator.onLine) setTimeout(resolve, RETRY_MS)
    else addEventListener('online', resolve, { once: true })
  })
}

/** Loads a script that the page cannot do without, until it succeeds. */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch {
      await timeToRetryScript()
    }
  }
}
