import type { Logger } from '../../kernel/log.ts'
import { shareRun } from '../../kernel/share-run.ts'
import { within } from '../../kernel/time-limit.ts'

/** `draining`: still serving, but about to stop. `degraded`: unavailable dependencies that this process can do without. */
export type Readiness = {
  status: 'ready' | 'unavailable' | 'draining'
  checks: Record<string, 'ok' | 'failed'>
  degraded: string[]
}

/** @throws if the dependency does not respond */
type Check = (signal: AbortSignal) => Promise<unknown>

/** A slower check counts as failed. */
const CHECK_MS = 3_000
/** Minimum interval between runs of a check, however often the endpoint is called. */
const CACHE_MS = 1_000
/** Kubernetes waits 1 s for a probe, so an optional check that takes longer reports its last result. */
const WAIT_MS = 400

/** Reports whether this process can serve: it needs the `required` dependencies, but not the `optional` ones. */
export function createHealth(
  required: Record<string, Check>,
  optional: Record<string, Check>,
  log: Pick<Logger, 'warn'>,
) {
  let draining = false
  const checks = Object.entries({ ...required, ...optional }).map(([name, check]) => ({
    name,
    isRequired: name in required,
    passes: cached(name, check),
  }))

  /** Runs the check or joins the run in progress. Returns the last result if it is recent or `waitMs` have passed. */
  function cached(name: string, check: Check): (waitMs: number) => Promise<boolean> {
    let last = true
    let ranAt = -CACHE_MS
    const run = shareRun(async () => {
      last = await passes(name, check)
      ranAt = performance.now()
    })
    return async (waitMs) => {
      if (performance.now() - ranAt > CACHE_MS) await within(waitMs, run())
      return last
    }
  }

  async function passes(name: string, check: Check): Promise<boolean> {
    try {
      const passed = check(AbortSignal.timeout(CHECK_MS)).then(() => true)
      if (!(await within(CHECK_MS, passed))) throw new Error(`no response within ${CHECK_MS} ms`)
      return true
    } catch (err) {
      log.warn({ err, check: name }, 'check failed')
      return false
    }
  }

  return {
    async ready(): Promise<Readiness> {
      const results = await Promise.all(
        checks.map(async ({ name, isRequired, passes }) => ({
          name,
          isRequired,
          passed: await passes(isRequired ? CHECK_MS * 2 : WAIT_MS),
        })),
      )
      const failed = results.filter(({ passed }) => !passed)
      const isServing = failed.every(({ isRequired }) => !isRequired)
      return {
        status: draining ? 'draining' : isServing ? 'ready' : 'unavailable',
        checks: Object.fromEntries(results.map(({ name, passed }) => [name, passed ? 'ok' : 'failed'])),
        degraded: failed.filter(({ isRequired }) => !isRequired).map(({ name }) => name),
      }
    },

    /** Reports not ready from now on, so that load balancers send requests elsewhere. */
    drain(): void {
      draining = true
    },
  }
}
