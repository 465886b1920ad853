import { SignedOut, Transient } from '../errors.ts'
import type { Gate } from './pause-controller.ts'

export type RetryPolicy = {
  /** Attempts without any success in the whole upload before it fails. */
  attempts: number
  /** Before the second attempt; doubles from there. */
  baseMs: number
  maxMs: number
}

/** About a minute of trying: 0.5, 1, 2, 4, 8, 16 and 30 s, each shortened by up to a half. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 8, baseMs: 500, maxMs: 30_000 }

/** A server that asks for more is asked sooner all the same. */
const MAX_OBEYED_MS = 10 * 60_000

/** Before attempt `n + 1`; the jitter keeps parts that failed together from coming back together. */
export function backoffMs(n: number, policy: RetryPolicy, random: () => number = Math.random): number {
  return Math.min(policy.maxMs, policy.baseMs * 2 ** (n - 1)) * (0.5 + random() / 2)
}

export type Persistence = {
  gate: Gate
  /** Ends everything. */
  signal: AbortSignal
  retry: RetryPolicy
  /** Grows with every success of the upload: as long as others get through, it is worth trying. */
  successes(): number
  onSignedOut(): void
}

/**
 * Does the work until it succeeds, fails for good, or the attempts are used up. Waits at the gate; what
 * the gate interrupted does not count as an attempt, nor does a lost session.
 */
export async function persist<T>(p: Persistence, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  let failures = 0
  let seen = p.successes()
  for (;;) {
    await p.gate.pass(p.signal)
    const attempt = p.gate.attempt(p.signal)
    try {
      return await work(attempt.signal)
    } catch (error) {
      p.signal.throwIfAborted()
      if (attempt.interrupted()) continue
      if (error instanceof SignedOut) {
        p.onSignedOut()
        continue
      }
      if (!(error instanceof Transient)) throw error
      if (p.successes() !== seen) {
        seen = p.successes()
        failures = 0
      }
      if (++failures >= p.retry.attempts) throw error.error
      const asked = Math.min(error.afterMs ?? 0, MAX_OBEYED_MS)
      await p.gate.sleep(Math.max(asked, backoffMs(failures, p.retry)), p.signal)
    } finally {
      attempt.end()
    }
  }
}
