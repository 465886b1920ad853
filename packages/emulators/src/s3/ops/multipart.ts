import { randomBytes } from 'node:crypto'
import { receiveBlob } from '../body.ts'
import { Digests } from '../digests.ts'
import { s3Error } from '../errors.ts'
import { headersToStore } from '../object-headers.ts'
import { parseRange } from '../ranges.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import { amzHeader, param, type S3Request } from '../request.ts'
import type { StoredObject, StoredPart } from '../types.ts'
import { completedUpload, withPart } from './completed-upload.ts'
import { type Context, isoTime, target } from './context.ts'
import { copySource } from './copy.ts'
import { checksumHeaders } from './put.ts'

/** Handles CreateMultipartUpload. */
export function createMultipartUpload(request: S3Request, context: Context): Reply {
  const { store } = context
  const { bucket, key } = target(request)
  store.bucket(bucket)
  const uploadId = randomBytes(32).toString('base64url')
  store.commit({
    t: 'upload',
    bucket,
    upload: { uploadId, key, initiatedAt: context.now(), ...headersToStore(request) },
  })
  return xmlReply('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: uploadId })
}

/** Returns the part number. @throws S3Error InvalidArgument outside 1 to 10000, or the dialect's range */
function partNumberOf(request: S3Request, { dialect }: Context): number {
  const given = param(request, 'partNumber') ?? ''
  const partNumber = request.partNumber ?? 0
  if (partNumber < 1 || partNumber > dialect.maxParts) {
    throw s3Error(
      'InvalidArgument',
      `Part number must be an integer between 1 and ${dialect.maxParts}, inclusive`,
      { ArgumentName: 'partNumber', ArgumentValue: given },
    )
  }
  return partNumber
}

/** Checks that the upload exists. @throws S3Error NoSuchUpload */
function checkUpload(request: S3Request, context: Context): void {
  const { bucket, key } = target(request)
  const uploadId = request.uploadId ?? ''
  if (!completedUpload(context, bucket, key, uploadId)) context.store.upload(bucket, key, uploadId)
}

/**
 * Records a part. The upload can have ended while its bytes arrived.
 * @throws S3Error NoSuchUpload, unless parts are separate objects
 */
function commitPart(request: S3Request, context: Context, part: StoredPart): void {
  const { store, dialect, partListing, quirks } = context
  const { bucket, key } = target(request)
  const uploadId = request.uploadId ?? ''
  const upload = store.findUpload(bucket, key, uploadId)
  if (upload) {
    const before = upload.parts.get(part.partNumber)
    store.commit({ t: 'part', bucket, uploadId, part })
    partListing.changed(uploadId, part.partNumber, before, quirks.partListingLagMs)
    return
  }
  const object = completedUpload(context, bucket, key, uploadId)
  const changed = object && withPart(object, part)
  if (changed) store.commit({ t: 'put', bucket, object: changed })
  else if (dialect.partsAreObjects) store.keepUnreachablePart(bucket, key, part.blob)
  else throw s3Error('NoSuchUpload', undefined, { UploadId: uploadId })
}

/** Handles UploadPart. A repeated number replaces the part. */
export async function uploadPart(request: S3Request, context: Context): Promise<Reply> {
  const { store } = context
  const partNumber = partNumberOf(request, context)
  checkUpload(request, context)
  const { blob, md5, checksums } = await receiveBlob(request, store)
  try {
    commitPart(request, context, {
      partNumber,
      size: blob.size,
      etag: md5,
      modifiedAt: context.now(),
      blob,
      checksums,
    })
    const { 'x-amz-checksum-type': _, ...headers } = checksumHeaders(checksums)
    return emptyReply(200, { etag: `"${md5}"`, ...headers })
  } finally {
    store.blobs.release(blob)
  }
}

/** Handles UploadPartCopy, of a whole object or of `x-amz-copy-source-range`. */
export async function uploadPartCopy(request: S3Request, context: Context): Promise<Reply> {
  const { store } = context
  const partNumber = partNumberOf(request, context)
  checkUpload(request, context)
  const { object } = copySource(request, context)
  const wanted = amzHeader(request, 'x-amz-copy-source-range')
  const range = wanted === undefined ? { start: 0, end: object.size - 1 } : copyRange(wanted, object.size)
  const { blob, md5 } = await copyRangeOf(object, range, context)
  try {
    const modifiedAt = context.now()
    commitPart(request, context, { partNumber, size: blob.size, etag: md5, modifiedAt, blob })
    return xmlReply('CopyPartResult', { LastModified: isoTime(modifiedAt), ETag: `"${md5}"` })
  } finally {
    store.blobs.release(blob)
  }
}

/** Returns a blob that the caller releases. A whole object in one blob is shared, so 5 TiB of copies need no space. */
async function copyRangeOf(object: StoredObject, { start, end }: Range, { store }: Context) {
  const [only, ...others] = object.blobs
  if (only && others.length === 0 && start === 0 && end === object.size - 1 && !object.etag.includes('-')) {
    store.blobs.retain(only)
    return { blob: only, md5: object.etag }
  }
  const digests = new Digests()
  const blob = await store.pinned(object.blobs, () =>
    store.blobs.write(store.blobs.read(object.blobs, start, end), (data) => digests.update(data)),
  )
  return { blob, md5: digests.finish().md5 }
}

type Range = { start: number; end: number }

/** Parses a copy range. Unlike a GET's range, it must have both ends and lie within the source. */
function copyRange(header: string, size: number): Range {
  const m = /^bytes=(\d+)-(\d+)$/.exec(header)
  const range = m && Number(m[2]) < size ? parseRange(header, size) : undefined
  if (range) return range
  throw s3Error('InvalidArgument', `Range specified is not valid for source object of size: ${size}`, {
    ArgumentName: 'x-amz-copy-source-range',
    ArgumentValue: header,
  })
}

/**
 * Handles AbortMultipartUpload: returns 204 once, then NoSuchUpload. If the dialect still lists a completed upload,
 * returns NoSuchKey, because only the record of its creation is missing.
 */
export function abortMultipartUpload(request: S3Request, context: Context): Reply {
  const { store, partListing } = context
  const { bucket, key } = target(request)
  if (completedUpload(context, bucket, key, request.uploadId ?? ''))
    throw s3Error('NoSuchKey', undefined, { Key: key })
  const { uploadId } = store.upload(bucket, key, request.uploadId ?? '')
  store.commit({ t: 'abort', bucket, uploadId })
  partListing.ended(uploadId)
  return emptyReply(204)
}
