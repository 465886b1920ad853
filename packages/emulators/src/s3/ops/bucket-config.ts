import { corsFromXml, corsToXml } from '../cors-config.ts'
import { s3Error } from '../errors.ts'
import { checkLifecycle } from '../lifecycle.ts'
import { parsePolicy } from '../policy.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import { bucketOf, type Context } from './context.ts'

/** Sets CORS rules. @throws S3Error NotImplemented if the dialect has no CORS rules per bucket */
export function putBucketCors(request: S3Request, { store, dialect }: Context): Reply {
  if (!dialect.bucketCors) throw s3Error('NotImplemented')
  const bucket = bucketOf(request)
  store.bucket(bucket)
  store.commit({ t: 'cors', bucket, cors: corsFromXml(request.text) })
  return emptyReply(200)
}

/** Returns CORS rules. @throws S3Error NoSuchCORSConfiguration */
export function getBucketCors(request: S3Request, { store, defaultCors }: Context): Reply {
  const bucket = bucketOf(request)
  store.bucket(bucket)
  const rules = store.corsOf(bucket, defaultCors)
  if (!rules) throw s3Error('NoSuchCORSConfiguration', undefined, { BucketName: bucket })
  return xmlReply('CORSConfiguration', corsToXml(rules))
}

export function deleteBucketCors(request: S3Request, { store }: Context): Reply {
  const bucket = bucketOf(request)
  store.bucket(bucket)
  store.commit({ t: 'cors', bucket, cors: null })
  return emptyReply(204)
}

/**
 * Stores lifecycle rules as received, after validation.
 * @throws S3Error MalformedXML, InvalidArgument; NotImplemented if the dialect has no lifecycle rules
 */
export function putBucketLifecycle(request: S3Request, { store, dialect }: Context): Reply {
  if (dialect.lifecycle === 'none') throw s3Error('NotImplemented')
  const bucket = bucketOf(request)
  store.bucket(bucket)
  checkLifecycle(request.text)
  // A rule without an action that the store supports is malformed.
  if (dialect.lifecycle === 'expiry only' && request.text.includes('<AbortIncompleteMultipartUpload>'))
    throw s3Error('MalformedXML')
  store.commit({ t: 'lifecycle', bucket, xml: request.text })
  return emptyReply(200)
}

/** Returns lifecycle rules. @throws S3Error NoSuchLifecycleConfiguration */
export function getBucketLifecycle(request: S3Request, { store }: Context): Reply {
  const { lifecycle, name } = store.bucket(bucketOf(request))
  if (lifecycle === undefined) throw s3Error('NoSuchLifecycleConfiguration', undefined, { BucketName: name })
  return { status: 200, headers: { 'content-type': 'application/xml' }, text: lifecycle }
}

export function deleteBucketLifecycle(request: S3Request, { store }: Context): Reply {
  const bucket = bucketOf(request)
  store.bucket(bucket)
  store.commit({ t: 'lifecycle', bucket })
  return emptyReply(204)
}

/** Sets a policy. @throws S3Error MalformedPolicy; NotImplemented if the dialect has no bucket policies */
export function putBucketPolicy(request: S3Request, { store, dialect }: Context): Reply {
  if (dialect.policyKeys.length === 0) throw s3Error('NotImplemented')
  const bucket = bucketOf(request)
  store.bucket(bucket)
  parsePolicy(request.text)
  store.commit({ t: 'policy', bucket, json: request.text })
  return emptyReply(204)
}

/** Returns the policy. @throws S3Error NoSuchBucketPolicy; NotImplemented if the dialect has no bucket policies */
export function getBucketPolicy(request: S3Request, { store, dialect }: Context): Reply {
  if (dialect.policyKeys.length === 0) throw s3Error('NotImplemented')
  const { policy, name } = store.bucket(bucketOf(request))
  if (policy === undefined) throw s3Error('NoSuchBucketPolicy', undefined, { BucketName: name })
  return { status: 200, headers: { 'content-type': 'application/json' }, text: policy }
}

export function deleteBucketPolicy(request: S3Request, { store }: Context): Reply {
  const bucket = bucketOf(request)
  store.bucket(bucket)
  store.commit({ t: 'policy', bucket })
  return emptyReply(204)
}
