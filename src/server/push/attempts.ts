import { backoffMs, jittered, sleep } from '../backoff.ts'
import type { Outcome } from './outcome.ts'
import type { Gateway, Prepared, Target } from './ports.ts'

/** How long a caller who waits for the answer is kept waiting for retries. */
export const DIRECT_BUDGET_MS = 10_000
/**
 * How long an attempt is waited for alone once it is on a stream: four attempts within the budget. Honest
 * answers take well under a second; a gateway that needs up to 2.5 s gets each push once, a slower one repeats.
 */
const PATIENCE_MS = DIRECT_BUDGET_MS / 4
/** With less time left nobody would be there for the answer. */
const MIN_LEFT_MS = 100
/** 0.3, 0.6, 1.2, 2.4, 4.8 s: five retries within the budget even when all waits are at their longest. */
const BASE_MS = 300
const MAX_MS = 5_000

type Settled = Exclude<Outcome, { kind: 'retry' }>
type Retry = Extract<Outcome, { kind: 'retry' }>

/**
 * Sends to one device until the gateway settles it. A wait that the gateway asks for is kept; one that does
 * not fit into the budget ends the attempts, and the last reason is the result.
 *
 * An attempt without an answer is repeated, not given up: whichever is answered first counts. To give it up
 * would call a push failed that a slow gateway takes; to wait for it alone would spend the budget on one stream
 * that hangs. Repeats carry the same collapse identity, so a phone shows one.
 */
export async function sendWithRetries(
  gateway: Gateway,
  prepared: Prepared,
  target: Target,
  budgetMs = DIRECT_BUDGET_MS,
): Promise<Settled> {
  const deadline = performance.now() + budgetMs
  const leftMs = () => Math.max(0, deadline - performance.now())
  const settled = Promise.withResolvers<Settled>()
  let unanswered = 0
  let ended = false
  let reason = 'TIMEOUT'
  /** Until then the gateway wants to be left alone, `performance.now()`. */
  let pausedUntil = 0

  /** Its outcome; undefined when its time alone is over. */
  function attempt(): Promise<Outcome | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome | undefined>()
    let timer = setTimeout(resolve, leftMs(), undefined)
    const onTurn = () => {
      if (ended) return false
      clearTimeout(timer)
      timer = setTimeout(resolve, Math.min(PATIENCE_MS, leftMs()), undefined)
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
        if (outcome.kind === 'retry') note(outcome)
        else settled.resolve(outcome)
        resolve(outcome)
      }, reject)
    return promise
  }

  /** Also of an attempt that was answered after its repeat began. */
  function note(outcome: Retry): void {
    reason = outcome.reason
    const askedMs = outcome.assumed ? 0 : (outcome.afterMs ?? 0)
    pausedUntil = Math.max(pausedUntil, performance.now() + askedMs)
  }

  async function untilSettled(): Promise<Settled> {
    for (let n = 0; ; n++) {
      const begunAt = performance.now()
      const outcome = await Promise.race([settled.promise, attempt()])
      if (outcome && outcome.kind !== 'retry') return outcome
      const now = performance.now()
      // What was spent on waiting for the gateway has kept it in peace as well.
      const restMs = outcome ? jittered(backoffMs(n, BASE_MS, MAX_MS)) - (now - begunAt) : 0
      const waitMs = Math.max(pausedUntil - now, restMs, 0)
      if (waitMs + MIN_LEFT_MS >= leftMs()) break
      const late = await Promise.race([settled.promise, sleep(waitMs)])
      if (late) return late
    }
    const late = unanswered > 0 ? await Promise.race([settled.promise, sleep(leftMs())]) : undefined
    return late ?? { kind: 'rejected', reason }
  }

  return untilSettled().finally(() => {
    ended = true
  })
}
