/** Exponential backoff from `baseMs`, at most `maxMs`: the longest wait before try `attempt + 1`. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30))
}

/** Between half of it and all of it, so that those who failed together do not return together. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2)
}

/** Not a moment less: timers may come up to a millisecond early, and who asks for a wait refuses what comes before. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms + 1))
}
