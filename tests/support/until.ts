/**
 * Waits for a condition, by asking again and again: the longer it takes the less often, since a question may cost
 * milliseconds of a core. @throws Error that names it after `timeoutMs`
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 20_000,
  everyMs = 20,
): Promise<void> {
  const begunAt = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - begunAt
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, waitedMs / 20)))
  }
}
