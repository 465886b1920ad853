import type { Observable } from './types.ts'

/** Progress is told at most this often. */
export const PROGRESS_MS = 100

/** A value that is replaced, never changed, and tells its listeners. Costs nothing while nobody listens. */
export class Subject<T> implements Observable<T> {
  #make: () => T
  #snapshot: T
  #listeners: Set<() => void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastAt = Number.NEGATIVE_INFINITY
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
  publish(): void {
    this.#renew()
    this.#tell()
  }

  /** Something that may wait for others of its kind: a look at the value sees it at once, listeners soon. */
  publishSoon(): void {
    this.#stale = true
    this.publishProgress()
  }

  /** Progress: neither a look nor a listener sees it more than ten times a second. */
  publishProgress(): void {
    if (this.#timer !== undefined) return
    const ms = Math.max(0, this.#lastAt + PROGRESS_MS - performance.now())
    this.#timer = setTimeout(() => this.publish(), ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #renew(): void {
    this.#stale = false
    this.#snapshot = this.#make()
  }

  #tell(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#lastAt = performance.now()
    for (const listener of [...(this.#listeners ?? [])]) listener()
  }
}
