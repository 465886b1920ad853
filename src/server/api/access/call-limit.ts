import { formatCount } from '@pigeonhole/client/format'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { RateCounter } from '../../kernel/rate-counter.ts'

const MINUTE_MS = 60_000

/** The limit is divided into this many batches. A caller's calls go to the shared counter one batch at a time. */
const BATCHES_PER_MINUTE = 50

type Caller = {
  /** Calls through all replicas, as of the last response of the shared counter. */
  shared: number
  /** Calls accepted by this process and not yet added to the shared counter. */
  own: number
  settling: boolean
}

type CallLimitDeps = {
  /** Counts in windows of a minute. */
  counter: Pick<RateCounter, 'increment'>
  callsPerMinute: number
  clock: Clock
  report: (event: string, details: { err: unknown }) => void
}

export type CallLimit = ReturnType<typeof createCallLimit>

/**
 * Limits the calls of each caller per minute of the clock. A process counts in memory, which takes less than a
 * microsecond. It adds calls to the shared counter in batches of a fiftieth of the limit while the calls proceed, so
 * most callers never cause a statement.
 *
 * One process is exact. Each additional process can accept one more batch, and the calls that arrive while a batch is
 * being added. Without the database, each process applies the whole limit by itself.
 */
export function createCallLimit({ counter, callsPerMinute, clock, report }: CallLimitDeps) {
  const batch = Math.ceil(callsPerMinute / BATCHES_PER_MINUTE)
  let minute = 0
  /** Callers of the current minute only, to limit memory. */
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
      `You can make at most ${formatCount(callsPerMinute, 'call')} per minute. Wait, then continue more slowly.`,
      { retryAfterSeconds: waitMs / 1000 },
    )
  }
}
