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
import { httpStatusOf } from './errors.ts'

/** Rules whose id begins like this are replaced; other rules on the bucket stay. */
const ID_PREFIX = 'pigeonhole-'

/** Browsers PUT to presigned URLs and must be able to read the ETag of a part. */
export function corsRule(origins: string[]): CORSRule {
  return {
    ID: `${ID_PREFIX}browsers`,
    AllowedOrigins: origins,
    AllowedMethods: ['PUT', 'GET', 'HEAD'],
    // Listed, since R2 refuses "*" here. Clients set no other header.
    AllowedHeaders: ['content-type'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3600,
  }
}

/** A backstop for the sweeper: one day later than it would act. S3 counts in whole days. */
export function lifecycleRules(ttl: {
  pendingTtlSeconds: number
  multipartTtlSeconds: number
}): LifecycleRule[] {
  const daysAfter = (seconds: number) => Math.ceil(seconds / 86_400) + 1
  return [
    {
      ID: `${ID_PREFIX}staged`,
      Status: 'Enabled',
      Filter: { Prefix: STAGING_PREFIX },
      Expiration: { Days: daysAfter(ttl.pendingTtlSeconds) },
    },
    {
      ID: `${ID_PREFIX}unfinished`,
      Status: 'Enabled',
      Filter: { Prefix: FINAL_PREFIX },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: daysAfter(ttl.multipartTtlSeconds) },
    },
  ]
}

export async function putCors(client: S3Client, bucket: string, rule: CORSRule): Promise<void> {
  const { CORSRules = [] } = await unlessNotFound(client.send(new GetBucketCorsCommand({ Bucket: bucket })), {
    $metadata: {},
  })
  const rules = [...CORSRules.filter((other) => !other.ID?.startsWith(ID_PREFIX)), rule]
  await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: rules } }))
}

export async function putLifecycle(client: S3Client, bucket: string, rules: LifecycleRule[]): Promise<void> {
  const { Rules = [] } = await unlessNotFound(
    client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket })),
    { $metadata: {} },
  )
  const all = [...Rules.filter((other) => !other.ID?.startsWith(ID_PREFIX)), ...rules]
  await client.send(
    new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration: { Rules: all } }),
  )
}

/** A bucket without rules answers 404, and so does a missing bucket: the PUT that follows fails for the latter. */
async function unlessNotFound<T>(answer: Promise<T>, none: T): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (httpStatusOf(error) === 404) return none
    throw error
  }
}
