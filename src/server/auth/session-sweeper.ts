import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createRetentionRounds } from '../retention-rounds.ts'
import type { EmailTokenRepo, SessionRepo } from './ports.ts'

const INTERVAL_MS = 3_600_000

export type SessionSweeperDeps = {
  repo: Pick<SessionRepo, 'deleteExpired'>
  emailTokens: Pick<EmailTokenRepo, 'deleteExpired'>
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/** Deletes the rows of sessions and mailed links that have expired, about once an hour in every replica. */
export function createSessionSweeper({ repo, emailTokens, clock, log }: SessionSweeperDeps) {
  return createRetentionRounds({
    everyMs: INTERVAL_MS,
    work: async (inBatches) =>
      (await inBatches((limit) => repo.deleteExpired(clock.now(), limit))) +
      (await inBatches((limit) => emailTokens.deleteExpired(clock.now(), limit))),
    onError: (err) => log.warn({ err }, 'could not delete expired sessions and links'),
  })
}
