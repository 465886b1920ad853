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

/** Attempts online, after which the script does not exist any more, for example because the app was updated. */
const MAX_ATTEMPTS = 5

/**
 * Loads a script that the page cannot do without.
 * @throws the error of the last attempt
 */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  for (let failed = 0; ; ) {
    try {
      return await load()
    } catch (error) {
      if (navigator.onLine && ++failed === MAX_ATTEMPTS) throw error
      await timeToRetryScript()
    }
  }
}
