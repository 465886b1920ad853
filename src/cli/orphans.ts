// npm run objects:orphans [-- --delete] [--min-age-hours N]: lists objects under files/ that belong to no row.
// It removes them only with --delete, and no other program runs it: after the database was restored from a
// backup, they may be files of users.

import { parseArgs } from 'node:util'
import { loadConfig } from '../server/config.ts'
import { createDb } from '../server/data/postgres/db.ts'
import { LONG } from '../server/data/postgres/pool.ts'
import { keysInUse } from '../server/data/upload/keys-in-use.ts'
import { createS3Client } from '../server/s3/client.ts'
import { type ListedObject, listObjects } from '../server/s3/list-objects.ts'
import { removeObjects } from '../server/s3/remove-objects.ts'
import { FINAL_PREFIX } from '../server/upload/keys.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `usage: npm run objects:orphans [-- --delete] [--min-age-hours N]

  --delete         removes what it lists; make sure first that the database is the current one
  --min-age-hours  lists objects of at least this age; default 24`

const OPTIONS = {
  delete: { type: 'boolean', default: false },
  'min-age-hours': { type: 'string', default: '24' },
} as const

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: OPTIONS })
  const minAgeHours = Number(values['min-age-hours'])
  if (!(minAgeHours >= 0)) throw new UsageError('--min-age-hours must be a number of hours, 0 or more')
  const { databaseUrl, s3 } = loadConfig()
  const db = createDb(databaseUrl, 1, LONG)
  const client = createS3Client(s3)
  const before = new Date(Date.now() - minAgeHours * 3_600_000)
  let seen = 0
  let tooYoung = 0
  let found = 0
  let bytes = 0
  let removed = 0
  try {
    for await (const page of listObjects(client, s3.bucket, FINAL_PREFIX)) {
      seen += page.length
      const old = page.filter((object) => object.modifiedAt < before)
      tooYoung += page.length - old.length
      const known = await keysInUse(
        db,
        old.map((object) => object.key),
      )
      const orphans = old.filter((object) => !known.has(object.key))
      for (const orphan of orphans) console.log(line(orphan))
      found += orphans.length
      bytes += orphans.reduce((sum, orphan) => sum + orphan.size, 0)
      if (!values.delete || orphans.length === 0) continue
      const keys = orphans.map((orphan) => orphan.key)
      const left = await removeObjects(client, s3.bucket, keys, AbortSignal.timeout(120_000))
      removed += keys.length - left.length
      for (const key of left) console.error(`the store did not remove ${key}`)
    }
  } finally {
    client.destroy()
    await db.close()
  }
  console.log(
    `${seen} objects under ${FINAL_PREFIX}, ${found} without a row (${bytes} bytes), ${removed} removed, ${tooYoung} skipped because they are younger than ${minAgeHours} hours`,
  )
  if (found > 0 && !values.delete)
    console.log(
      'Nothing was removed. Make sure the database is the current one, then: npm run objects:orphans -- --delete',
    )
}

function line(object: ListedObject): string {
  return `${object.modifiedAt.toISOString()} ${String(object.size).padStart(12)} ${object.key}`
}

await runCommand({ name: 'objects:orphans', usage: USAGE, main })
