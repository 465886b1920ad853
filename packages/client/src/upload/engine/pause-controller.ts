import type { PauseReason } from '../types.ts'

/** Reason with which a pause aborts an attempt. The attempt is repeated after the pause. */
export class PausedError extends Error {}

export type Attempt = { signal: AbortSignal; interrupted(): boolean; end(): void }

/**
 * Pauses an upload without ending it. Every attempt waits here first, and a pause interrupts running attempts.
 * The exception is a lost session: presigned PUTs continue without it.
 */
export class PauseController {
  #reasons = new Set<PauseReason>()
  #waiting = new Set<() => void>()
  #attempts = new Set<AbortController>()

  /** Reason to show, first those that only the user can resolve. Null while the upload is not paused. */
  get reason(): PauseReason | null {
    for (const reason of ['user', 'signed-out', 'offline'] as const)
      if (this.#reasons.has(reason)) return reason
    return null
  }

  /** Number of attempts that run or wait to be repeated. */
  get attempts(): number {
    return this.#attempts.size
  }

  has(reason: PauseReason): boolean {
    return this.#reasons.has(reason)
  }

  pause(reason: PauseReason): void {
    this.#reasons.add(reason)
    if (reason === 'signed-out') return
    for (const attempt of this.#attempts) attempt.abort(new PausedError(reason))
  }

  resume(reason: PauseReason): void {
    if (!this.#reasons.delete(reason) || this.#reasons.size > 0) return
    for (const wake of [...this.#waiting]) wake()
  }

  /** Waits until no pause is active. @throws the signal's reason */
  async waitUntilResumed(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.#reasons.size > 0) await this.#wait(signal)
  }

  /** Waits for `ms`, or until a pause ends, because the cause of a failure often ends with it. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await this.#wait(signal, ms)
  }

  /** Registers work that a pause interrupts. The caller must call `end`. */
  startAttempt(signal: AbortSignal): Attempt {
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    this.#attempts.add(controller)
    return {
      signal: controller.signal,
      interrupted: () => controller.signal.aborted && controller.signal.reason instanceof PausedError,
      end: () => {
        this.#attempts.delete(controller)
        signal.removeEventListener('abort', stop)
      },
    }
  }

  #wait(signal: AbortSignal, ms?: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', stop)
      }
      const wake = (): void => {
        end()
        resolve()
      }
      const stop = (): void => {
        end()
        reject(signal.reason)
      }
      const timer = ms === undefined ? undefined : setTimeout(wake, ms)
      this.#waiting.add(wake)
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}
