import { backoffMs, jittered, sleep } from '../../../kernel/backoff.ts'
import type { FinalOutcome, Gateway, Outcome, Prepared, Target } from './gateway.ts'

/** Longest time that a caller waits for the response. */
const BUDGET_MS = 10_000
/** Attempts that fit into the budget if the gateway does not respond. */
const ATTEMPTS = 4
/**
 * Shortest time without a response before an attempt is repeated. It applies to pushes that have waited long for an access
 * token or for their turn. Healthy gateways respond in well under a second.
 */
const MIN_HEDGE_AFTER_MS = 1_000
/** With less time left, the response to another attempt would come too late. */
const MIN_LEFT_MS = 100
/** 0.3, 0.6, 1.2, 2.4, 4.8 s: five retries fit into the budget even with the longest jitter. */
const BASE_MS = 300
const MAX_MS = 5_000

/**
 * Sends to one device until the gateway gives a final response. Waits as long as the gateway asks; if the wait exceeds
 * the budget, the push is rejected with the last reason.
 *
 * An attempt without a response is repeated but not canceled, and the first final response counts. If attempts were
 * canceled, a push that a slow gateway accepts would be reported as failed. Without repeats, one stream that hangs
 * would use up the budget. Repeats have the same collapse ID, so a phone shows the push once.
 */
export async function hedgedSend(
  gateway: Gateway,
  prepared: Prepared,
  target: Target,
): Promise<FinalOutcome> {
  const deadline = performance.now() + BUDGET_MS
  const leftMs = () => Math.max(0, deadline - performance.now())
  const settled = Promise.withResolvers<FinalOutcome>()
  /** Attempts that the gateway got. */
  let sent = 0
  let failed = 0
  let unanswered = 0
  let ended = false
  let reason = 'TIMEOUT'
  /** End of the pause that the gateway asked for (`performance.now()`). */
  let pausedUntil = 0

  /**
   * Resolves with undefined if no further backoff is due: when it is time to repeat the attempt, or at once if it failed
   * in the queue. `pausedUntil` then says how long to wait.
   */
  function attempt(): Promise<Outcome | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome | undefined>()
    let timer = setTimeout(resolve, leftMs(), undefined)
    let index: number | undefined
    const onTurn = () => {
      if (ended) return false
      clearTimeout(timer)
      // Called again if the gateway rejects the credential.
      index ??= sent++
      timer = setTimeout(resolve, hedgeAfterMs(index, leftMs()), undefined)
      return true
    }
    unanswered++
    gateway
      .send(prepared, target, onTurn)
      .finally(() => {
        unanswered--
        clearTimeout(timer)
      })
      .then((outcome) => {
        if (outcome.kind !== 'retry') settled.resolve(outcome)
        else {
          reason = outcome.reason
          const askedMs = outcome.assumed ? 0 : (outcome.afterMs ?? 0)
          // Late responses to repeated attempts count too.
          pausedUntil = Math.max(pausedUntil, performance.now() + askedMs)
          // Failed in the queue, and the pause is a backoff already.
          if (index === undefined && askedMs > 0) return resolve(undefined)
        }
        resolve(outcome)
      }, reject)
    return promise
  }

  try {
    for (;;) {
      const startedAt = performance.now()
      const outcome = await Promise.race([settled.promise, attempt()])
      if (outcome && outcome.kind !== 'retry') return outcome
      const now = performance.now()
      // Time spent waiting for the response counts toward the backoff.
      const restMs = outcome ? jittered(backoffMs(failed++, BASE_MS, MAX_MS)) - (now - startedAt) : 0
      const waitMs = Math.max(pausedUntil - now, restMs, 0)
      if (waitMs + MIN_LEFT_MS >= leftMs()) break
      const late = await Promise.race([settled.promise, sleep(waitMs)])
      if (late) return late
    }
    const late = unanswered > 0 ? await Promise.race([settled.promise, sleep(leftMs())]) : undefined
    return late ?? { kind: 'rejected', reason }
  } finally {
    ended = true
  }
}

/**
 * Divides the time left among the attempts left, at most 2.5 s for each. A gateway that takes that long gets a push once,
 * unless the push had to wait before its first attempt.
 */
function hedgeAfterMs(sent: number, leftMs: number): number {
  const shareMs = Math.min(BUDGET_MS / ATTEMPTS, leftMs / Math.max(1, ATTEMPTS - sent))
  return Math.min(leftMs, Math.max(MIN_HEDGE_AFTER_MS, shareMs))
}
