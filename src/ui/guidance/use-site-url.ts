'use client'

import { useSyncExternalStore } from 'react'

const subscribeToNothing = () => () => {}

/** The address by which the reader reached this page; empty until the browser says it. */
export function useSiteUrl(): string {
  return useSyncExternalStore(
    subscribeToNothing,
    () => location.origin,
    () => '',
  )
}
