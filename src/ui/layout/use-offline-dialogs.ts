import { useEffect } from 'react'

/**
 * Loads the dialogs that uploads can need while the network is unavailable: the confirmation and the sign-in dialog.
 * They are separate scripts, so that pages without uploads do not load them.
 */
export function preloadOfflineDialogs(): void {
  // If this fails, they are loaded when they open.
  import('../components/confirm-dialog.tsx').catch(() => {})
  import('./session-ended-dialog.tsx').catch(() => {})
}

/** Loads the dialogs for uploads that start without a button: dropped and pasted files. */
export function useOfflineDialogs(needed: boolean): void {
  useEffect(() => {
    if (needed) preloadOfflineDialogs()
  }, [needed])
}
