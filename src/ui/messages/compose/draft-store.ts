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

/** The message that was sent last, as long as no response has confirmed it, and its idempotency key. */
let unconfirmed: { message: string; key: string } | undefined

/**
 * Returns the idempotency key of a message. A retry after a lost response has the same key, even after the user has
 * looked at other pages, so the message is sent once.
 */
export function idempotencyKeyOf(message: unknown): string {
  const text = JSON.stringify(message)
  if (unconfirmed?.message !== text) unconfirmed = { message: text, key: newIdempotencyKey() }
  return unconfirmed.key
}

/** Forgets a key, because the server has confirmed the message. */
export function confirmSent(): void {
  unconfirmed = undefined
}

/** `crypto.randomUUID` exists on https only. */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

/** Empties the draft. */
export function clearDraft(): void {
  change(EMPTY_DRAFT)
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
