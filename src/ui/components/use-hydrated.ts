'use client'

import { useSyncExternalStore } from 'react'

const subscribeToNothing = () => () => {}

/** Whether React has hydrated the page. Before that, the browser itself would submit a form. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  )
}
