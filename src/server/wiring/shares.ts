import { createShareRepo } from '../adapters/postgres/shares/share-repo.ts'
import type { Config } from '../config/config.ts'
import { createShareSecrets } from '../domain/shares/share-secrets.ts'
import { createShareSweeper, createShares, type SharePasswords } from '../domain/shares/shares.ts'
import { createVisits, type PresignFile } from '../domain/shares/visits.ts'
import { DAY_WINDOW_SECONDS } from '../kernel/rate-counter.ts'
import type { Infrastructure } from './infrastructure.ts'

/** Connects links to files for visitors without an account. */
export function wireShares(
  { baseUrl, sessionSecrets }: Config,
  { audit, clock, db, lifecycle, log, rateCounter, sweepDb }: Infrastructure,
  { passwords, presign }: { passwords: SharePasswords; presign: PresignFile },
) {
  const repo = createShareRepo(db)
  const secrets = createShareSecrets(sessionSecrets)
  const newShares = rateCounter('new-shares', DAY_WINDOW_SECONDS)
  const sweeper = createShareSweeper({ repo: createShareRepo(sweepDb), clock, log })
  lifecycle.registerSweeper(sweeper)
  return {
    ...createShares({ repo, secrets, passwords, newShares, clock, baseUrl }),
    visits: createVisits({ repo, secrets, passwords, presign, clock, audit }),
  }
}
