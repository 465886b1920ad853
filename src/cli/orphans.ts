// npm run objects:orphans: lists objects under files/ and public/ that have no row, and removes them with --delete. No
// other program runs it, because after a database restore, such objects can be users' files.

import { parseArgs } from 'node:util'
import { formatCount } from '@pigeonhole/client/format'
import { createDb } from '../server/adapters/postgres/db.ts'
import { LONG } from '../server/adapters/postgres/pool.ts'
import { keysInUse } from '../server/adapters/postgres/uploads/cleanup.ts'
import { type ListedObject, listObjects } from '../server/adapters/s3/bucket.ts'
import { createS3Client } from '../server/adapters/s3/client.ts'
import { removeObjects } from '../server/adapters/s3/remove-objects.ts'
import { loadConfig } from '../server/config/config.ts'
import { FINAL_PREFIX, PUBLIC_PREFIX } from '../server/domain/uploads/keys.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `usage: npm run objects:orphans [-- --delete] [--min-age-hours N]

Lists objects under files/ and public/ that have no row in the database.

  --delete         removes them; first make sure that the database is the current one
  --min-age-hours  minimum age of the objects, default 24`

const OPTIONS = {
  delete: { type: 'boolean', default: false },
  'min-age-hours': { type: 'string', default: '24' },
} as const

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: OPTIONS })
  const minAgeHours = Number(values['min-age-hours'])
  if (!(minAgeHours >= 0)) throw new UsageError('--min-age-hours must be a number, 0 or more')
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
    for (const prefix of [FINAL_PREFIX, PUBLIC_PREFIX])
      for await (const page of listObjects(client, s3.bucket, prefix)) {
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
        removed += keys.length - left.size
        for (const key of left.keys()) console.error(`the store did not remove ${key}`)
      }
  } finally {
    client.destroy()
    await db.close()
  }
  console.log(
    `${formatCount(seen, 'object')} under ${FINAL_PREFIX} and ${PUBLIC_PREFIX}, ${found} without a row (${formatCount(bytes, 'byte')}), ${removed} removed, ${tooYoung} skipped because they are younger than ${formatCount(minAgeHours, 'hour')}`,
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
