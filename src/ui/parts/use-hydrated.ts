'use client'

import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** Whether the page's code runs yet: before that, a form would be sent the browser's own way. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
