import { s3Error } from '../errors.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import type { Exchange } from '../request.ts'
import { bucketOf, type Context, isoTime, OWNER } from './context.ts'

/** Naming rules. https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|^\d+\.\d+\.\d+\.\d+$|^xn--|-s3alias$/.test(name)
  )
}

export function listBuckets(_ex: Exchange, { store }: Context): Reply {
  const buckets = store.buckets().map((one) => ({ Name: one.name, CreationDate: isoTime(one.createdAt) }))
  return xmlReply('ListAllMyBucketsResult', { Owner: OWNER, Buckets: { Bucket: buckets } })
}

export function headBucket(ex: Exchange, { store, region }: Context): Reply {
  store.bucket(bucketOf(ex))
  return emptyReply(200, { 'x-amz-bucket-region': region })
}

/** @throws S3Error InvalidBucketName, BucketAlreadyOwnedByYou */
export function createBucket(ex: Exchange, { store, now }: Context): Reply {
  const name = bucketOf(ex)
  if (!isBucketName(name)) throw s3Error('InvalidBucketName', undefined, { BucketName: name })
  if (store.findBucket(name)) throw s3Error('BucketAlreadyOwnedByYou', undefined, { BucketName: name })
  store.commit({ t: 'bucket', name, createdAt: now() })
  return emptyReply(200, { location: `/${name}` })
}

/** @throws S3Error BucketNotEmpty; unfinished uploads do not count, as in S3 */
export function deleteBucket(ex: Exchange, { store }: Context): Reply {
  const bucket = store.bucket(bucketOf(ex))
  if (bucket.objects.size > 0) throw s3Error('BucketNotEmpty', undefined, { BucketName: bucket.name })
  for (const uploadId of [...bucket.uploads.keys()])
    store.commit({ t: 'abort', bucket: bucket.name, uploadId })
  store.commit({ t: 'dropBucket', name: bucket.name })
  return emptyReply(204)
}

/** The location of us-east-1 is empty, for reasons of history. */
export function getBucketLocation(ex: Exchange, { store, region }: Context): Reply {
  store.bucket(bucketOf(ex))
  return xmlReply('LocationConstraint', region === 'us-east-1' ? '' : region)
}
