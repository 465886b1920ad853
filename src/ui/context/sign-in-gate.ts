export type SignInGate = {
  /** Like `fetch`, but repeats a request that the server rejected for its session once the user has signed in again. */
  fetch: typeof fetch
  /** Repeats the waiting requests, because the user has signed in again. */
  open(): void
}

/**
 * Holds the calls of a page whose session has ended, so that the page shows only the sign-in dialog and not an error for
 * each call. `onEnded` is called for each rejected request.
 */
export function createSignInGate(onEnded: () => void): SignInGate {
  let signIns = 0
  const gate = new EventTarget()

  const signedIn = (signal?: AbortSignal | null) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      gate.addEventListener('open', () => resolve(), { once: true, ...(signal && { signal }) })
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })

  return {
    async fetch(input, init) {
      for (;;) {
        const sentAfter = signIns
        const response = await fetch(input, init)
        if (response.status !== 401) return response
        await response.body?.cancel()
        // The user can have signed in while the request was on its way.
        if (sentAfter !== signIns) continue
        const waiting = signedIn(init?.signal)
        onEnded()
        await waiting
      }
    },
    open() {
      signIns++
      gate.dispatchEvent(new Event('open'))
    },
  }
}
