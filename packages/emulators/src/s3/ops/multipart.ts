import { randomBytes } from 'node:crypto'
import { receiveBlob } from '../body.ts'
import { Digests } from '../digests.ts'
import { s3Error } from '../errors.ts'
import { headersToStore } from '../object-headers.ts'
import { parseRange } from '../ranges.ts'
import { emptyReply, type Reply, xmlReply } from '../reply.ts'
import { amzHeader, type Exchange, param } from '../request.ts'
import type { StoredPart } from '../types.ts'
import { type Context, isoTime, target } from './context.ts'
import { copySource } from './copy.ts'
import { checksumHeaders } from './put.ts'

const MAX_PART_NUMBER = 10_000

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

/** Number of the part. @throws S3Error InvalidArgument outside 1 to 10000 */
function partNumberOf(ex: Exchange): number {
  const given = param(ex, 'partNumber') ?? ''
  const partNumber = ex.partNumber ?? 0
  if (partNumber < 1 || partNumber > MAX_PART_NUMBER) {
    throw s3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive', {
      ArgumentName: 'partNumber',
      ArgumentValue: given,
    })
  }
  return partNumber
}

/** Records a part; the upload may have ended while its bytes came. @throws S3Error NoSuchUpload */
function commitPart(ex: Exchange, context: Context, part: StoredPart): void {
  const { store } = context
  const { bucket, key } = target(ex)
  const { uploadId } = store.upload(bucket, key, ex.uploadId ?? '')
  store.commit({ t: 'part', bucket, uploadId, part })
}

/** UploadPart; the same number again replaces the part. */
export async function uploadPart(ex: Exchange, context: Context): Promise<Reply> {
  const { store } = context
  const { bucket, key } = target(ex)
  const partNumber = partNumberOf(ex)
  store.upload(bucket, key, ex.uploadId ?? '')
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
  const { bucket, key } = target(ex)
  const partNumber = partNumberOf(ex)
  store.upload(bucket, key, ex.uploadId ?? '')
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

/** AbortMultipartUpload: 204 once, afterwards NoSuchUpload. */
export function abortMultipartUpload(ex: Exchange, { store }: Context): Reply {
  const { bucket, key } = target(ex)
  const { uploadId } = store.upload(bucket, key, ex.uploadId ?? '')
  store.commit({ t: 'abort', bucket, uploadId })
  return emptyReply(204)
}
