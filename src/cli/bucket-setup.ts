// npm run bucket:setup: sets the rules of S3_BUCKET and keeps other rules. Prints rules that the store rejects, so that
// operators can set them by hand.

import { parseArgs } from 'node:util'
import { ensureBucket } from '../server/adapters/s3/bucket.ts'
import {
  copyPolicy,
  corsRule,
  lifecycleRules,
  publicReadPolicy,
  putCors,
  putLifecycle,
  putPolicy,
} from '../server/adapters/s3/bucket-rules.ts'
import { createS3Client } from '../server/adapters/s3/client.ts'
import { describeStoreError } from '../server/adapters/s3/describe-error.ts'
import { loadConfig } from '../server/config/config.ts'
import { runCommand } from './command.ts'

const USAGE = `usage: npm run bucket:setup [-- --create] [--public-read]

Sets these rules of S3_BUCKET and keeps other rules:

  - the CORS rule that browsers need
  - lifecycle rules that remove what the sweeper misses
  - a bucket policy against copies through presigned URLs, unless S3_UPLOAD_ACCESS_KEY_ID is set

  --create       creates the bucket if it does not exist
  --public-read  lets anyone read public/, for an S3_PUBLIC_URL that is the bucket itself; not needed for a CDN that has
                 its own permission`

const OPTIONS = {
  create: { type: 'boolean', default: false },
  'public-read': { type: 'boolean', default: false },
} as const

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: OPTIONS })
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
      console.error(`${bucket}: the store rejected the ${what} (${describeStoreError(error)}).`)
      console.error(`Set it with the store's own tools (docs/storage.md):\n${JSON.stringify(rules, null, 2)}`)
      process.exitCode = 1
      return false
    }
  }
  try {
    const found = await ensureBucket(client, config.s3, values.create).catch((cause: unknown) => {
      throw new Error(`bucket ${bucket} is not reachable: ${describeStoreError(cause)}`, { cause })
    })
    if (found === 'created') console.log(`${bucket}: created`)
    if (found === 'missing')
      throw new Error(`Bucket ${bucket} not found. Create it, or run: npm run bucket:setup -- --create`)
    await attempt('CORS rule', cors, () => putCors(client, bucket, cors))
    // Presigned URLs of a credential that cannot read cannot copy anything.
    if (config.s3.uploadCredentials === undefined)
      await attempt('bucket policy against copies', copyPolicy(bucket), () =>
        putPolicy(client, bucket, copyPolicy(bucket)),
      )
    const publicRead = publicReadPolicy(bucket)
    if (values['public-read'])
      await attempt('bucket policy for public/', publicRead, () => putPolicy(client, bucket, publicRead))
    // Some stores (MinIO) support expiry but no rule for unfinished uploads, and reject both together.
    const both = await attempt('lifecycle rules', lifecycle, () => putLifecycle(client, bucket, lifecycle))
    const expiry = lifecycle.filter((rule) => rule.Expiration)
    if (!both)
      await attempt('lifecycle rule for staging/ alone', expiry, () => putLifecycle(client, bucket, expiry))
  } finally {
    client.destroy()
  }
}

await runCommand({ name: 'bucket:setup', usage: USAGE, main })
