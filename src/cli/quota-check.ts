// npm run quota:check: compares every user's quota with the user's files, while the service runs. Needs only
// DATABASE_URL.

import { parseArgs } from 'node:util'
import { formatCount } from '@pigeonhole/client/format'
import { createDb } from '../server/adapters/postgres/db.ts'
import { LONG } from '../server/adapters/postgres/pool.ts'
import {
  type CleanupFailure,
  countCleanupFailures,
  listCleanupFailures,
} from '../server/adapters/postgres/uploads/cleanup.ts'
import {
  findQuotaDrift,
  type QuotaDrift,
  repairQuotaDrift,
} from '../server/adapters/postgres/uploads/quota-drift.ts'
import { loadDatabaseUrl } from '../server/config/config.ts'
import { runCommand } from './command.ts'

const USAGE = `usage: npm run quota:check [-- --repair]

Checks that every user's used and reserved bytes equal the sums over the user's files. Also lists files whose cleanup in
the object store fails: they use quota until it succeeds.

  --repair  sets wrong values to the sums over the files

The exit code is 1 if wrong values were found and not repaired, or if a cleanup fails; 2 if the check failed.`

/** Number of listed failures, those that have lasted longest. */
const FAILURES_SHOWN = 100

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { repair: { type: 'boolean', default: false } } })
  const db = createDb(loadDatabaseUrl(), 1, LONG)
  try {
    const { users, drifted } = await findQuotaDrift(db)
    for (const drift of drifted) console.log(line(drift))
    if (drifted.length === 0) {
      console.log(`${formatCount(users, 'user')}: used and reserved bytes equal the sums over their files`)
    } else if (!values.repair) {
      console.log(
        `${drifted.length} of ${users} users have wrong values. Correct them with: npm run quota:check -- --repair`,
      )
      process.exitCode = 1
    } else {
      await repairQuotaDrift(
        db,
        drifted.map((drift) => drift.userId),
      )
      console.log(`${drifted.length} of ${formatCount(users, 'user')} repaired`)
    }
    const failing = await countCleanupFailures(db)
    if (failing.files === 0) return
    for (const failure of await listCleanupFailures(db, FAILURES_SHOWN)) console.log(failureLine(failure))
    console.log(
      `Cleanup in the object store fails for ${formatCount(failing.files, 'file')}, holding ${formatCount(failing.bytes, 'byte')} of quota. The log has the reason (store not cleaned).`,
    )
    process.exitCode = 1
  } finally {
    await db.close()
  }
}

function failureLine(f: CleanupFailure): string {
  return `${f.userId} file ${f.id} (${f.state}): cleanup has failed since ${f.failingSince.toISOString()}, ${formatCount(Number(f.reserved), 'byte')} reserved`
}

function line(d: QuotaDrift): string {
  return `${d.userId} ${d.email ?? '(no email)'}: used ${d.used} (sum over files: ${d.usedByFiles}), reserved ${d.reserved} (sum over files: ${d.reservedByFiles}), unfinished uploads ${d.unfinished} (counted: ${d.unfinishedFiles})`
}

await runCommand({ name: 'quota:check', usage: USAGE, main, failureCode: 2 })
