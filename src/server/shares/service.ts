import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { PresignFile, SharePasswords, ShareRepo } from './ports.ts'
import { createShareRetention } from './retention.ts'
import { createShareSecrets } from './share-secrets.ts'
import { createShares } from './shares.ts'
import { createVisits } from './visits.ts'

export type ShareServiceDeps = {
  repo: ShareRepo
  /** For deleting many rows at once. */
  sweeps: Pick<ShareRepo, 'prune'>
  passwords: SharePasswords
  presign: PresignFile
  /** NEXTAUTH_SECRET, and during a rotation the one before. */
  sessionSecrets: readonly string[]
  baseUrl: string
  clock: Clock
  log: Logger
}

/** Links to files for people without an account. */
export function createShareService(deps: ShareServiceDeps) {
  const { clock, log } = deps
  const secrets = createShareSecrets(deps.sessionSecrets)
  return {
    ...createShares({ ...deps, secrets }),
    visits: createVisits({ ...deps, secrets }),
    retention: createShareRetention({ repo: deps.sweeps, clock, log }),
  }
}
