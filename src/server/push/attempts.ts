import { backoffMs, jittered, sleep } from './backoff.ts'
import type { Outcome } from './outcome.ts'
import type { Gateway, Prepared, Target } from './ports.ts'

/** How long a caller who waits for the answer is kept waiting for retries. */
export const DIRECT_BUDGET_MS = 10_000
/** 0.3, 0.6, 1.2, 2.4, 4.8 s: five retries within the budget even when all waits are at their longest. */
const BASE_MS = 300
const MAX_MS = 5_000

/**
 * Sends to one device until the gateway settles it. A wait that the gateway asks for is kept; one that does
 * not fit into the budget ends the attempts, and the last reason is the result.
 */
export async function sendWithRetries(
  gateway: Gateway,
  prepared: Prepared,
  target: Target,
  budgetMs = DIRECT_BUDGET_MS,
): Promise<Exclude<Outcome, { kind: 'retry' }>> {
  const deadline = performance.now() + budgetMs
  for (let attempt = 0; ; attempt++) {
    const outcome = await gateway.send(prepared, target)
    if (outcome.kind !== 'retry') return outcome
    const askedMs = outcome.assumed ? 0 : (outcome.afterMs ?? 0)
    const waitMs = Math.max(askedMs, jittered(backoffMs(attempt, BASE_MS, MAX_MS)))
    if (performance.now() + waitMs > deadline) return { kind: 'rejected', reason: outcome.reason }
    await sleep(waitMs)
  }
}
