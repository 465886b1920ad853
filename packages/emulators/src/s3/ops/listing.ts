import { uriEncode } from '../encoding.ts'
import { s3Error } from '../errors.ts'
import { type Reply, xmlReply } from '../reply.ts'
import { countParam, type Exchange, param } from '../request.ts'
import { compareKeys } from '../store.ts'
import type { StoredPart } from '../types.ts'
import { completedUpload, partsOfObject } from './completed-upload.ts'
import { bucketOf, type Context, isoTime, OWNER, target } from './context.ts'

/** Entries of this page: as many as were asked for, and no more than the store gives. */
export function pageSize(ex: Exchange, name: string, { quirks }: Context): number {
  return Math.min(countParam(ex, name, quirks.listingPage), quirks.listingPage)
}

/** How keys are written: `encoding-type=url` is for keys that XML 1.0 cannot carry. */
export function keyWriter(ex: Exchange): (key: string | undefined) => string | undefined {
  const type = param(ex, 'encoding-type')
  if (type === undefined) return (key) => key
  if (type !== 'url') throw s3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  return (key) => (key === undefined ? undefined : uriEncode(key, true))
}

/** The prefix that a key is folded into, `undefined` where it stands for itself. */
export function folded(key: string, prefix: string, delimiter: string | undefined): string | undefined {
  if (!delimiter) return undefined
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}

/** ListParts, in pages: an upload of 5 GB has more than one. */
export function listParts(ex: Exchange, context: Context): Reply {
  const { bucket, key } = target(ex)
  const uploadId = ex.uploadId ?? ''
  const parts = context.partListing.view(uploadId, partsToList(context, bucket, key, uploadId))
  const marker = countParam(ex, 'part-number-marker', 0)
  const maxParts = pageSize(ex, 'max-parts', context)
  const rest = parts.filter((part) => part.partNumber > marker)
  const page = rest.sort((a, b) => a.partNumber - b.partNumber).slice(0, maxParts)
  return xmlReply('ListPartsResult', {
    Bucket: bucket,
    Key: keyWriter(ex)(key),
    UploadId: uploadId,
    Initiator: OWNER,
    Owner: OWNER,
    StorageClass: 'STANDARD',
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.partNumber ?? 0,
    MaxParts: maxParts,
    IsTruncated: page.length < rest.length && maxParts > 0,
    Part: page.map((part) => ({
      PartNumber: part.partNumber,
      LastModified: isoTime(part.modifiedAt),
      ETag: `"${part.etag}"`,
      Size: Math.max(part.size + ex.plan.reportedSizeOffset, 0),
    })),
  })
}

/** @throws S3Error NoSuchUpload, or what the dialect says instead */
function partsToList(context: Context, bucket: string, key: string, uploadId: string): Iterable<StoredPart> {
  const { store, dialect } = context
  const upload = store.findUpload(bucket, key, uploadId)
  if (upload) return upload.parts.values()
  const object = completedUpload(context, bucket, key, uploadId)
  if (object) return partsOfObject(object)
  if (dialect.goneForListParts === 'NoSuchKey') throw s3Error('NoSuchKey', undefined, { Key: key })
  throw s3Error('NoSuchUpload', undefined, { UploadId: uploadId })
}

/** ListMultipartUploads, by key and then by age. */
export function listMultipartUploads(ex: Exchange, context: Context): Reply {
  const { store } = context
  const name = bucketOf(ex)
  const write = keyWriter(ex)
  const prefix = param(ex, 'prefix') ?? ''
  const delimiter = param(ex, 'delimiter') || undefined
  const keyMarker = param(ex, 'key-marker') ?? ''
  const idMarker = param(ex, 'upload-id-marker') ?? ''
  const maxUploads = pageSize(ex, 'max-uploads', context)
  const all = [...store.bucket(name).uploads.values()]
    .filter((one) => one.key.startsWith(prefix))
    .sort(
      (a, b) =>
        compareKeys(a.key, b.key) || a.initiatedAt - b.initiatedAt || compareKeys(a.uploadId, b.uploadId),
    )
  const markerIndex = all.findIndex((one) => one.key === keyMarker && one.uploadId === idMarker)
  const rest = all.filter((one, index) => {
    if (keyMarker === '') return true
    const order = compareKeys(one.key, keyMarker)
    return order > 0 || (order === 0 && idMarker !== '' && index > markerIndex)
  })
  const shown: typeof rest = []
  const prefixes = new Set<string>()
  let taken = 0
  for (const one of rest) {
    const fold = folded(one.key, prefix, delimiter)
    const isNew = fold === undefined || !prefixes.has(fold)
    if (isNew && shown.length + prefixes.size >= maxUploads) break
    if (fold === undefined) shown.push(one)
    else prefixes.add(fold)
    taken++
  }
  const last = rest[taken - 1]
  return xmlReply('ListMultipartUploadsResult', {
    Bucket: name,
    KeyMarker: write(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: write(last?.key ?? ''),
    NextUploadIdMarker: last?.uploadId ?? '',
    Prefix: write(prefix),
    Delimiter: write(delimiter),
    MaxUploads: maxUploads,
    IsTruncated: taken < rest.length && maxUploads > 0,
    Upload: shown.map((one) => ({
      Key: write(one.key),
      UploadId: one.uploadId,
      Initiator: OWNER,
      Owner: OWNER,
      StorageClass: 'STANDARD',
      Initiated: isoTime(one.initiatedAt),
    })),
    CommonPrefixes: [...prefixes].map((one) => ({ Prefix: write(one) })),
  })
}
