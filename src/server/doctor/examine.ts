import type { Config } from '../config.ts'
import { checkDatabase } from './check-database.ts'
import { checkGatewayClocks, checkGateways, checkWebPush } from './check-gateways.ts'
import { checkIssuer } from './check-issuer.ts'
import { checkObjectStore, checkObjectStoreQuickly } from './check-object-store.ts'
import { checkSmtp } from './check-smtp.ts'
import { attempt, type Report } from './finding.ts'

/**
 * Tries everything: writes throwaway objects, which it removes again, and sends pushes to devices that cannot exist.
 * `migrations`: the folder of this release's.
 */
export async function examine(config: Config, migrations: string, report: Report): Promise<void> {
  reportEnvironment(config, report)
  await checkDatabase(config, migrations, report)
  await checkObjectStore(config, report)
  await checkGateways(config, report)
  await checkIssuer(config, report)
  checkWebPush(config, report)
  await checkSmtp(config, report)
}

/** What can be known without writing anything or sending a push. */
export async function examineQuickly(config: Config, migrations: string, report: Report): Promise<void> {
  await Promise.all([
    attempt(report, 'database', () => checkDatabase(config, migrations, report)),
    attempt(report, 'store', () => checkObjectStoreQuickly(config, report)),
    attempt(report, 'gateways', () => checkGatewayClocks(config, report)),
    attempt(report, 'issuer', () => checkIssuer(config, report)),
  ])
}

/** What the variables say by themselves; that they are well formed was checked when they were read. */
export function reportEnvironment({ warnings }: Pick<Config, 'warnings'>, report: Report): void {
  if (warnings.length === 0) report('environment', 'ok', 'every variable is well formed')
  for (const warning of warnings) report('environment', 'warn', warning)
}
