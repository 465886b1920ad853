import { useSyncExternalStore } from 'react'
import { type Draft, EMPTY_DRAFT } from './draft.ts'

// Module state, so that the draft survives navigation between the pages.
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

/** Returns the draft and a function that changes a part of it. */
export function useDraft(): [Draft, (part: Partial<Draft>) => void] {
  const draft = useSyncExternalStore(
    subscribe,
    () => current,
    () => EMPTY_DRAFT,
  )
  return [draft, change]
}
