'use client'

import { useSyncExternalStore } from 'react'
import { type Draft, EMPTY_DRAFT } from './draft.ts'

// Kept while the tab shows our pages: looking something up on another page loses nothing.
let current = EMPTY_DRAFT
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(part: Partial<Draft>): void {
  current = { ...current, ...part }
  for (const listener of listeners) listener()
}

/** The message that is being written, and how to change a part of it. */
export function useDraft(): [Draft, (part: Partial<Draft>) => void] {
  const draft = useSyncExternalStore(
    subscribe,
    () => current,
    () => EMPTY_DRAFT,
  )
  return [draft, change]
}
