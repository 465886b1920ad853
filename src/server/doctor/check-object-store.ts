import { randomBytes } from 'node:crypto'
import { DeleteObjectsCommand } from '@aws-sdk/client-s3'
import { checkBucket } from '../adapters/s3/bucket.ts'
import { createS3Client } from '../adapters/s3/client.ts'
import { describeStoreError } from '../adapters/s3/describe-error.ts'
import { createObjectStore } from '../adapters/s3/object-store.ts'
import type { Config } from '../config/config.ts'
import { FINAL_PREFIX, PUBLIC_PREFIX, STAGING_PREFIX } from '../domain/uploads/keys.ts'
import { systemClock } from '../kernel/clock.ts'
import { checkBucketRules, checkPreflights } from './check-bucket-rules.ts'
import { checkMultipart } from './check-multipart.ts'
import { checkPublicFiles } from './check-public-files.ts'
import { checkSignedPuts } from './check-signed-puts.ts'
import { compareClocks, fetchStatus, timeLimit } from './peer.ts'
import { attempt, describe, fail, ok, type Report, type Verdict, warn } from './report.ts'
import { putObject, type StoreUnderTest } from './store-under-test.ts'

/** Tests what the service relies on, with small objects that it removes again. */
export function checkObjectStore(config: Config, report: Report): Promise<void> {
  return withBucket(config, report, async (underTest, keys) => {
    try {
      await checkSignedPuts(underTest, report)
      await checkMultipart(underTest, config.uploads, report)
      await attempt(report, 'store-delete-objects', () => checkDeleteObjects(underTest))
      await checkBucketRules(underTest, config, report)
      await checkPublicFiles(underTest, config, report)
    } finally {
      await attempt(report, 'store-cleanup', () => removeAll(underTest, keys))
    }
  })
}

/** Tests what needs no object: access to the bucket, the clock, and CORS. */
export function checkObjectStoreReadOnly(config: Config, report: Report): Promise<void> {
  return withBucket(config, report, (underTest) => checkPreflights(underTest, config, report))
}

/** Runs `check` if the bucket is reachable. `keys` collects the keys that it uses. */
async function withBucket(
  { s3 }: Config,
  report: Report,
  check: (underTest: StoreUnderTest, keys: string[]) => Promise<void>,
): Promise<void> {
  const client = createS3Client(s3)
  const store = createObjectStore(s3, systemClock)
  const keys: string[] = []
  const throwaway = (prefix: string) => () => {
    const key = `${prefix}doctor-${randomBytes(16).toString('hex')}`
    keys.push(key)
    return key
  }
  const underTest: StoreUnderTest = {
    client,
    store,
    bucket: s3.bucket,
    stagingKey: throwaway(STAGING_PREFIX),
    finalKey: throwaway(FINAL_PREFIX),
    publicKey: throwaway(PUBLIC_PREFIX),
  }
  try {
    const bucket = await bucketVerdict(underTest)
    report('store-bucket', ...bucket)
    if (bucket[0] !== 'ok') return
    const endpoint = await publicEndpointVerdict(s3)
    if (endpoint) report('store-public-endpoint', ...endpoint)
    if (endpoint && endpoint[0] !== 'ok') return
    await attempt(report, 'store-clock', () => checkClock(underTest))
    await check(underTest, keys)
  } finally {
    store.close()
    client.destroy()
  }
}

async function bucketVerdict({ client, bucket }: StoreUnderTest): Promise<Verdict> {
  try {
    await checkBucket(client, bucket, timeLimit())
    return ok(`bucket ${bucket} is reachable`)
  } catch (error) {
    return fail(`bucket ${bucket} is not reachable: ${describeStoreError(error)}`)
  }
}

/** Presigned URLs use the public endpoint. In a container, its name may resolve only for browsers. */
async function publicEndpointVerdict({
  endpoint,
  publicEndpoint,
}: Config['s3']): Promise<Verdict | undefined> {
  if (publicEndpoint === undefined || publicEndpoint === endpoint) return undefined
  try {
    await fetchStatus(publicEndpoint)
    return ok('S3_PUBLIC_ENDPOINT is reachable')
  } catch (error) {
    return warn(
      `S3_PUBLIC_ENDPOINT is not reachable from this machine (${describe(error)}), so presigned URLs were not tested: run doctor where it is reachable`,
    )
  }
}

function checkClock({ store, stagingKey }: StoreUnderTest): Promise<Verdict> {
  return compareClocks(async () => {
    const response = { contentType: 'image/png', contentDisposition: 'inline' }
    const { url } = await store.presignGet(stagingKey(), response, 60)
    return (await fetchStatus(url)).headers.get('date')
  }, warn('the store sends no Date header, so clocks cannot be compared'))
}

async function checkDeleteObjects(underTest: StoreUnderTest): Promise<Verdict> {
  const { client, store, bucket } = underTest
  const key = await putObject(underTest, 'deleted')
  const command = new DeleteObjectsCommand({
    Bucket: bucket,
    Delete: { Objects: [{ Key: key }], Quiet: true },
  })
  try {
    await client.send(command, { abortSignal: timeLimit() })
  } catch (error) {
    return warn(`not supported (${describe(error)}): objects are deleted one by one, which takes longer`)
  }
  return (await store.head(key, timeLimit())) === null
    ? ok('deletes several objects at once')
    : fail('DeleteObjects reports success, but the object still exists')
}

async function removeAll({ store }: StoreUnderTest, keys: string[]): Promise<Verdict | undefined> {
  for (const key of keys.filter((key) => key.startsWith(FINAL_PREFIX)))
    await store.abortUploadsOf(key, timeLimit())
  const left = await store.remove(keys, timeLimit())
  return left.size > 0
    ? fail(`the store did not remove ${[...left.keys()].join(', ')}: delete them`)
    : undefined
}
