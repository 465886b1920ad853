/** Network state of the device. */
export type Connection = {
  online(): boolean
  /** Returns a function that unsubscribes. */
  subscribe(changed: () => void): () => void
}

export const alwaysOnline: Connection = { online: () => true, subscribe: () => () => {} }

/** Connection according to the browser's `online` and `offline` events. */
export const browserConnection: Connection = {
  online: () => navigator.onLine,
  subscribe: (changed) => {
    addEventListener('online', changed)
    addEventListener('offline', changed)
    return () => {
      removeEventListener('online', changed)
      removeEventListener('offline', changed)
    }
  },
}
