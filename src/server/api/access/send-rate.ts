import type { Clock } from '../../kernel/clock.ts'
import type { RateCounter } from '../../kernel/rate-counter.ts'

/** Remaining sends of a push token in the current window. */
export type SendBudget = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean }

/** A process reserves sends from the shared counter in batches. The limit is divided into this many. */
const BATCHES_PER_WINDOW = 50
/** Number of windows at which ended ones are deleted. */
const MAX_WINDOWS = 10_000

type Window = {
  /** Milliseconds since 1970. */
  endsAt: number
  /** Sends that this process has reserved and not used. */
  reserved: number
  /** Sends left in the shared counter, as of its last response. */
  left: number
  reserving: Promise<void> | undefined
}

export type SendRateDeps = {
  /** Counts in windows of a minute that start with the first send. */
  sends: Pick<RateCounter, 'increment'>
  sendsPerMinute: number
  clock: Clock
}

/**
 * Limits how often a push token sends. A process reserves sends from the shared counter in batches of a fiftieth of the
 * limit. Most sends then need no statement, which would wait for the disk and, with a single token, for other sends.
 * All replicas together never exceed the limit. Others cannot use what a process has reserved: at most 2% each.
 */
export function createSendRate({ sends, sendsPerMinute, clock }: SendRateDeps) {
  const batch = Math.max(1, Math.floor(sendsPerMinute / BATCHES_PER_WINDOW))
  const windows = new Map<string, Window>()

  /** Counts one send of this push token. */
  return async function countSend(pushTokenId: string): Promise<SendBudget> {
    const window = windowOf(pushTokenId)
    while (window.reserved === 0 && (window.left > 0 || hasEnded(window))) {
      window.reserving ??= reserve(pushTokenId, window).finally(() => {
        window.reserving = undefined
      })
      await window.reserving
    }
    const exceeded = window.reserved === 0
    if (!exceeded) window.reserved--
    return {
      limit: sendsPerMinute,
      remaining: window.left + window.reserved,
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - clock.now().getTime()) / 1000)),
      exceeded,
    }
  }

  function windowOf(pushTokenId: string): Window {
    const known = windows.get(pushTokenId)
    if (known && (known.reserving || !hasEnded(known))) return known
    if (windows.size >= MAX_WINDOWS)
      for (const [id, window] of windows) if (!window.reserving && hasEnded(window)) windows.delete(id)
    const window = { endsAt: 0, reserved: 0, left: sendsPerMinute, reserving: undefined }
    windows.set(pushTokenId, window)
    return window
  }

  async function reserve(pushTokenId: string, window: Window): Promise<void> {
    const { count, secondsLeft } = await sends.increment(pushTokenId, batch)
    const before = count - batch
    window.reserved = Math.min(batch, Math.max(0, sendsPerMinute - before))
    window.left = Math.max(0, sendsPerMinute - count)
    window.endsAt = clock.now().getTime() + secondsLeft * 1000
  }

  function hasEnded(window: Window): boolean {
    return window.endsAt <= clock.now().getTime()
  }
}
