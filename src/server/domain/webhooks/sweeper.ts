import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { createSweepRounds } from '../../kernel/sweep-rounds.ts'
import type { DeliveryRepo } from './delivery-repo.ts'

const DAY_SECONDS = 86_400
const KEEP_DELIVERED_DAYS = 7
const KEEP_FAILED_DAYS = 30
const INTERVAL_MS = 600_000

type DeliverySweeperDeps = { deliveries: DeliveryRepo; clock: Clock; log: Logger }

/** Fails expired deliveries and deletes old ones, every ten minutes in every replica. */
export function createDeliverySweeper({ deliveries, clock, log }: DeliverySweeperDeps) {
  return createSweepRounds({
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
