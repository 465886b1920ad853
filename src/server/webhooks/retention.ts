import { jittered } from '../backoff.ts'
import { type Clock, secondsAfter } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { DeliveryRepo } from './ports.ts'

const DAY_SECONDS = 86_400
export const KEEP_DELIVERED_DAYS = 7
export const KEEP_FAILED_DAYS = 30
/** Rows of one statement, so that none runs long or holds many locks. */
const BATCH_SIZE = 2_000
const INTERVAL_MS = 600_000

export type DeliveryRetentionDeps = { deliveries: DeliveryRepo; clock: Clock; log: Logger }

/** Fails deliveries whose time is over and deletes old ones, every ten minutes in every replica. */
export function createDeliveryRetention({ deliveries, clock, log }: DeliveryRetentionDeps) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let round: Promise<void> | undefined

  /** Returns how many were failed and deleted. */
  async function run(): Promise<{ failed: number; deleted: number }> {
    const before = (days: number) => secondsAfter(clock.now(), -days * DAY_SECONDS)
    const times = { deliveredBefore: before(KEEP_DELIVERED_DAYS), failedBefore: before(KEEP_FAILED_DAYS) }
    return {
      failed: await inBatches((limit) => deliveries.failExpired('not delivered within 72 hours', limit)),
      deleted: await inBatches((limit) => deliveries.deleteOld(times, limit)),
    }
  }

  async function inBatches(work: (limit: number) => Promise<number>): Promise<number> {
    let total = 0
    while (!stopped) {
      const done = await work(BATCH_SIZE)
      total += done
      if (done < BATCH_SIZE) break
    }
    return total
  }

  async function runLogged(): Promise<void> {
    try {
      await run()
    } catch (error) {
      log.warn({ err: error }, 'could not clean up webhook deliveries')
    }
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = runLogged().finally(() => {
        if (!stopped) schedule(jittered(INTERVAL_MS))
      })
    }, delayMs).unref()
  }

  return {
    run,
    start: () => schedule(jittered(60_000)),
    async close(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
