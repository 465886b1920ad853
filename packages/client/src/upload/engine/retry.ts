import { RetryableError, SignedOutError } from '../errors.ts'
import type { RetryWait } from '../types.ts'
import type { Attempt, PauseController } from './pause-controller.ts'

export type RetryPolicy = {
  /** Number of attempts without any success in the whole upload, after which it fails. */
  attempts: number
  /** Delay before the second attempt; it doubles with each attempt. */
  baseMs: number
  maxMs: number
}

/** About a minute of retries: 0.5, 1, 2, 4, 8, 16 and 30 s, each shortened by up to half. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 8, baseMs: 500, maxMs: 30_000 }

/** Longest Retry-After that is honored. */
const MAX_RETRY_AFTER_MS = 10 * 60_000

/** Returns the delay after attempt `n`. Jitter keeps parts that failed together from retrying together. */
export function backoffMs(n: number, policy: RetryPolicy, random: () => number = Math.random): number {
  return Math.min(policy.maxMs, policy.baseMs * 2 ** (n - 1)) * (0.5 + random() / 2)
}

export type RetryOptions = {
  pauseController: PauseController
  /** Aborts attempts and waits. */
  signal: AbortSignal
  policy: RetryPolicy
  /** Counts the upload's successes. A success resets the count of failures. */
  successes(): number
  onSignedOut(error: SignedOutError): void
  /** Called before every wait for another attempt. Returns a function to call after the wait. */
  onWait?(wait: RetryWait): () => void
}

/**
 * Repeats the work until it succeeds, fails permanently, or has no attempt left. Waits while the upload is paused.
 * Attempts that a pause or a lost session interrupted do not count.
 * @throws the signal's reason; UploadError if no attempt is left; any other error of the work
 */
export async function retry<T>(
  options: RetryOptions,
  work: (signal: AbortSignal, attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { pauseController, signal, policy } = options
  let failures = 0
  let seen = options.successes()
  for (;;) {
    await pauseController.waitUntilResumed(signal)
    const attempt = pauseController.startAttempt(signal)
    try {
      return await work(attempt.signal, attempt)
    } catch (error) {
      signal.throwIfAborted()
      if (attempt.interrupted()) continue
      if (error instanceof SignedOutError) {
        options.onSignedOut(error)
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
