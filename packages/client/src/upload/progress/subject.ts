import type { Observable } from '../types.ts'

/**
 * Progress is published at most this often. Each time a page lays out, paints and composes again: at ten times a
 * second Chromium's process that draws took twice the CPU (docs/performance.md).
 */
export const PROGRESS_MS = 250

/**
 * One timer for all subjects: everything that changed is published in one task, so that a page draws once.
 * With one timer each, Chromium drew a frame between any two: 20 a second for one upload, 50 for four.
 */
class ProgressScheduler {
  #waiting = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastAt = Number.NEGATIVE_INFINITY

  add(publish: () => void): void {
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

/** An observable value that is replaced, never changed. Costs nothing while nobody listens. */
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

  /** Publishes at once. */
  readonly publish = (): void => {
    progressScheduler.delete(this.publish)
    this.#renew()
    for (const listener of [...(this.#listeners ?? [])]) listener()
  }

  /** The value is new at once; listeners are called together with others. */
  publishSoon(): void {
    this.#stale = true
    this.publishProgress()
  }

  /** Neither the value nor listeners see progress more than four times a second. */
  publishProgress(): void {
    progressScheduler.add(this.publish)
  }

  stop(): void {
    progressScheduler.delete(this.publish)
  }

  #renew(): void {
    this.#stale = false
    this.#snapshot = this.#make()
  }
}
