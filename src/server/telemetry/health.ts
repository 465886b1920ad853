import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'

/**
 * `draining`: still serving, but about to stop; send no more requests. `degraded`: names of what is unavailable although this
 * process can serve without it.
 */
export type Readiness = {
  status: 'ready' | 'unavailable' | 'draining'
  checks: Record<string, 'ok' | 'failed'>
  degraded: string[]
}

/** Throws if what it checks does not answer. */
type Check = (signal: AbortSignal) => Promise<unknown>

/** A slower check counts as failed. */
const CHECK_MS = 3_000
/** Checks run at most once in this time, however often the endpoint is called. */
const CACHE_MS = 1_000
/** Kubernetes waits 1 s for a probe: until a check of what can be missed has ended, its last result counts. */
const WAIT_MS = 400

/** Whether this process can serve: it cannot without what is `needed`, it can without the `others`. */
export function createHealth(needed: Record<string, Check>, others: Record<string, Check>, log: Logger) {
  let draining = false
  const checks = [
    ...Object.entries(needed).map(([name, check]) => ({
      name,
      isNeeded: true,
      passes: repeated(name, check),
    })),
    ...Object.entries(others).map(([name, check]) => ({
      name,
      isNeeded: false,
      passes: repeated(name, check),
    })),
  ]

  /** Runs the check, or waits for the run in progress; returns at once what was found less than a second ago. */
  function repeated(name: string, check: Check): (waitMs: number) => Promise<boolean> {
    let last = true
    let ranAt = -CACHE_MS
    let running: Promise<void> | undefined
    return async (waitMs) => {
      if (!running && performance.now() - ranAt > CACHE_MS)
        running = passes(name, check).then((passed) => {
          last = passed
          ranAt = performance.now()
          running = undefined
        })
      if (running) await within(waitMs, running)
      return last
    }
  }

  async function passes(name: string, check: Check): Promise<boolean> {
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
      log.warn({ err, check: name }, 'check failed')
      return false
    }
  }

  return {
    async ready(): Promise<Readiness> {
      const results = await Promise.all(
        checks.map(async ({ name, isNeeded, passes }) => ({
          name,
          isNeeded,
          passed: await passes(isNeeded ? CHECK_MS * 2 : WAIT_MS),
        })),
      )
      const failed = results.filter(({ passed }) => !passed)
      const isServing = failed.every(({ isNeeded }) => !isNeeded)
      return {
        status: draining ? 'draining' : isServing ? 'ready' : 'unavailable',
        checks: Object.fromEntries(results.map(({ name, passed }) => [name, passed ? 'ok' : 'failed'])),
        degraded: failed.filter(({ isNeeded }) => !isNeeded).map(({ name }) => name),
      }
    },

    /** Reports not ready from now on, so that load balancers send requests elsewhere. */
    drain(): void {
      draining = true
    },
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: timer.signal, ref: false }).catch(() => {})])
  timer.abort()
}
