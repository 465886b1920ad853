import { backoffMs, jittered, sleep } from '../backoff.ts'
import type { Outcome } from './outcome.ts'
import type { Gateway, Prepared, Target } from './ports.ts'

/** How long a caller who waits for the answer is kept waiting. */
export const DIRECT_BUDGET_MS = 10_000
/**
 * How long one attempt on a stream may go unanswered before it is repeated: four attempts within the budget. Healthy
 * gateways answer in well under a second; one that takes up to 2.5 s gets each push once, a slower one repeats.
 */
const HEDGE_AFTER_MS = DIRECT_BUDGET_MS / 4
/** With less time left there is no point in waiting: the answer would come too late. */
const MIN_LEFT_MS = 100
/** 0.3, 0.6, 1.2, 2.4, 4.8 s: five retries within the budget even if every wait is at its longest. */
const BASE_MS = 300
const MAX_MS = 5_000

type Settled = Exclude<Outcome, { kind: 'retry' }>
type Retry = Extract<Outcome, { kind: 'retry' }>

/**
 * Sends to one device until the gateway settles it. A wait that the gateway asks for is kept; one that does not fit
 * into the budget ends the attempts, and the last reason is the result.
 *
 * A hedged request: an attempt without an answer is repeated but not cancelled, and the first answer counts. If it
 * were cancelled, a push that a slow gateway accepts would be reported as failed; if it alone were waited for, one
 * stream that hangs would use up the budget. Repeats carry the same collapse id, so a phone shows one.
 */
export async function hedgedSend(
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
  /** The gateway asks for a pause until then, `performance.now()`. */
  let pausedUntil = 0

  /** Its outcome; undefined when it is time to repeat it. */
  function attempt(): Promise<Outcome | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome | undefined>()
    let timer = setTimeout(resolve, leftMs(), undefined)
    const onTurn = () => {
      if (ended) return false
      clearTimeout(timer)
      timer = setTimeout(resolve, Math.min(HEDGE_AFTER_MS, leftMs()), undefined)
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
        if (outcome.kind === 'retry') onRetry(outcome)
        else settled.resolve(outcome)
        resolve(outcome)
      }, reject)
    return promise
  }

  /** Also for an attempt that is answered after its repeat was sent. */
  function onRetry(outcome: Retry): void {
    reason = outcome.reason
    const askedMs = outcome.assumed ? 0 : (outcome.afterMs ?? 0)
    pausedUntil = Math.max(pausedUntil, performance.now() + askedMs)
  }

  async function untilSettled(): Promise<Settled> {
    for (let n = 0; ; n++) {
      const startedAt = performance.now()
      const outcome = await Promise.race([settled.promise, attempt()])
      if (outcome && outcome.kind !== 'retry') return outcome
      const now = performance.now()
      // Time spent waiting for the answer counts towards the backoff.
      const restMs = outcome ? jittered(backoffMs(n, BASE_MS, MAX_MS)) - (now - startedAt) : 0
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
