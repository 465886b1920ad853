import { useSyncExternalStore } from 'react'

/**
 * Returns the token of the emailed link, '' if there is none, or undefined until the page is hydrated. The token follows
 * the `#`, which browsers do not send: programs that open every link of an email cannot use it.
 */
export function useLinkToken(): string | undefined {
  return useSyncExternalStore(subscribe, current, () => undefined)
}

/** Removes a used token from the address bar and the history. */
export function forgetLinkToken(): void {
  history.replaceState(history.state, '', location.pathname)
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}

const current = () => location.hash.slice(1)
