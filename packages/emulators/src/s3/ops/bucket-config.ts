import { corsFromXml, corsToXml } from '../cors-config.ts'
import { s3Error } from '../errors.ts'
import { checkLifecycle } from '../lifecycle.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import type { Exchange } from '../request.ts'
import { bucketOf, type Context } from './context.ts'

/** @throws S3Error NotImplemented where the dialect has no CORS rules per bucket */
export function putBucketCors(ex: Exchange, { store, dialect }: Context): Reply {
  if (!dialect.bucketCors) throw s3Error('NotImplemented')
  const bucket = bucketOf(ex)
  store.bucket(bucket)
  store.commit({ t: 'cors', bucket, cors: corsFromXml(ex.text) })
  return emptyReply(200)
}

/** @throws S3Error NoSuchCORSConfiguration */
export function getBucketCors(ex: Exchange, { store, defaultCors }: Context): Reply {
  const bucket = bucketOf(ex)
  store.bucket(bucket)
  const rules = store.corsOf(bucket, defaultCors)
  if (!rules) throw s3Error('NoSuchCORSConfiguration', undefined, { BucketName: bucket })
  return xmlReply('CORSConfiguration', corsToXml(rules))
}

export function deleteBucketCors(ex: Exchange, { store }: Context): Reply {
  const bucket = bucketOf(ex)
  store.bucket(bucket)
  store.commit({ t: 'cors', bucket, cors: null })
  return emptyReply(204)
}

/**
 * Stored as it came, after a look at its form.
 * @throws S3Error MalformedXML, InvalidArgument; NotImplemented where the dialect has no lifecycle rules
 */
export function putBucketLifecycle(ex: Exchange, { store, dialect }: Context): Reply {
  if (dialect.lifecycle === 'none') throw s3Error('NotImplemented')
  const bucket = bucketOf(ex)
  store.bucket(bucket)
  checkLifecycle(ex.text)
  // A rule without an action that the store knows is no rule.
  if (dialect.lifecycle === 'expiry only' && ex.text.includes('<AbortIncompleteMultipartUpload>'))
    throw s3Error('MalformedXML')
  store.commit({ t: 'lifecycle', bucket, xml: ex.text })
  return emptyReply(200)
}

/** @throws S3Error NoSuchLifecycleConfiguration */
export function getBucketLifecycle(ex: Exchange, { store }: Context): Reply {
  const { lifecycle, name } = store.bucket(bucketOf(ex))
  if (lifecycle === undefined) throw s3Error('NoSuchLifecycleConfiguration', undefined, { BucketName: name })
  return { status: 200, headers: { 'content-type': 'application/xml' }, text: lifecycle }
}

export function deleteBucketLifecycle(ex: Exchange, { store }: Context): Reply {
  const bucket = bucketOf(ex)
  store.bucket(bucket)
  store.commit({ t: 'lifecycle', bucket })
  return emptyReply(204)
}
