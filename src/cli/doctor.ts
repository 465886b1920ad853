// npm run doctor [-- --json]: checks everything that the environment configures, and leaves no changes behind.

import { parseArgs } from 'node:util'
import { type Config, ConfigError, loadConfig } from '../server/config/config.ts'
import { runChecks } from '../server/doctor/doctor.ts'
import type { Report } from '../server/doctor/report.ts'
import type { Finding } from '../server/kernel/finding.ts'
import { runCommand } from './command.ts'
import { MIGRATIONS } from './migrations-folder.ts'

const USAGE = `usage: npm run doctor [-- --json]

Checks everything that the environment configures: the database, the object store (with throwaway objects), APNs and FCM
(with a device token that cannot exist), and the clock difference to each. Prints one line per finding: ok, warn (the
service still works) or FAIL (with what to do). docs/storage.md and docs/operations.md explain each check by its name.

  --json  prints one JSON object: { "ok", "findings": [{ "check", "status", "message" }] }

The exit code is 1 if a finding is a FAIL.`

await runCommand({
  name: 'doctor',
  usage: USAGE,
  async main(argv) {
    const { values } = parseArgs({ args: argv, options: { json: { type: 'boolean', default: false } } })
    const findings: Finding[] = []
    const report: Report = (check, status, message, receivers) => {
      findings.push({ check, status, message, receivers })
      if (!values.json) console.log(`${status.padEnd(4)}  ${check}: ${message}`)
    }
    await examineEnvironment(report)
    const ok = findings.every((finding) => finding.status !== 'FAIL')
    if (values.json) console.log(JSON.stringify({ ok, findings }, null, 2))
    if (!ok) process.exitCode = 1
  },
})

async function examineEnvironment(report: Report): Promise<void> {
  let config: Config
  try {
    config = loadConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults) report('environment', 'FAIL', fault)
    return
  }
  await runChecks(config, MIGRATIONS, report)
}
