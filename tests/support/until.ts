/**
 * Ends waits for conditions that never occur. Far longer than anything takes on a busy machine, so that no test fails
 * because it is slow.
 */
export const WAIT_MS = 120_000

type Falsy = false | null | undefined

/**
 * Polls until the result is truthy, and returns it. The interval grows, since a check can take milliseconds of CPU.
 * @throws Error that names the condition after `timeoutMs`
 */
export async function until<T>(
  what: string,
  check: () => T | Falsy | Promise<T | Falsy>,
  timeoutMs = WAIT_MS,
  everyMs = 20,
): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    const result = await check()
    if (result) return result
    const waitedMs = performance.now() - startedAt
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, waitedMs / 20)))
  }
}
