// npm run doctor [-- --json]: tries everything the environment names and changes nothing that stays. One line per
// finding; exit code 1 if one of them is a FAIL.

import { parseArgs } from 'node:util'
import { type Config, ConfigError, loadConfig } from '../server/config.ts'
import { examine } from '../server/doctor/examine.ts'
import type { Finding, Report } from '../server/doctor/finding.ts'
import { runCommand } from './command.ts'
import { MIGRATIONS } from './migrations-folder.ts'

const USAGE = `usage: npm run doctor [-- --json]

Tries everything that the environment names: database, object store (with throwaway objects, removed again), APNs
and FCM (with a device token that cannot exist), and compares clocks with each. One line per finding: ok, warn (the service copes) or FAIL (with
what to do). docs/storage.md and docs/operations.md explain each by its name.

  --json  one JSON object: { "ok", "findings": [{ "check", "status", "message" }] }

Exit code 1: something is a FAIL.`

await runCommand({
  name: 'doctor',
  usage: USAGE,
  async main(argv) {
    const { values } = parseArgs({ args: argv, options: { json: { type: 'boolean', default: false } } })
    const findings: Finding[] = []
    const report: Report = (check, status, message) => {
      findings.push({ check, status, message })
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
  await examine(config, MIGRATIONS, report)
}
