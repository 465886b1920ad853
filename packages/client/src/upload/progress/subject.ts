import type { Observable } from '../types.ts'

/**
 * Minimum interval between publications of progress. Each one makes a page lay out, paint and composite again: at ten
 * per second, Chromium's drawing process took twice the CPU (docs/performance.md).
 */
export const PROGRESS_MS = 250

/**
 * One timer for all subjects: it publishes all changes in one task, so that a page draws once. With one timer each,
 * Chromium drew a frame between any two: 20 a second for one upload, 50 for four.
 */
class ProgressScheduler {
  #waiting = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastAt = Number.NEGATIVE_INFINITY

  /** Publishes last what was added last: an uploader sums up uploads that must have published before. */
  add(publish: () => void): void {
    this.#waiting.delete(publish)
    this.#waiting.add(publish)
    const ms = Math.max(0, this.#lastAt + PROGRESS_MS - performance.now())
    this.#timer ??= setTimeout(() => this.#publish(), ms)
  }

  delete(publish: () => void): void {
    this.#waiting.delete(publish)
    if (this.#waiting.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #publish(): void {
    this.#timer = undefined
    this.#lastAt = performance.now()
    for (const publish of [...this.#waiting]) publish()
  }
}

const progressScheduler = new ProgressScheduler()

/** Observable value that is replaced, never changed. Costs nothing without listeners. */
export class Subject<T> implements Observable<T> {
  #create: () => T
  #snapshot: T
  #listeners: Set<() => void> | undefined
  #stale = false

  constructor(create: () => T) {
    this.#create = create
    this.#snapshot = create()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners ??= new Set()
    // Wrap it, so that one function subscribed twice is two subscriptions.
    const entry = (): void => listener()
    this.#listeners.add(entry)
    return () => this.#listeners?.delete(entry)
  }

  readonly getSnapshot = (): T => {
    if (this.#stale) this.#renew()
    return this.#snapshot
  }

  /** Publishes immediately. */
  readonly publish = (): void => {
    progressScheduler.delete(this.publish)
    this.#renew()
    for (const listener of [...(this.#listeners ?? [])]) listener()
  }

  /** Updates the value immediately; calls listeners together with other subjects'. */
  publishSoon(): void {
    this.#stale = true
    this.publishProgress()
  }

  /** Publishes progress at most four times a second, both to listeners and in the value. */
  publishProgress(): void {
    progressScheduler.add(this.publish)
  }

  stop(): void {
    progressScheduler.delete(this.publish)
  }

  #renew(): void {
    this.#stale = false
    this.#snapshot = this.#create()
  }
}
