import type { PauseReason } from '../types.ts'

/** Thrown into an attempt that a closing gate interrupts; the attempt is made again once it opens. */
export class Interrupted extends Error {}

export type Attempt = { signal: AbortSignal; interrupted(): boolean; end(): void }

/**
 * Holds an upload back without ending it: everything that sends passes here first, and what is under way
 * is interrupted. Losing the session does not interrupt: presigned PUTs go on without it.
 */
export class Gate {
  #reasons = new Set<PauseReason>()
  #waiting = new Set<() => void>()
  #attempts = new Set<AbortController>()

  /** The reason to show, the one only a person can lift first; null: open. */
  get reason(): PauseReason | null {
    for (const reason of ['user', 'signed-out', 'offline'] as const)
      if (this.#reasons.has(reason)) return reason
    return null
  }

  has(reason: PauseReason): boolean {
    return this.#reasons.has(reason)
  }

  close(reason: PauseReason): void {
    this.#reasons.add(reason)
    if (reason === 'signed-out') return
    for (const attempt of this.#attempts) attempt.abort(new Interrupted(reason))
  }

  open(reason: PauseReason): void {
    if (!this.#reasons.delete(reason) || this.#reasons.size > 0) return
    for (const wake of [...this.#waiting]) wake()
  }

  /** Waits until it is open. @throws the signal's reason */
  async pass(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.#reasons.size > 0) await this.#wait(signal)
  }

  /** Waits so long, or until a closed gate opens: then whatever was in the way may be gone. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await this.#wait(signal, ms)
  }

  /** Registers work that a closing gate interrupts. Its `end` must be called. */
  attempt(signal: AbortSignal): Attempt {
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    this.#attempts.add(controller)
    return {
      signal: controller.signal,
      interrupted: () => controller.signal.aborted && controller.signal.reason instanceof Interrupted,
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
