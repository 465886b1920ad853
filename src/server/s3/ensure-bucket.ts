import { CreateBucketCommand, HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import type { S3Settings } from './client.ts'
import { httpStatusOf } from './errors.ts'

/** Finds out whether the bucket is there, and creates it if asked. @throws the store's error, when it is no 404 */
export async function ensureBucket(
  client: S3Client,
  { bucket, region, endpoint }: S3Settings,
  create: boolean,
): Promise<'present' | 'missing' | 'created'> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
    return 'present'
  } catch (error) {
    if (httpStatusOf(error) !== 404) throw error
  }
  if (!create) return 'missing'
  // AWS wants the region here, except for us-east-1, where it refuses it; other stores have one region.
  const location =
    endpoint === undefined && region !== 'us-east-1' ? { LocationConstraint: region } : undefined
  await client.send(
    new CreateBucketCommand({
      Bucket: bucket,
      ...(location && { CreateBucketConfiguration: location as { LocationConstraint: never } }),
    }),
  )
  return 'created'
}
