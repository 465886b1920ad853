import { s3Error } from '../errors.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import { bucketOf, type Context, isoTime, OWNER } from './context.ts'

/** Checks a bucket name. https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|^\d+\.\d+\.\d+\.\d+$|^xn--|-s3alias$/.test(name)
  )
}

export function listBuckets(_request: S3Request, { store }: Context): Reply {
  const buckets = store.buckets().map((one) => ({ Name: one.name, CreationDate: isoTime(one.createdAt) }))
  return xmlReply('ListAllMyBucketsResult', { Owner: OWNER, Buckets: { Bucket: buckets } })
}

export function headBucket(request: S3Request, { store, region }: Context): Reply {
  store.bucket(bucketOf(request))
  return emptyReply(200, { 'x-amz-bucket-region': region })
}

/** Creates a bucket. @throws S3Error InvalidBucketName, BucketAlreadyOwnedByYou */
export function createBucket(request: S3Request, { store, now }: Context): Reply {
  const name = bucketOf(request)
  if (!isBucketName(name)) throw s3Error('InvalidBucketName', undefined, { BucketName: name })
  if (store.findBucket(name)) throw s3Error('BucketAlreadyOwnedByYou', undefined, { BucketName: name })
  store.commit({ t: 'bucket', name, createdAt: now() })
  return emptyReply(200, { location: `/${name}` })
}

/** Deletes a bucket. As in S3, it can still have unfinished uploads. @throws S3Error BucketNotEmpty */
export function deleteBucket(request: S3Request, { store }: Context): Reply {
  const bucket = store.bucket(bucketOf(request))
  if (bucket.objects.size > 0) throw s3Error('BucketNotEmpty', undefined, { BucketName: bucket.name })
  for (const uploadId of [...bucket.uploads.keys()])
    store.commit({ t: 'abort', bucket: bucket.name, uploadId })
  store.commit({ t: 'dropBucket', name: bucket.name })
  return emptyReply(204)
}

/** Returns the location, which is empty for us-east-1, for historical reasons. */
export function getBucketLocation(request: S3Request, { store, region }: Context): Reply {
  store.bucket(bucketOf(request))
  return xmlReply('LocationConstraint', region === 'us-east-1' ? '' : region)
}
