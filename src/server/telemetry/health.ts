import type { Log } from './log.ts'

/** `draining`: still serving what comes, but about to end; send nothing more. */
export type Readiness = {
  status: 'ready' | 'unavailable' | 'draining'
  checks: Record<string, 'ok' | 'failed'>
}

/** Slower than this counts as failed; a load balancer waits no longer. */
const CHECK_MS = 3_000
/** However often it is asked, database and store are looked at no more often than this. */
const KEEP_MS = 1_000

/** Whether this process can serve: each check throws if what it looks at is out of reach. */
export function createHealth(checks: Record<string, (signal: AbortSignal) => Promise<unknown>>, log: Log) {
  let draining = false
  let last: { at: number; result: Promise<Readiness> } | undefined

  async function look(): Promise<Readiness> {
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
      if (!last || performance.now() - last.at > KEEP_MS) last = { at: performance.now(), result: look() }
      return draining ? { ...(await last.result), status: 'draining' } : last.result
    },

    /** From now on not ready, so that balancers look elsewhere. */
    drain(): void {
      draining = true
    },
  }
}
