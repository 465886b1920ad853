import { useSyncExternalStore } from 'react'

const subscribeToNothing = () => () => {}

/** Returns a value that only the browser knows. Until the page is hydrated, returns the value of `onServer`. */
export function useBrowserValue<T>(inBrowser: () => T, onServer: () => T): T {
  return useSyncExternalStore(subscribeToNothing, inBrowser, onServer)
}
