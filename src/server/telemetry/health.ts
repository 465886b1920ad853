import type { Log } from './log.ts'

/** `draining`: still serving, but about to stop; send no more requests. */
export type Readiness = {
  status: 'ready' | 'unavailable' | 'draining'
  checks: Record<string, 'ok' | 'failed'>
}

/** A slower check counts as failed; load balancers wait no longer. */
const CHECK_MS = 3_000
/** Checks run at most once in this time, however often the endpoint is called. */
const CACHE_MS = 1_000

/** Whether this process can serve. A check throws if the service it checks does not answer. */
export function createHealth(checks: Record<string, (signal: AbortSignal) => Promise<unknown>>, log: Log) {
  let draining = false
  let last: { at: number; result: Promise<Readiness> } | undefined

  async function runChecks(): Promise<Readiness> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await passes(name, check)] as const),
    )
    const all = Object.fromEntries(
      results.map(([name, ok]) => [name, ok ? ('ok' as const) : ('failed' as const)]),
    )
    return { status: results.every(([, ok]) => ok) ? 'ready' : 'unavailable', checks: all }
  }

  async function passes(name: string, check: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    const signal = AbortSignal.timeout(CHECK_MS)
    const late = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error(`no answer within ${CHECK_MS} ms`)), {
        once: true,
      }),
    )
    try {
      await Promise.race([check(signal), late])
      return true
    } catch (err) {
      log.warn({ err, check: name }, 'not ready')
      return false
    }
  }

  return {
    async ready(): Promise<Readiness> {
      if (!last || performance.now() - last.at > CACHE_MS)
        last = { at: performance.now(), result: runChecks() }
      return draining ? { ...(await last.result), status: 'draining' } : last.result
    },

    /** Reports not ready from now on, so that load balancers send requests elsewhere. */
    drain(): void {
      draining = true
    },
  }
}
