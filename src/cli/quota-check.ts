// npm run quota:check [-- --repair]: checks on a live database that the quota of every user equals the sums over
// the files; --repair corrects it. Needs only DATABASE_URL. Exit code 1: drift was found and not repaired.

import { parseArgs } from 'node:util'
import { loadDatabaseUrl } from '../server/config.ts'
import { createDb } from '../server/data/postgres/db.ts'
import { LONG } from '../server/data/postgres/pool.ts'
import { findQuotaDrift, type QuotaDrift, repairQuotaDrift } from '../server/data/upload/quota-drift.ts'
import { runCommand } from './command.ts'

const USAGE = `usage: npm run quota:check [-- --repair]

  --repair  sets what has drifted to the sums over the files

Exit code 1: drift was found and not repaired; 2: the check could not be made.`

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

await runCommand({ name: 'quota:check', usage: USAGE, main, failureCode: 2 })
