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
function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

/** Content that replaced the draft's, and the parts of the draft before. */
export type Replacement = { text: string; part: Partial<Draft>; before: Partial<Draft> }
let replacement: Replacement | undefined

/** Replaces parts of the draft with those of a sent message, which `text` describes, before its page opens. */
export function reuseMessage(text: string, part: Partial<Draft>): void {
  replacement = replacementOf(current, text, part)
  change(part)
}

/** Returns what replaced the draft's text last, to undo it. Undefined if the draft had no text. */
export function replacementOf(draft: Draft, text: string, part: Partial<Draft>): Replacement | undefined {
  if (draft.title.trim() === '' && draft.body.trim() === '') return undefined
  const before = Object.fromEntries((Object.keys(part) as (keyof Draft)[]).map((key) => [key, draft[key]]))
  return { text, part, before }
}

/** Returns the draft that a sent message replaced last, if it had text. */
export const lastReplacement = (): Replacement | undefined => replacement

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
