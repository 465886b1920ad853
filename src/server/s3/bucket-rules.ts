import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { FINAL_PREFIX, STAGING_PREFIX } from '../upload/keys.ts'
import { statusOf } from './faults.ts'

/** Rules with these ids are ours to replace; others on the bucket stay. */
const OURS = 'pigeonhole-'

/** Browsers PUT to presigned URLs and must be able to read the ETag of a part. */
export function corsRule(origins: string[]): CORSRule {
  return {
    ID: `${OURS}browsers`,
    AllowedOrigins: origins,
    AllowedMethods: ['PUT', 'GET', 'HEAD'],
    // Named, since R2 does not take "*" here; clients set nothing else.
    AllowedHeaders: ['content-type'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3600,
  }
}

/** The backstop behind the sweeper: one day later than it. A day is the smallest unit S3 knows. */
export function lifecycleRules(ttl: {
  pendingTtlSeconds: number
  multipartTtlSeconds: number
}): LifecycleRule[] {
  const daysAfter = (seconds: number) => Math.ceil(seconds / 86_400) + 1
  return [
    {
      ID: `${OURS}staged`,
      Status: 'Enabled',
      Filter: { Prefix: STAGING_PREFIX },
      Expiration: { Days: daysAfter(ttl.pendingTtlSeconds) },
    },
    {
      ID: `${OURS}unfinished`,
      Status: 'Enabled',
      Filter: { Prefix: FINAL_PREFIX },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: daysAfter(ttl.multipartTtlSeconds) },
    },
  ]
}

export async function putCors(client: S3Client, bucket: string, rule: CORSRule): Promise<void> {
  const { CORSRules = [] } = await orNone(client.send(new GetBucketCorsCommand({ Bucket: bucket })), {
    $metadata: {},
  })
  const rules = [...CORSRules.filter((other) => !other.ID?.startsWith(OURS)), rule]
  await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: rules } }))
}

export async function putLifecycle(client: S3Client, bucket: string, rules: LifecycleRule[]): Promise<void> {
  const { Rules = [] } = await orNone(
    client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket })),
    { $metadata: {} },
  )
  const all = [...Rules.filter((other) => !other.ID?.startsWith(OURS)), ...rules]
  await client.send(
    new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration: { Rules: all } }),
  )
}

/** A bucket that has no rules yet answers 404, as does one that does not exist: putting tells them apart. */
async function orNone<T>(answer: Promise<T>, none: T): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (statusOf(error) === 404) return none
    throw error
  }
}
