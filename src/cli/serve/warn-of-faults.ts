import type { Config } from '../../server/config.ts'
import type { Logger } from '../../server/log.ts'
import { checkDatabase } from '../doctor/check-database.ts'
import { checkGatewayClocks } from '../doctor/check-gateways.ts'
import { checkIssuer } from '../doctor/check-issuer.ts'
import { checkObjectStoreQuickly } from '../doctor/check-object-store.ts'
import type { Report } from '../doctor/finding.ts'

/**
 * Logs once what `npm run doctor` would FAIL, as far as it can be known without writing anything or sending a push.
 * Runs beside the server: nothing waits for it, and a peer that is away is itself a finding.
 */
export async function warnOfFaults(config: Config, log: Pick<Logger, 'warn'>): Promise<void> {
  const report: Report = (check, status, message) => {
    if (status === 'FAIL') log.warn({ check }, `npm run doctor would fail: ${message}`)
  }
  const checks = [
    checkDatabase(config, report),
    checkObjectStoreQuickly(config, report),
    checkGatewayClocks(config, report),
    checkIssuer(config, report),
  ]
  for (const ended of await Promise.allSettled(checks))
    if (ended.status === 'rejected') log.warn({ err: ended.reason }, 'the deployment could not be checked')
}
