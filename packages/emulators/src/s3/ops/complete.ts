import { createHash } from 'node:crypto'
import { bareEtag, checkWriteConditions } from '../conditions.ts'
import { CHECKSUMS } from '../digests.ts'
import { uriEncode } from '../encoding.ts'
import { s3Error } from '../errors.ts'
import { type Reply, xmlReply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import type { StoredObject, StoredPart, StoredUpload } from '../types.ts'
import { childrenOf, childText, parseXml, type XmlElement } from '../xml.ts'
import { completedUpload, partsOfObject } from './completed-upload.ts'
import { type Context, target } from './context.ts'

/** Limits: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MIN_PART_BYTES = 5 * 1024 * 1024
const MAX_PARTS = 10_000

type ListedPart = { partNumber: number; etag: string; element: XmlElement }

/**
 * Handles CompleteMultipartUpload. The object is the sequence of the parts' blobs, so nothing is copied.
 * @throws S3Error MalformedXML, InvalidPartOrder, InvalidPart, EntityTooSmall, NoSuchUpload, PreconditionFailed
 */
export function completeMultipartUpload(request: S3Request, context: Context): Reply {
  const { store, dialect, partListing } = context
  const { bucket, key } = target(request)
  const uploadId = request.uploadId ?? ''
  const repeated = context.completed.get(uploadId)
  const existing = store.bucket(bucket).objects.get(key)
  if (repeated && existing && repeated.etag === existing.etag && context.quirks.repeatCompletion)
    return result(bucket, repeated, context)
  const completed = completedUpload(context, bucket, key, uploadId)
  const upload = completed ? asUpload(completed, uploadId) : store.upload(bucket, key, uploadId)
  const listed = readParts(request.text)
  if (completed && multipartEtag(listed) === completed.etag) return result(bucket, completed, context)
  const parts = listed.map((one) => findPart(upload, one))
  for (const part of parts.slice(0, -1)) {
    if (part.size >= MIN_PART_BYTES) continue
    throw s3Error('EntityTooSmall', undefined, {
      ETag: part.etag,
      MinSizeAllowed: MIN_PART_BYTES,
      ProposedSize: part.size,
      PartNumber: part.partNumber,
    })
  }
  checkWriteConditions(request, store.bucket(bucket).objects.get(key))
  const object: StoredObject = {
    key,
    size: parts.reduce((sum, part) => sum + part.size, 0),
    etag: multipartEtag(parts),
    modifiedAt: context.now(),
    blobs: parts.map((part) => part.blob),
    headers: upload.headers,
    acl: upload.acl,
    manifest: dialect.partsAreObjects ? manifestOf(uploadId, parts) : undefined,
  }
  store.commit(completed ? { t: 'put', bucket, object } : { t: 'complete', bucket, uploadId, object })
  partListing.ended(uploadId)
  remember(context, uploadId, object)
  return result(bucket, object, context)
}

function manifestOf(uploadId: string, parts: StoredPart[]): StoredObject['manifest'] {
  return {
    uploadId,
    parts: parts.map(({ partNumber, size, etag, modifiedAt }) => {
      return { partNumber, size, etag, modifiedAt, completedEtag: etag }
    }),
  }
}

function asUpload(object: StoredObject, uploadId: string): StoredUpload {
  const parts = new Map(partsOfObject(object).map((part) => [part.partNumber, part]))
  const { key, modifiedAt, headers, acl } = object
  return { uploadId, key, initiatedAt: modifiedAt, headers, acl, parts }
}

function result(bucket: string, object: StoredObject, context: Context): Reply {
  const reply = xmlReply('CompleteMultipartUploadResult', {
    Location: `${context.baseUrl()}/${bucket}/${uriEncode(object.key, true)}`,
    Bucket: bucket,
    Key: object.key,
    ETag: `"${object.etag}"`,
  })
  return reply
}

function remember(context: Context, uploadId: string, object: StoredObject): void {
  if (context.completed.size > 10_000) context.completed.clear()
  context.completed.set(uploadId, object)
}

function readParts(text: string): ListedPart[] {
  if (text.trim() === '') throw s3Error('InvalidRequest', 'You must specify at least one part')
  const root = parseXml(text)
  const elements = childrenOf(root, 'Part')
  if (root.name !== 'CompleteMultipartUpload' || elements.length === 0 || elements.length > MAX_PARTS) {
    throw s3Error('MalformedXML')
  }
  let before = 0
  return elements.map((element) => {
    const number = childText(element, 'PartNumber')
    const etag = childText(element, 'ETag')
    if (number === undefined || etag === undefined || !/^\d{1,9}$/.test(number)) throw s3Error('MalformedXML')
    const partNumber = Number(number)
    if (partNumber <= before) throw s3Error('InvalidPartOrder')
    before = partNumber
    return { partNumber, etag: bareEtag(etag), element }
  })
}

function findPart(upload: StoredUpload, listed: ListedPart): StoredPart {
  const part = upload.parts.get(listed.partNumber)
  const isSame = part !== undefined && part.etag === listed.etag && checksumsAgree(part, listed.element)
  if (isSame) return part
  throw s3Error('InvalidPart', undefined, {
    UploadId: upload.uploadId,
    PartNumber: listed.partNumber,
    ETag: listed.etag,
  })
}

/** Returns true if every checksum in the list is the one with which the part was verified. */
function checksumsAgree(part: StoredPart, element: XmlElement): boolean {
  return CHECKSUMS.every((name) => {
    const given = childText(element, `Checksum${name.toUpperCase()}`)
    return given === undefined || given === part.checksums?.[name]
  })
}

/** Returns the MD5 of the parts' MD5s, a dash, and the number of parts. */
function multipartEtag(parts: { etag: string }[]): string {
  const md5 = createHash('md5')
  for (const part of parts) md5.update(Buffer.from(part.etag, 'hex'))
  return `${md5.digest('hex')}-${parts.length}`
}
