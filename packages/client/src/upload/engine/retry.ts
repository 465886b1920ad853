import { RetryableError, SignedOutError } from '../errors.ts'
import type { RetryWait } from '../types.ts'
import type { PauseController } from './pause-controller.ts'

export type RetryPolicy = {
  /** Attempts without any success in the whole upload before it fails. */
  attempts: number
  /** Delay before the second attempt; doubles from there. */
  baseMs: number
  maxMs: number
}

/** About a minute of trying: 0.5, 1, 2, 4, 8, 16 and 30 s, each shortened by up to a half. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 8, baseMs: 500, maxMs: 30_000 }

/** The longest Retry-After that is obeyed. */
const MAX_RETRY_AFTER_MS = 10 * 60_000

/** The delay after attempt `n`. Jitter keeps parts that failed together from being repeated together. */
export function backoffMs(n: number, policy: RetryPolicy, random: () => number = Math.random): number {
  return Math.min(policy.maxMs, policy.baseMs * 2 ** (n - 1)) * (0.5 + random() / 2)
}

export type RetryOptions = {
  pauseController: PauseController
  /** Ends everything. */
  signal: AbortSignal
  policy: RetryPolicy
  /** Grows with every success of the upload. While others succeed, failures do not add up. */
  successes(): number
  onSignedOut(): void
  /** Told of every wait before another attempt; returns what to call when it is over. */
  onWait?(wait: RetryWait): () => void
}

/**
 * Repeats the work until it succeeds, fails for good, or the attempts are used up. Waits while the upload is
 * paused. An attempt that a pause interrupted does not count, nor does a lost session.
 * @throws the signal's reason; UploadError when the attempts are used up; any other error of the work
 */
export async function retry<T>(options: RetryOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { pauseController, signal, policy } = options
  let failures = 0
  let seen = options.successes()
  for (;;) {
    await pauseController.waitUntilResumed(signal)
    const attempt = pauseController.startAttempt(signal)
    try {
      return await work(attempt.signal)
    } catch (error) {
      signal.throwIfAborted()
      if (attempt.interrupted()) continue
      if (error instanceof SignedOutError) {
        options.onSignedOut()
        continue
      }
      if (!(error instanceof RetryableError)) throw error
      if (options.successes() !== seen) {
        seen = options.successes()
        failures = 0
      }
      if (++failures >= policy.attempts) throw error.error
      const retryAfterMs = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)
      const waitMs = Math.max(retryAfterMs, backoffMs(failures, policy))
      const waited = options.onWait?.({ at: Date.now() + waitMs, reason: error.error.failure })
      try {
        await pauseController.sleep(waitMs, signal)
      } finally {
        waited?.()
      }
    } finally {
      attempt.end()
    }
  }
}
