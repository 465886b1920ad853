import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketPolicyCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { FINAL_PREFIX, PUBLIC_PREFIX, STAGING_PREFIX } from '../../domain/uploads/keys.ts'
import { httpStatusOf } from './errors.ts'

/** Rules with this ID prefix are replaced. Other rules of the bucket stay. */
const ID_PREFIX = 'pigeonhole-'

/** Lets browsers PUT to presigned URLs and read the ETag of a part. */
export function corsRule(origins: string[]): CORSRule {
  return {
    ID: `${ID_PREFIX}browsers`,
    AllowedOrigins: origins,
    AllowedMethods: ['PUT', 'GET', 'HEAD'],
    // Clients set no other header. R2 rejects "*" here.
    AllowedHeaders: ['content-type'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3600,
  }
}

/** Removes what the sweeper missed, one day after it would have acted. S3 counts in whole days. */
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
    ...[FINAL_PREFIX, PUBLIC_PREFIX].map(
      (Prefix): LifecycleRule => ({
        ID: `${ID_PREFIX}unfinished${Prefix === PUBLIC_PREFIX ? '-public' : ''}`,
        Status: 'Enabled',
        Filter: { Prefix },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: daysAfter(ttl.multipartTtlSeconds) },
      }),
    ),
  ]
}

/**
 * Denies copies through presigned URLs. On stores that accept unsigned headers, anyone with a presigned PUT could
 * otherwise read objects whose key they know. The service signs its own copies in a header, and copies to final keys.
 */
export function copyPolicy(bucket: string) {
  const denied = { Effect: 'Deny', Principal: '*', Action: 's3:PutObject' }
  const copies = { Null: { 's3:x-amz-copy-source': 'false' } }
  return [
    {
      Sid: 'PigeonholeNoCopyToStaging',
      ...denied,
      Resource: `arn:aws:s3:::${bucket}/${STAGING_PREFIX}*`,
      Condition: copies,
    },
    {
      Sid: 'PigeonholeNoCopyThroughPresignedUrls',
      ...denied,
      Resource: `arn:aws:s3:::${bucket}/*`,
      Condition: { ...copies, StringEquals: { 's3:authType': 'REST-QUERY-STRING' } },
    },
  ]
}

const PUBLIC_READ = 'PigeonholePublicRead'

/** Lets anyone read public files, for buckets that no CDN with its own permission serves. */
export function publicReadPolicy(bucket: string) {
  return [
    {
      Sid: PUBLIC_READ,
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${bucket}/${PUBLIC_PREFIX}*`,
    },
  ]
}

type Policy = { Version: string; Statement: { Sid?: string }[] }

/** Replaces the service's statements with the same IDs, and keeps all others. */
export async function putPolicy(client: S3Client, Bucket: string, statements: { Sid: string }[]) {
  const found = await unlessNotFound(client.send(new GetBucketPolicyCommand({ Bucket })))
  const kept: Policy = found?.Policy ? JSON.parse(found.Policy) : { Version: '2012-10-17', Statement: [] }
  const replaced = new Set(statements.map(({ Sid }) => Sid))
  const others = kept.Statement.filter(({ Sid }) => Sid === undefined || !replaced.has(Sid))
  const policy = { ...kept, Statement: [...others, ...statements] }
  await client.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify(policy) }))
}

export async function putCors(client: S3Client, Bucket: string, rule: CORSRule): Promise<void> {
  const found = await unlessNotFound(client.send(new GetBucketCorsCommand({ Bucket })))
  const CORSRules = replaced(found?.CORSRules, [rule])
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
}

export async function putLifecycle(client: S3Client, Bucket: string, rules: LifecycleRule[]): Promise<void> {
  const found = await unlessNotFound(client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })))
  const LifecycleConfiguration = { Rules: replaced(found?.Rules, rules) }
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }))
}

const replaced = <T extends { ID?: string }>(found: T[] | undefined, rules: T[]): T[] => [
  ...(found ?? []).filter(({ ID }) => !ID?.startsWith(ID_PREFIX)),
  ...rules,
]

/** A bucket without rules and a missing bucket both return 404. For the latter, the PUT that follows fails. */
async function unlessNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response
  } catch (error) {
    if (httpStatusOf(error) === 404) return undefined
    throw error
  }
}
