'use client'

import { useEffect } from 'react'

/**
 * Loads the dialogs that uploads may need when the network is away: signing out asks, and a session that has ended is
 * renewed in one. They are scripts of their own, which pages without uploads do not load.
 */
export function preloadOfflineDialogs(): void {
  // Without a network now, they are loaded when they are opened.
  import('../components/confirm-dialog.tsx').catch(() => {})
  import('./session-ended-dialog.tsx').catch(() => {})
}

/** For uploads that nobody announced: dropped and pasted files. */
export function useOfflineDialogs(needed: boolean): void {
  useEffect(() => {
    if (needed) preloadOfflineDialogs()
  }, [needed])
}
