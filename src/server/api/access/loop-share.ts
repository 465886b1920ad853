import { performance } from 'node:perf_hooks'
import type { Presence } from './call-queue.ts'

/** Maximum share of the event loop's time for one address, while requests of others arrive. */
export const MAX_LOOP_SHARE = 0.25
/** Loop time that an idle address can use at once: pages for dozens of users behind it. */
export const LOOP_BURST_MS = 300
/**
 * Maximum debt of an address, in time until it has paid its charges. It limits how long the address's next request
 * waits, for example when others arrive.
 */
const MAX_LEAD_MS = LOOP_BURST_MS / MAX_LOOP_SHARE + 1_000
const SWEEP_MS = 1_000
const AVERAGED_REQUESTS = 8

/** Loop time of one kind of request, in milliseconds. */
export type LoopCost = {
  /** Charge when a request begins. Follows the average of what requests have used. */
  expectedMs: number
  /** Maximum charge. */
  maxMs: number
}

/** Loop time of a request that has begun. */
export type LoopUse = {
  /**
   * Charges the used time and `laterMs` to the address, or nothing for a known caller, whose calls have a queue of their
   * own. Only the first call counts.
   */
  end(isKnown: boolean, laterMs?: number): void
}

type Account = {
  /** Time at which the address has paid its charges at the maximum share. A past time counts as none. */
  paidUntil: number
  /** Number of its measured requests. */
  running: number
}

export type LoopShare = ReturnType<typeof createLoopShare>

type LoopShareDeps = {
  isAlone: Presence
  /** Milliseconds. */
  now?: () => number
  /** Milliseconds for which the event loop has run code, until `now`. Only differences matter. */
  activeMs?: (now: number) => number
  sleep?: (ms: number) => Promise<void>
}

/**
 * Limits the loop time of each address while others are present. Rendering a page blocks the loop for about 10 ms, and
 * each response of the database to another caller waits for that. Without this limit, one address with 100 connections
 * multiplies others' times by 6 to 19.
 *
 * The time during which several requests run is divided among them, because Node cannot attribute it. Time in which a
 * request waits and others run counts too, so each charge has a maximum.
 */
export function createLoopShare({
  isAlone,
  now = () => performance.now(),
  activeMs = (at) => at - performance.nodeTiming.idleTime,
  sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}: LoopShareDeps) {
  const accounts = new Map<string, Account>()
  let sweptAt = 0
  let running = 0
  let seenActive = activeMs(now())
  /** Loop time that a request would have been charged if it had run since the start. */
  let used = 0

  function measure(at: number): number {
    const active = activeMs(at)
    if (running > 0) used += (active - seenActive) / running
    seenActive = active
    return used
  }

  function accountOf(address: string, at: number): Account {
    if (at - sweptAt >= SWEEP_MS) {
      sweptAt = at
      for (const [key, { paidUntil, running }] of accounts)
        if (running === 0 && paidUntil <= at) accounts.delete(key)
    }
    const known = accounts.get(address)
    if (known) return known
    const account = { paidUntil: at, running: 0 }
    accounts.set(address, account)
    return account
  }

  function charge(account: Account, at: number, ms: number): void {
    const until = Math.max(account.paidUntil, at) + ms / MAX_LOOP_SHARE
    account.paidUntil = Math.min(until, at + MAX_LEAD_MS)
  }

  function waitMs(address: string): number {
    const account = accounts.get(address)
    if (!account) return 0
    const lead = account.paidUntil - now() - LOOP_BURST_MS / MAX_LOOP_SHARE
    return lead > 0 && !isAlone(address, { isCall: false }) ? lead : 0
  }

  return {
    /** Waits until the address has not used more than its share. Undefined: it does not need to wait. */
    turn(address: string): Promise<void> | undefined {
      if (waitMs(address) === 0) return undefined
      return (async () => {
        for (let ms = waitMs(address); ms > 0; ms = waitMs(address)) await sleep(Math.ceil(ms))
      })()
    },

    /** Charges a fixed time, for work that is too short to measure. */
    charge(address: string, ms: number): void {
      const at = now()
      charge(accountOf(address, at), at, ms)
    },

    /** Measures a request from now on, and corrects the charge when it ends. */
    begin(address: string, cost: LoopCost): LoopUse {
      const { expectedMs, maxMs } = cost
      const at = now()
      const usedBefore = measure(at)
      const account = accountOf(address, at)
      running++
      account.running++
      charge(account, at, expectedMs)
      let hasEnded = false
      return {
        end(isKnown, laterMs = 0) {
          if (hasEnded) return
          hasEnded = true
          const at = now()
          const usedMs = Math.min(measure(at) - usedBefore, maxMs)
          running--
          account.running--
          charge(account, at, (isKnown ? 0 : usedMs + laterMs) - expectedMs)
          if (!isKnown) cost.expectedMs += (usedMs - expectedMs) / AVERAGED_REQUESTS
        },
      }
    },
  }
}
