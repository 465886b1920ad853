'use client'

import { createContext, useContext, useSyncExternalStore } from 'react'
import type { DeletionQueue, DeletionSnapshot } from './deletion-queue.ts'

export const DeletionsContext = createContext<DeletionQueue | null>(null)

/** The files that are being deleted, and can come back. */
export function useDeletionQueue(): DeletionQueue {
  const queue = useContext(DeletionsContext)
  if (!queue) throw new Error('useDeletionQueue needs a DeletionsProvider')
  return queue
}

export function useDeletions(): DeletionSnapshot {
  const queue = useDeletionQueue()
  return useSyncExternalStore(queue.subscribe, queue.getSnapshot, queue.getSnapshot)
}
