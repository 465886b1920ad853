'use client'

import { useSyncExternalStore } from 'react'

/**
 * The token of the mailed link that led here. It stands after the `#`, which no server gets to see: programs that open
 * every link of a mail do not use it up. Undefined until the page is hydrated; empty: there is none.
 */
export function useLinkToken(): string | undefined {
  return useSyncExternalStore(subscribe, current, () => undefined)
}

/** Takes a used token out of the address bar and the history. */
export function forgetLinkToken(): void {
  history.replaceState(history.state, '', location.pathname)
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}

const current = () => location.hash.slice(1)
