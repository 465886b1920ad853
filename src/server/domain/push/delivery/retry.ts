import { backoffMs, jittered, sleep } from '../../../kernel/backoff.ts'
import type { Logger } from '../../../kernel/log.ts'

/**
 * Repeats a database call for up to `timeoutMs`: results of sent pushes must be recorded, and a restarting database is
 * back within seconds. The call must be safe to repeat.
 */
export async function retry<T>(call: () => Promise<T>, timeoutMs: number, log: Logger): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      const waitMs = jittered(backoffMs(attempt, 100, 2_000))
      if (performance.now() + waitMs > deadline) throw error
      log.warn({ err: error, attempt }, 'could not record push results; trying again')
      await sleep(waitMs)
    }
  }
}
