import { setTimeout as sleep } from 'node:timers/promises'

/** Returns the result of `work`, or undefined if it takes longer than `ms`. The work then continues. */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  return Promise.race([work, late]).finally(() => timer.abort())
}
