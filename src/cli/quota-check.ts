// npm run quota:check [-- --repair]: checks on a live database that the quota of every user equals the sums over
// the files; --repair corrects it. Needs only DATABASE_URL. Exit code 1: drift was found and not repaired.

import { parseArgs } from 'node:util'
import { ConfigError, loadDatabaseUrl } from '../server/config.ts'
import { createDb } from '../server/data/postgres/db.ts'
import { LONG } from '../server/data/postgres/pool.ts'
import { findQuotaDrift, type QuotaDrift, repairQuotaDrift } from '../server/data/upload/quota-drift.ts'

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { repair: { type: 'boolean', default: false } } })
  const db = createDb(loadDatabaseUrl(), 1, LONG)
  try {
    const { users, drifted } = await findQuotaDrift(db)
    for (const drift of drifted) console.log(line(drift))
    if (drifted.length === 0) {
      console.log(`${users} users: used and reserved are the sums over their files`)
    } else if (!values.repair) {
      console.log(
        `${drifted.length} of ${users} users have drifted; npm run quota:check -- --repair corrects it`,
      )
      process.exitCode = 1
    } else {
      await repairQuotaDrift(
        db,
        drifted.map((drift) => drift.userId),
      )
      console.log(`${drifted.length} of ${users} users repaired`)
    }
  } finally {
    await db.close()
  }
}

function line(d: QuotaDrift): string {
  return `${d.userId} ${d.email}: used ${d.used}, files ${d.usedByFiles}; reserved ${d.reserved}, files ${d.reservedByFiles}; unfinished uploads ${d.open}, files ${d.openFiles}`
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof ConfigError) console.error(`quota:check: ${error.faults.join('\n')}`)
  else console.error(`quota:check: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 2
}
