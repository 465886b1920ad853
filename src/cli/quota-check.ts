// npm run quota:check [-- --repair]: checks on a live database that the quota of every user equals the sums over
// the files; --repair corrects it. Also names files that the sweeper fails to clean up: they hold quota for ever.
// Needs only DATABASE_URL. Exit code 1: drift was found and not repaired, or a cleanup fails.

import { parseArgs } from 'node:util'
import { loadDatabaseUrl } from '../server/config.ts'
import { createDb } from '../server/data/postgres/db.ts'
import { LONG } from '../server/data/postgres/pool.ts'
import {
  type CleanupFailure,
  countCleanupFailures,
  listCleanupFailures,
} from '../server/data/upload/cleanup-failures.ts'
import { findQuotaDrift, type QuotaDrift, repairQuotaDrift } from '../server/data/upload/quota-drift.ts'
import { runCommand } from './command.ts'

const USAGE = `usage: npm run quota:check [-- --repair]

  --repair  sets what has drifted to the sums over the files

Files whose cleanup in the object store fails are named too: they hold quota until it succeeds.

Exit code 1: drift was found and not repaired, or a cleanup fails; 2: the check could not be made.`

/** Those that have failed longest. */
const FAILURES_SHOWN = 100

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
    const failing = await countCleanupFailures(db)
    if (failing.files === 0) return
    for (const failure of await listCleanupFailures(db, FAILURES_SHOWN)) console.log(failureLine(failure))
    console.log(
      `${failing.files} files cannot be cleaned up in the object store and hold ${failing.bytes} bytes of quota; the log says why (store not cleaned)`,
    )
    process.exitCode = 1
  } finally {
    await db.close()
  }
}

function failureLine(f: CleanupFailure): string {
  return `${f.userId} file ${f.id} (${f.state}): cleanup fails since ${f.failingSince.toISOString()}, ${f.reserved} bytes reserved`
}

function line(d: QuotaDrift): string {
  return `${d.userId} ${d.email ?? '(no email)'}: used ${d.used}, files ${d.usedByFiles}; reserved ${d.reserved}, files ${d.reservedByFiles}; unfinished uploads ${d.unfinished}, files ${d.unfinishedFiles}`
}

await runCommand({ name: 'quota:check', usage: USAGE, main, failureCode: 2 })
