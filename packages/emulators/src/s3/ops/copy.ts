import { MAX_PUT_BYTES } from '../body.ts'
import { checkCopyConditions } from '../conditions.ts'
import { Digests } from '../digests.ts'
import { decodeKey } from '../encoding.ts'
import { s3Error } from '../errors.ts'
import { aclOf, headersToStore } from '../object-headers.ts'
import { type Reply, xmlReply } from '../reply.ts'
import { amzHeader, type S3Request } from '../request.ts'
import type { StoredObject } from '../types.ts'
import { checkUnbroken } from './completed-upload.ts'
import { type Context, isoTime, target } from './context.ts'

/**
 * Returns the object that `x-amz-copy-source` names: "[/]bucket/key", URL-encoded.
 * @throws S3Error InvalidArgument, NoSuchBucket, NoSuchKey, PreconditionFailed, NotImplemented (versions)
 */
export function copySource(request: S3Request, context: Context): { bucket: string; object: StoredObject } {
  const raw = amzHeader(request, 'x-amz-copy-source') ?? ''
  if (/\?versionId=/.test(raw)) throw s3Error('NotImplemented', undefined, { Header: 'x-amz-copy-source' })
  const path = decodeKey(raw).replace(/^\//, '')
  const slash = path.indexOf('/')
  if (slash < 1 || slash === path.length - 1) {
    throw s3Error(
      'InvalidArgument',
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
      {
        ArgumentName: 'x-amz-copy-source',
        ArgumentValue: raw,
      },
    )
  }
  const bucket = path.slice(0, slash)
  const object = context.store.object(bucket, path.slice(slash + 1))
  checkCopyConditions(request, object, context.quirks.ignoreCopySourceIfMatch)
  checkUnbroken(object)
  return { bucket, object }
}

/** Handles CopyObject. Moves no bytes: the copy shares the blobs of its source. */
export async function copyObject(request: S3Request, context: Context): Promise<Reply> {
  const { store } = context
  const { bucket, key } = target(request)
  store.bucket(bucket)
  const source = copySource(request, context)
  const directive = amzHeader(request, 'x-amz-metadata-directive') ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw s3Error('InvalidArgument', 'Unknown metadata directive.', {
      ArgumentName: 'x-amz-metadata-directive',
      ArgumentValue: directive,
    })
  }
  if (source.bucket === bucket && source.object.key === key && directive === 'COPY') {
    throw s3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    )
  }
  if (source.object.size > MAX_PUT_BYTES) {
    throw s3Error(
      'InvalidRequest',
      `The specified copy source is larger than the maximum allowable size for a copy source: ${MAX_PUT_BYTES}`,
    )
  }
  const replaced = directive === 'REPLACE' ? headersToStore(request) : undefined
  return store.pinned(source.object.blobs, async () => {
    const object: StoredObject = {
      ...source.object,
      key,
      etag: await plainEtag(source.object, context),
      modifiedAt: context.now(),
      headers: replaced?.headers ?? source.object.headers,
      acl: aclOf(request),
      manifest: undefined,
    }
    store.commit({ t: 'put', bucket, object })
    return xmlReply('CopyObjectResult', {
      LastModified: isoTime(object.modifiedAt),
      ETag: `"${object.etag}"`,
    })
  })
}

/** Returns the ETag of a copy. A copy is one piece, so for a multipart object it is the MD5 of its bytes. */
async function plainEtag(object: StoredObject, { store }: Context): Promise<string> {
  if (!object.etag.includes('-')) return object.etag
  const digests = new Digests()
  for await (const data of store.blobs.read(object.blobs, 0, object.size - 1)) digests.update(data)
  return digests.finish().md5
}
