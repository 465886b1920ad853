import type { Observable } from '../types.ts'

/** Progress is told at most this often. */
export const PROGRESS_MS = 100

/**
 * One timer for all subjects: what moved since the last time is told in one task, so that a page draws once.
 * With a timer each, Chromium drew a frame between any two, 20 a second for one upload and 50 for four.
 */
class Beat {
  #waiting = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastAt = Number.NEGATIVE_INFINITY

  add(publish: () => void): void {
    this.#waiting.add(publish)
    const ms = Math.max(0, this.#lastAt + PROGRESS_MS - performance.now())
    this.#timer ??= setTimeout(() => this.#tell(), ms)
  }

  delete(publish: () => void): void {
    this.#waiting.delete(publish)
    if (this.#waiting.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #tell(): void {
    this.#timer = undefined
    this.#lastAt = performance.now()
    for (const publish of [...this.#waiting]) publish()
  }
}

const beat = new Beat()

/** A value that is replaced, never changed, and tells its listeners. Costs nothing while nobody listens. */
export class Subject<T> implements Observable<T> {
  #make: () => T
  #snapshot: T
  #listeners: Set<() => void> | undefined
  #stale = false

  constructor(make: () => T) {
    this.#make = make
    this.#snapshot = make()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners ??= new Set()
    // Wrapped, so that one function subscribed twice is two subscriptions.
    const entry = (): void => listener()
    this.#listeners.add(entry)
    return () => this.#listeners?.delete(entry)
  }

  readonly getSnapshot = (): T => {
    if (this.#stale) this.#renew()
    return this.#snapshot
  }

  /** Something that must be seen at once. */
  readonly publish = (): void => {
    beat.delete(this.publish)
    this.#renew()
    for (const listener of [...(this.#listeners ?? [])]) listener()
  }

  /** Something that may wait for others of its kind: a look at the value sees it at once, listeners soon. */
  publishSoon(): void {
    this.#stale = true
    this.publishProgress()
  }

  /** Progress: neither a look nor a listener sees it more than ten times a second. */
  publishProgress(): void {
    beat.add(this.publish)
  }

  stop(): void {
    beat.delete(this.publish)
  }

  #renew(): void {
    this.#stale = false
    this.#snapshot = this.#make()
  }
}
