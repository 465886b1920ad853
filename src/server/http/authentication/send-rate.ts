import type { Clock } from '../../clock.ts'
import type { RateCounter } from '../../rate-counter.ts'

/** What is left of a push token's sends in the current window. */
export type SendBudget = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean }

/** Sends are taken from the shared counter in lots of this share of the limit. */
const LOTS_PER_WINDOW = 50
/** Windows that have ended are forgotten when there are so many. */
const MAX_WINDOWS = 10_000

type Window = {
  /** Milliseconds since 1970. */
  endsAt: number
  /** Sends that this process has taken and not used. */
  own: number
  /** What the shared counter had left when it was last asked. */
  left: number
  taking: Promise<void> | undefined
}

export type SendRateDeps = {
  /** Counts in windows of a minute that begin with the first send. */
  sends: Pick<RateCounter, 'increment'>
  sendsPerMinute: number
  clock: Clock
}

/**
 * Limits how often a push token sends. A process takes sends from the shared counter in lots of a fiftieth of the
 * limit, before it uses them: most sends then need no statement, which would wait for the disk and, with one token, for
 * each other. All replicas together never let in more than the limit; what one has taken and does not use, 2 % at
 * most, is missing for the others.
 */
export function createSendRate({ sends, sendsPerMinute, clock }: SendRateDeps) {
  const lot = Math.max(1, Math.floor(sendsPerMinute / LOTS_PER_WINDOW))
  const windows = new Map<string, Window>()

  /** Counts one more send of this push token. */
  return async function countSend(pushTokenId: string): Promise<SendBudget> {
    const window = windowOf(pushTokenId)
    while (window.own === 0 && (window.left > 0 || hasEnded(window))) {
      window.taking ??= take(pushTokenId, window).finally(() => {
        window.taking = undefined
      })
      await window.taking
    }
    const exceeded = window.own === 0
    if (!exceeded) window.own--
    return {
      limit: sendsPerMinute,
      remaining: window.left + window.own,
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - clock.now().getTime()) / 1000)),
      exceeded,
    }
  }

  function windowOf(pushTokenId: string): Window {
    const known = windows.get(pushTokenId)
    if (known && (known.taking || !hasEnded(known))) return known
    if (windows.size >= MAX_WINDOWS)
      for (const [id, window] of windows) if (!window.taking && hasEnded(window)) windows.delete(id)
    const window = { endsAt: 0, own: 0, left: sendsPerMinute, taking: undefined }
    windows.set(pushTokenId, window)
    return window
  }

  async function take(pushTokenId: string, window: Window): Promise<void> {
    const { count, secondsLeft } = await sends.increment(pushTokenId, lot)
    const before = count - lot
    window.own = Math.min(lot, Math.max(0, sendsPerMinute - before))
    window.left = Math.max(0, sendsPerMinute - count)
    window.endsAt = clock.now().getTime() + secondsLeft * 1000
  }

  function hasEnded(window: Window): boolean {
    return window.endsAt <= clock.now().getTime()
  }
}
