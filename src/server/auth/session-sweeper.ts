import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createRetentionRounds } from '../retention-rounds.ts'
import type { SessionRepo } from './ports.ts'

const INTERVAL_MS = 3_600_000

export type SessionSweeperDeps = { repo: SessionRepo; clock: Clock; log: Pick<Logger, 'warn'> }

/** Deletes the rows of sessions that have expired, about once an hour in every replica. */
export function createSessionSweeper({ repo, clock, log }: SessionSweeperDeps) {
  return createRetentionRounds({
    everyMs: INTERVAL_MS,
    work: (inBatches) => inBatches((limit) => repo.deleteExpired(clock.now(), limit)),
    onError: (err) => log.warn({ err }, 'could not delete expired sessions'),
  })
}
