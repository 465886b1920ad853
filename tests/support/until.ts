/**
 * Ends waits for conditions that never occur. Far longer than anything takes on a busy machine, so that no test fails
 * because it is slow.
 */
export const WAIT_MS = 120_000

/**
 * Waits for a condition by polling. The interval grows, since a check can take milliseconds of CPU. @throws Error
 * that names the condition after `timeoutMs`
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = WAIT_MS,
  everyMs = 20,
): Promise<void> {
  const startedAt = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - startedAt
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, waitedMs / 20)))
  }
}
