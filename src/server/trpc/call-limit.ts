import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { RateCounter } from '../rate-counter.ts'

const MINUTE_MS = 60_000

/** A caller's calls go to the shared counter whenever this share of the limit has come together. */
const BATCHES_PER_MINUTE = 50

type Caller = {
  /** Calls of all replicas that the shared counter knew when it was last asked. */
  shared: number
  /** Calls let in here that the shared counter does not know yet. */
  own: number
  settling: boolean
}

export type CallLimitDeps = {
  /** Counts in windows of a minute. */
  counter: Pick<RateCounter, 'increment'>
  callsPerMinute: number
  clock: Clock
  report: (event: string, details: { err: unknown }) => void
}

export type CallLimit = ReturnType<typeof createCallLimit>

/**
 * Limits the calls of each caller by the minute of the clock. A process counts in memory, in less than a microsecond,
 * and tells the shared counter in batches of a fiftieth of the limit, without the call waiting: most callers never
 * cause a statement. One process is exact; every other one can let in a batch more, and what comes while a batch is on its
 * way. Without the database each process applies the whole limit by itself.
 */
export function createCallLimit({ counter, callsPerMinute, clock, report }: CallLimitDeps) {
  const batch = Math.ceil(callsPerMinute / BATCHES_PER_MINUTE)
  let minute = 0
  /** Of this minute only, so that memory holds no more callers than one minute has. */
  let callers = new Map<string, Caller>()
  let reported = false

  /** Counts one call. @throws AppError TOO_MANY_REQUESTS */
  return function countCall(key: string): void {
    const now = clock.now().getTime()
    const current = Math.floor(now / MINUTE_MS)
    if (current !== minute) {
      minute = current
      callers = new Map()
      reported = false
    }
    const caller = callers.get(key) ?? { shared: 0, own: 0, settling: false }
    if (caller.own === 0) callers.set(key, caller)
    if (caller.shared + caller.own >= callsPerMinute) throw tooManyCalls(MINUTE_MS - (now % MINUTE_MS))
    caller.own++
    if (caller.own >= batch && !caller.settling) void settle(`${key}:${current}`, caller)
  }

  async function settle(key: string, caller: Caller): Promise<void> {
    const calls = caller.own
    caller.settling = true
    try {
      const { count } = await counter.increment(key, calls)
      caller.shared = count
      caller.own -= calls
    } catch (err) {
      if (!reported) report('calls could not be counted across replicas', { err })
      reported = true
    } finally {
      caller.settling = false
    }
  }

  function tooManyCalls(waitMs: number): AppError {
    return new AppError(
      'TOO_MANY_REQUESTS',
      `At most ${callsPerMinute} calls a minute are answered. Wait, then go on with fewer.`,
      { retryAfterSeconds: waitMs / 1000 },
    )
  }
}
