import type { PauseReason } from '../types.ts'

/** Reason with which a pause aborts an attempt. The attempt is repeated after the pause. */
export class PausedError extends Error {}

export type Attempt = {
  signal: AbortSignal
  interrupted(): boolean
  /** Runs a PUT, which a pause by the user lets finish. @throws PausedError if the upload is paused already */
  send<T>(put: () => Promise<T>): Promise<T>
  end(): void
}

type Running = { controller: AbortController; isSending: boolean }

/**
 * Pauses an upload without ending it. Every attempt waits here first. A pause by the user interrupts calls and lets PUTs
 * in flight finish, so that no sent byte is lost. Without network, PUTs are interrupted too. A lost session interrupts
 * nothing: presigned PUTs continue without it.
 */
export class PauseController {
  #reasons = new Set<PauseReason>()
  #waiting = new Set<() => void>()
  #attempts = new Set<Running>()
  readonly #onSent: () => void

  /** `onSent` is called when a PUT ends while the upload is paused. */
  constructor(onSent: () => void = () => {}) {
    this.#onSent = onSent
  }

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

  /** True while PUTs are in flight that nothing has interrupted. */
  get isSending(): boolean {
    for (const { isSending, controller } of this.#attempts)
      if (isSending && !controller.signal.aborted) return true
    return false
  }

  has(reason: PauseReason): boolean {
    return this.#reasons.has(reason)
  }

  pause(reason: PauseReason): void {
    this.#reasons.add(reason)
    if (reason === 'signed-out') return
    for (const { controller, isSending } of this.#attempts)
      if (!isSending || reason === 'offline') controller.abort(new PausedError(reason))
  }

  /** Also interrupts the PUTs that a pause lets finish. No effect unless the user has paused. */
  interrupt(): void {
    if (!this.#reasons.has('user')) return
    for (const { controller } of this.#attempts) controller.abort(new PausedError('user'))
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
    const running: Running = { controller, isSending: false }
    this.#attempts.add(running)
    return {
      signal: controller.signal,
      interrupted: () => controller.signal.aborted && controller.signal.reason instanceof PausedError,
      send: async (put) => {
        // A rejected URL lets an attempt send again, which could start after the pause.
        if (this.#reasons.has('user') || this.#reasons.has('offline'))
          controller.abort(new PausedError('paused'))
        controller.signal.throwIfAborted()
        running.isSending = true
        try {
          return await put()
        } finally {
          running.isSending = false
          if (this.#reasons.size > 0) this.#onSent()
        }
      },
      end: () => {
        this.#attempts.delete(running)
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
