import { randomBytes } from 'node:crypto'
import { DeleteObjectsCommand, HeadBucketCommand } from '@aws-sdk/client-s3'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createS3Client } from '../s3/client.ts'
import { createObjectStore } from '../s3/object-store.ts'
import { FINAL_PREFIX, STAGING_PREFIX } from '../upload/keys.ts'
import { checkBucketRules, checkPreflights } from './check-bucket-rules.ts'
import { checkMultipart } from './check-multipart.ts'
import { checkSignedPuts } from './check-signed-puts.ts'
import { attempt, describe, type Report, reportSkew, timeIn } from './finding.ts'
import { putObject, type TriedStore } from './tried-store.ts'

const TIMEOUT_MS = 15_000

/** Tries what the service relies on, with small objects that are removed again. */
export function checkObjectStore(config: Config, report: Report): Promise<void> {
  return withBucket(config, report, async (tried, keys) => {
    try {
      await checkSignedPuts(tried, report)
      await checkMultipart(tried, config.uploads, report)
      await attempt(report, 'store-delete-objects', () => checkDeleteObjects(tried, report))
      await checkBucketRules(tried, config, report)
    } finally {
      await removeAll(tried, keys, report)
    }
  })
}

/** What can be known without writing: whether the bucket can be reached, the clock, and CORS. */
export function checkObjectStoreQuickly(config: Config, report: Report): Promise<void> {
  return withBucket(config, report, (tried) => checkPreflights(tried, config, report))
}

/** Runs `check` if the bucket can be reached; `keys` fills with all that it uses. */
async function withBucket(
  config: Config,
  report: Report,
  check: (tried: TriedStore, keys: string[]) => Promise<void>,
): Promise<void> {
  const client = createS3Client(config.s3)
  const store = createObjectStore(config.s3, systemClock)
  const keys: string[] = []
  const throwaway = (prefix: string) => () => {
    const key = `${prefix}doctor-${randomBytes(16).toString('hex')}`
    keys.push(key)
    return key
  }
  const tried: TriedStore = {
    client,
    store,
    bucket: config.s3.bucket,
    stagingKey: throwaway(STAGING_PREFIX),
    finalKey: throwaway(FINAL_PREFIX),
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  }
  try {
    if (!(await canReachBucket(tried, report))) return
    if (!(await canReachPublicEndpoint(config.s3, report))) return
    await attempt(report, 'store-clock', () => checkClock(tried, report))
    await check(tried, keys)
  } finally {
    store.close()
    client.destroy()
  }
}

async function canReachBucket({ client, bucket, signal }: TriedStore, report: Report): Promise<boolean> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: signal() })
    report('store-bucket', 'ok', `${bucket} can be reached`)
    return true
  } catch (error) {
    report(
      'store-bucket',
      'FAIL',
      `${bucket} cannot be reached (${describe(error)}): check S3_BUCKET, S3_ENDPOINT, S3_FORCE_PATH_STYLE and the keys; npm run bucket:setup -- --create makes a bucket`,
    )
    return false
  }
}

/** Presigned URLs name it. In a container it may be a name that only browsers can reach. */
async function canReachPublicEndpoint(
  { endpoint, publicEndpoint }: Config['s3'],
  report: Report,
): Promise<boolean> {
  if (publicEndpoint === undefined || publicEndpoint === endpoint) return true
  try {
    const answer = await fetch(publicEndpoint, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    await answer.body?.cancel()
    report('store-public-endpoint', 'ok', 'S3_PUBLIC_ENDPOINT can be reached')
    return true
  } catch (error) {
    report(
      'store-public-endpoint',
      'warn',
      `S3_PUBLIC_ENDPOINT cannot be reached from this machine (${describe(error)}), so presigned URLs were not tried: run doctor where it can be`,
    )
    return false
  }
}

async function checkClock({ store, stagingKey, signal }: TriedStore, report: Report): Promise<void> {
  const { url } = await store.presignGet(
    stagingKey(),
    { contentType: 'image/png', contentDisposition: 'inline' },
    60,
  )
  const before = Date.now()
  const answer = await fetch(url, { signal: signal() })
  await answer.body?.cancel()
  const date = answer.headers.get('date')
  if (date === null) report('store-clock', 'warn', 'the store sends no Date, so its clock cannot be compared')
  else reportSkew(report, 'store-clock', timeIn(date), new Date((before + Date.now()) / 2))
}

async function checkDeleteObjects(tried: TriedStore, report: Report): Promise<void> {
  const { client, store, bucket, stagingKey, signal } = tried
  const key = stagingKey()
  await putObject(tried, key, 'gone')
  try {
    await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: key }], Quiet: true } }),
      {
        abortSignal: signal(),
      },
    )
  } catch (error) {
    report(
      'store-delete-objects',
      'warn',
      `not supported (${describe(error)}): objects are deleted one by one, which takes longer`,
    )
    return
  }
  if ((await store.head(key, signal())) === null) report('store-delete-objects', 'ok', 'supported')
  else report('store-delete-objects', 'FAIL', 'DeleteObjects says done and the object is still there')
}

async function removeAll({ store, signal }: TriedStore, keys: string[], report: Report): Promise<void> {
  if (keys.length === 0) return
  await attempt(report, 'store-cleanup', async () => {
    for (const key of keys.filter((key) => key.startsWith(FINAL_PREFIX)))
      await store.abortUploadsOf(key, signal())
    const left = await store.remove(keys, signal())
    if (left.length > 0) report('store-cleanup', 'FAIL', `the store did not remove ${left.join(', ')}`)
  })
}
