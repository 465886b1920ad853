// npm run bucket:setup: sets on S3_BUCKET the CORS rule that browsers need and the lifecycle rules that back up
// the sweeper. Other rules on the bucket stay. Rules that the store refuses are printed, to be set by hand.

import { parseArgs } from 'node:util'
import { loadConfig } from '../server/config.ts'
import { corsRule, lifecycleRules, putCors, putLifecycle } from '../server/s3/bucket-rules.ts'
import { createS3Client } from '../server/s3/client.ts'
import { ensureBucket } from '../server/s3/ensure-bucket.ts'
import { runCommand } from './command.ts'

const USAGE = `usage: npm run bucket:setup [-- --create]

Sets on S3_BUCKET the CORS rule that browsers need and the lifecycle rules that back up the sweeper.

  --create  creates the bucket if it does not exist`

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { create: { type: 'boolean', default: false } } })
  const config = loadConfig()
  const { bucket } = config.s3
  const client = createS3Client(config.s3)
  const cors = corsRule([...new Set([new URL(config.baseUrl).origin, ...config.corsOrigins])])
  const lifecycle = lifecycleRules(config.uploads)
  const attempt = async (what: string, rules: unknown, put: () => Promise<void>): Promise<boolean> => {
    try {
      await put()
      console.log(`${bucket}: ${what} set`)
      return true
    } catch (error) {
      const { name, message } = error as Error
      console.error(`${bucket}: the store refused the ${what} (${name}: ${message}).`)
      console.error(`Set it with the store's own tools (docs/storage.md):\n${JSON.stringify(rules, null, 2)}`)
      process.exitCode = 1
      return false
    }
  }
  try {
    const bucketIsThere = await ensureBucket(client, config.s3, values.create)
    if (bucketIsThere === 'created') console.log(`${bucket}: created`)
    if (bucketIsThere === 'missing')
      throw new Error(`There is no bucket ${bucket}. Create it, or run: npm run bucket:setup -- --create`)
    await attempt('CORS rule', cors, () => putCors(client, bucket, cors))
    // Some stores (MinIO) support expiry but no rule for unfinished uploads, and refuse both together.
    const both = await attempt('lifecycle rules', lifecycle, () => putLifecycle(client, bucket, lifecycle))
    const expiry = lifecycle.filter((rule) => rule.Expiration)
    if (!both)
      await attempt('lifecycle rule for staging/ alone', expiry, () => putLifecycle(client, bucket, expiry))
  } finally {
    client.destroy()
  }
}

await runCommand({ name: 'bucket:setup', usage: USAGE, main })
