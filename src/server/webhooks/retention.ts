import { type Clock, secondsAfter } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createRetentionRounds } from '../retention-rounds.ts'
import type { DeliveryRepo } from './ports.ts'

const DAY_SECONDS = 86_400
export const KEEP_DELIVERED_DAYS = 7
export const KEEP_FAILED_DAYS = 30
const INTERVAL_MS = 600_000

export type DeliveryRetentionDeps = { deliveries: DeliveryRepo; clock: Clock; log: Logger }

/** Fails deliveries whose time is over and deletes old ones, every ten minutes in every replica. */
export function createDeliveryRetention({ deliveries, clock, log }: DeliveryRetentionDeps) {
  return createRetentionRounds({
    everyMs: INTERVAL_MS,
    async work(inBatches) {
      const before = (days: number) => secondsAfter(clock.now(), -days * DAY_SECONDS)
      const times = { deliveredBefore: before(KEEP_DELIVERED_DAYS), failedBefore: before(KEEP_FAILED_DAYS) }
      return {
        failed: await inBatches((limit) => deliveries.failExpired('not delivered within 72 hours', limit)),
        deleted: await inBatches((limit) => deliveries.deleteOld(times, limit)),
      }
    },
    onError: (err) => log.warn({ err }, 'could not clean up webhook deliveries'),
  })
}
