import type { Config } from '../config/config.ts'
import type { Finding, Findings } from '../kernel/finding.ts'
import { shareRun } from '../kernel/share-run.ts'
import { within } from '../kernel/time-limit.ts'
import { checkDatabase } from './check-database.ts'
import { checkGatewayClocks, checkGateways, checkWebPush } from './check-gateways.ts'
import { checkIssuer } from './check-issuer.ts'
import { checkObjectStore, checkObjectStoreReadOnly } from './check-object-store.ts'
import { checkSmtp } from './check-smtp.ts'
import { attempt, type Report } from './report.ts'

/** Maximum age of results that a page gets without waiting for newer ones. */
const FRESH_MS = 60_000

/** `npm run doctor` for administrators without a shell. `migrations`: the folder of this release's migrations. */
export function createDoctor(config: Config, migrations: string) {
  let latest: { body: Findings; at: number } | undefined
  const quick = shareRun(async () => {
    const body = await collect(async (report) => {
      reportEnvironment(config, report)
      await runReadOnlyChecks(config, migrations, report)
      checkWebPush(config, report)
    })
    latest = { body, at: Date.now() }
    return body
  })
  return {
    /** Writes nothing and sends no push. Takes as long as the slowest peer, at most about 15 s. */
    quick,

    /**
     * Returns this process's newest results of `quick`, and their time in ms since 1970. If they are older than a
     * minute, waits up to `waitMs` for new ones. Undefined if there are none by then.
     */
    async latest(waitMs: number) {
      if (!latest || Date.now() - latest.at > FRESH_MS) await within(waitMs, quick())
      return latest
    },

    /** Runs every check and removes what it writes. Takes seconds, or a minute with silent peers. */
    full: shareRun(() => collect((report) => runChecks(config, migrations, report))),
  }
}

/** Runs every check. Removes the objects it writes; sends pushes only to devices that cannot exist. */
export async function runChecks(config: Config, migrations: string, report: Report): Promise<void> {
  reportEnvironment(config, report)
  await checkDatabase(config, migrations, report)
  await checkObjectStore(config, report)
  await checkGateways(config, report)
  await checkIssuer(config, report)
  checkWebPush(config, report)
  await checkSmtp(config, report)
}

/** Runs the checks that write nothing and send no push. */
export async function runReadOnlyChecks(config: Config, migrations: string, report: Report): Promise<void> {
  await Promise.all([
    attempt(report, 'database', () => checkDatabase(config, migrations, report)),
    attempt(report, 'store', () => checkObjectStoreReadOnly(config, report)),
    attempt(report, 'gateways', () => checkGatewayClocks(config, report)),
    attempt(report, 'issuer', () => checkIssuer(config, report)),
  ])
}

/** Reports the warnings about variables. Malformed ones were rejected when the environment was read. */
function reportEnvironment({ uploads, pushApps, warnings }: Config, report: Report): void {
  const policies = [...uploads.policies.keys()]
  if (policies.length > 0)
    report('policies', 'ok', `${policies.length} upload policies: ${policies.join(', ')}`)
  if (pushApps.size > 1) report('apps', 'ok', `${pushApps.size} apps: ${[...pushApps.keys()].join(', ')}`)
  if (warnings.length === 0) report('environment', 'ok', 'every variable is well formed')
  for (const warning of warnings) report('environment', 'warn', warning)
}

async function collect(run: (report: Report) => Promise<void>): Promise<Findings> {
  const findings: Finding[] = []
  await run((check, status, message, receivers) => findings.push({ check, status, message, receivers }))
  return { ok: findings.every(({ status }) => status !== 'FAIL'), findings }
}
