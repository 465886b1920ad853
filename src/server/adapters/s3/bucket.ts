import {
  CreateBucketCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import { createS3Client, type S3Settings } from './client.ts'
import { isNoSuchBucket } from './errors.ts'

/** Checks access to the bucket with a client of its own. @throws the error of the store or the network */
export function createStoreProbe(settings: S3Settings) {
  const client = createS3Client(settings)
  return {
    check: (signal: AbortSignal) =>
      client.send(new HeadBucketCommand({ Bucket: settings.bucket }), { abortSignal: signal }),
    close: () => client.destroy(),
  }
}

/**
 * Checks access to the bucket with a listing. Stores name their error only in a response with a body, unlike that to HEAD.
 *
 * @throws the error of the store or the network, or Error if the response is not from S3
 */
export async function checkBucket(client: S3Client, bucket: string, signal?: AbortSignal): Promise<void> {
  const command = new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 })
  const { Name, KeyCount, IsTruncated } = await client.send(command, { abortSignal: signal })
  if (Name === undefined && KeyCount === undefined && IsTruncated === undefined)
    throw new Error('the response is not from an S3 API')
}

/**
 * Finds out whether the bucket exists, and creates it if asked to.
 * @throws as `checkBucket`, except NoSuchBucket
 */
export async function ensureBucket(
  client: S3Client,
  { bucket, region, endpoint }: S3Settings,
  create: boolean,
): Promise<'present' | 'missing' | 'created'> {
  try {
    await checkBucket(client, bucket)
    return 'present'
  } catch (error) {
    if (!isNoSuchBucket(error)) throw error
  }
  if (!create) return 'missing'
  // AWS requires the region here, except for us-east-1, which it rejects. Other stores have one region.
  const isNamed = endpoint === undefined && region !== 'us-east-1'
  const location = isNamed ? { LocationConstraint: region as never } : undefined
  await client.send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: location }))
  return 'created'
}

export type ListedObject = { key: string; size: number; modifiedAt: Date }

/** Lists objects in pages of up to 1,000, so that memory use does not grow with the bucket. */
export async function* listObjects(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<ListedObject[]> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
    yield Contents.flatMap(({ Key, Size, LastModified }) =>
      Key ? [{ key: Key, size: Size ?? 0, modifiedAt: LastModified ?? new Date() }] : [],
    )
}
