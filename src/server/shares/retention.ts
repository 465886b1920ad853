import { type Clock, secondsAfter } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createRetentionRounds } from '../retention-rounds.ts'
import type { ShareRepo } from './ports.ts'

/** How long the row of a dead share is kept, so that revoking it again gets the same answer. */
const KEEP_DEAD_SECONDS = 30 * 86_400
const INTERVAL_MS = 3_600_000

export type ShareRetentionDeps = { repo: Pick<ShareRepo, 'prune'>; clock: Clock; log: Pick<Logger, 'warn'> }

/** Deletes the rows of dead shares, about once an hour in every replica. */
export function createShareRetention({ repo, clock, log }: ShareRetentionDeps) {
  return createRetentionRounds({
    everyMs: INTERVAL_MS,
    work: (inBatches) =>
      inBatches((limit) => repo.prune(secondsAfter(clock.now(), -KEEP_DEAD_SECONDS), limit)),
    onError: (err) => log.warn({ err }, 'could not delete dead shares'),
  })
}
