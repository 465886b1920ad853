import type { Config } from '../../server/config.ts'
import { examineQuickly } from '../../server/doctor/examine.ts'
import type { Report } from '../../server/doctor/finding.ts'
import type { Logger } from '../../server/log.ts'
import { MIGRATIONS } from '../migrations-folder.ts'

/**
 * Logs once what `npm run doctor` would FAIL, as far as it can be known without writing anything or sending a push.
 * Runs beside the server: nothing waits for it, and a peer that is away is itself a finding.
 */
export async function warnOfFaults(config: Config, log: Pick<Logger, 'warn'>): Promise<void> {
  const report: Report = (check, status, message) => {
    if (status === 'FAIL') log.warn({ check }, `npm run doctor would fail: ${message}`)
  }
  await examineQuickly(config, MIGRATIONS, report)
}
