import { randomBytes } from 'node:crypto'
import { receiveBlob } from '../body.ts'
import { Digests } from '../digests.ts'
import { s3Error } from '../errors.ts'
import { headersToStore } from '../object-headers.ts'
import { parseRange } from '../ranges.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import { amzHeader, type Exchange, param } from '../request.ts'
import type { StoredPart } from '../types.ts'
import { completedUpload, withPart } from './completed-upload.ts'
import { type Context, isoTime, target } from './context.ts'
import { copySource } from './copy.ts'
import { checksumHeaders } from './put.ts'

/** CreateMultipartUpload. */
export function createMultipartUpload(ex: Exchange, context: Context): Reply {
  const { store } = context
  const { bucket, key } = target(ex)
  store.bucket(bucket)
  const uploadId = randomBytes(32).toString('base64url')
  store.commit({
    t: 'upload',
    bucket,
    upload: { uploadId, key, initiatedAt: context.now(), ...headersToStore(ex) },
  })
  return xmlReply('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: uploadId })
}

/** Number of the part. @throws S3Error InvalidArgument outside 1 to 10000, or what the dialect allows */
function partNumberOf(ex: Exchange, { dialect }: Context): number {
  const given = param(ex, 'partNumber') ?? ''
  const partNumber = ex.partNumber ?? 0
  if (partNumber < 1 || partNumber > dialect.maxParts) {
    throw s3Error(
      'InvalidArgument',
      `Part number must be an integer between 1 and ${dialect.maxParts}, inclusive`,
      { ArgumentName: 'partNumber', ArgumentValue: given },
    )
  }
  return partNumber
}

/** @throws S3Error NoSuchUpload */
function checkUpload(ex: Exchange, context: Context): void {
  const { bucket, key } = target(ex)
  const uploadId = ex.uploadId ?? ''
  if (!completedUpload(context, bucket, key, uploadId)) context.store.upload(bucket, key, uploadId)
}

/**
 * Records a part; the upload may have ended while its bytes came.
 * @throws S3Error NoSuchUpload, unless parts are objects of their own
 */
function commitPart(ex: Exchange, context: Context, part: StoredPart): void {
  const { store, dialect, partListing, quirks } = context
  const { bucket, key } = target(ex)
  const uploadId = ex.uploadId ?? ''
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
  else if (dialect.partsAreObjects) store.keepStray(bucket, key, part.blob)
  else throw s3Error('NoSuchUpload', undefined, { UploadId: uploadId })
}

/** UploadPart; the same number again replaces the part. */
export async function uploadPart(ex: Exchange, context: Context): Promise<Reply> {
  const { store } = context
  const partNumber = partNumberOf(ex, context)
  checkUpload(ex, context)
  const { blob, md5, checksums } = await receiveBlob(ex, store)
  try {
    commitPart(ex, context, {
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

/** UploadPartCopy, of a whole object or of `x-amz-copy-source-range`. */
export async function uploadPartCopy(ex: Exchange, context: Context): Promise<Reply> {
  const { store } = context
  const partNumber = partNumberOf(ex, context)
  checkUpload(ex, context)
  const { object } = copySource(ex, context)
  const wanted = amzHeader(ex, 'x-amz-copy-source-range')
  const range = wanted === undefined ? { start: 0, end: object.size - 1 } : copyRange(wanted, object.size)
  const digests = new Digests()
  const blob = await store.pinned(object.blobs, () =>
    store.blobs.write(store.blobs.read(object.blobs, range.start, range.end), (data) => digests.update(data)),
  )
  try {
    const { md5 } = digests.finish()
    const modifiedAt = context.now()
    commitPart(ex, context, { partNumber, size: blob.size, etag: md5, modifiedAt, blob })
    return xmlReply('CopyPartResult', { LastModified: isoTime(modifiedAt), ETag: `"${md5}"` })
  } finally {
    store.blobs.release(blob)
  }
}

/** Unlike a GET's, this range must have both ends and lie within the source. */
function copyRange(header: string, size: number): { start: number; end: number } {
  const m = /^bytes=(\d+)-(\d+)$/.exec(header)
  const range = m && Number(m[2]) < size ? parseRange(header, size) : undefined
  if (range) return range
  throw s3Error('InvalidArgument', `Range specified is not valid for source object of size: ${size}`, {
    ArgumentName: 'x-amz-copy-source-range',
    ArgumentValue: header,
  })
}

/**
 * AbortMultipartUpload: 204 once, afterwards NoSuchUpload. Where a completed upload is still known, NoSuchKey: the
 * record of its beginning is what is missing.
 */
export function abortMultipartUpload(ex: Exchange, context: Context): Reply {
  const { store, partListing } = context
  const { bucket, key } = target(ex)
  if (completedUpload(context, bucket, key, ex.uploadId ?? ''))
    throw s3Error('NoSuchKey', undefined, { Key: key })
  const { uploadId } = store.upload(bucket, key, ex.uploadId ?? '')
  store.commit({ t: 'abort', bucket, uploadId })
  partListing.ended(uploadId)
  return emptyReply(204)
}
