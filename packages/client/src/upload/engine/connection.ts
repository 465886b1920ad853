/** Whether there is a network at all. */
export type Connection = {
  online(): boolean
  /** Returns the unsubscribe function. */
  subscribe(changed: () => void): () => void
}

export const alwaysOnline: Connection = { online: () => true, subscribe: () => () => {} }

/** As the browser's `online` and `offline` events say. */
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
