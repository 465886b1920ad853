import { s3Error } from '../errors.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import { amzNames, type S3Request } from '../request.ts'
import { childrenOf, childText, parseXml } from '../xml.ts'
import { bucketOf, type Context, target } from './context.ts'

const MAX_KEYS = 1000

/** Handles DeleteObject: 204 whether the object existed or not. */
export function deleteObject(request: S3Request, { store }: Context): Reply {
  const { bucket, key } = target(request)
  if (store.bucket(bucket).objects.has(key)) store.commit({ t: 'delete', bucket, key })
  return emptyReply(204)
}

/** Handles DeleteObjects. @throws S3Error InvalidRequest without a digest of the document, MalformedXML */
export function deleteObjects(request: S3Request, { store }: Context): Reply {
  const bucket = bucketOf(request)
  store.bucket(bucket)
  const digested =
    request.headers['content-md5'] !== undefined ||
    request.headers['x-amz-trailer'] !== undefined ||
    amzNames(request).some((name) => name.startsWith('x-amz-checksum-'))
  if (!digested) {
    throw s3Error(
      'InvalidRequest',
      'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    )
  }
  const root = parseXml(request.text)
  const keys = childrenOf(root, 'Object').map(
    (one) => one.children.find((child) => child.name === 'Key')?.text,
  )
  if (root.name !== 'Delete' || keys.length === 0 || keys.length > MAX_KEYS) throw s3Error('MalformedXML')
  const deleted: { Key: string }[] = []
  for (const key of keys) {
    if (key === undefined || key === '') throw s3Error('MalformedXML')
    if (store.bucket(bucket).objects.has(key)) store.commit({ t: 'delete', bucket, key })
    deleted.push({ Key: key })
  }
  return xmlReply('DeleteResult', childText(root, 'Quiet') === 'true' ? {} : { Deleted: deleted })
}
