import type { Config } from '../../server/config/config.ts'
import { runReadOnlyChecks } from '../../server/doctor/doctor.ts'
import type { Report } from '../../server/doctor/report.ts'
import type { Logger } from '../../server/kernel/log.ts'
import { MIGRATIONS } from '../migrations-folder.ts'

/**
 * Logs each FAIL of the `npm run doctor` checks that neither write anything nor send a push. Nothing waits for these
 * checks, and they report unavailable services as failures.
 */
export async function warnOfFaults(config: Config, log: Pick<Logger, 'warn'>): Promise<void> {
  const report: Report = (check, status, message) => {
    if (status === 'FAIL') log.warn({ check }, `npm run doctor would fail: ${message}`)
  }
  await runReadOnlyChecks(config, MIGRATIONS, report)
}
