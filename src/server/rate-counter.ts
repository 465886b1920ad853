/** What a key has used up in its current window. */
export type WindowCount = {
  count: number
  /** Until the window ends. */
  secondsLeft: number
}

/** Counts events by key in fixed windows that start with the first event. All replicas share the counts. */
export type RateCounter = {
  /** The current count, without counting. */
  read(key: string): Promise<WindowCount>
  /** Counts `events` (default 1) and returns the new count; the caller compares it with its limit. */
  increment(key: string, events?: number): Promise<WindowCount>
  /** Takes one event back. */
  decrement(key: string): Promise<void>
}
