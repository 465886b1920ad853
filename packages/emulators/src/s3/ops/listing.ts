import { uriEncode } from '../encoding.ts'
import { s3Error } from '../errors.ts'
import { type Reply, xmlReply } from '../reply.ts'
import { countParam, param, type S3Request } from '../request.ts'
import { compareKeys } from '../store.ts'
import type { StoredPart } from '../types.ts'
import { completedUpload, partsOfObject } from './completed-upload.ts'
import { bucketOf, type Context, isoTime, OWNER, target } from './context.ts'

/** Returns the page size: the requested number, at most the store's. */
export function pageSize(request: S3Request, name: string, { quirks }: Context): number {
  return Math.min(countParam(request, name, quirks.listingPage), quirks.listingPage)
}

/** Returns a function that writes keys. `encoding-type=url` is for keys that XML 1.0 cannot contain. */
export function keyWriter(request: S3Request): (key: string | undefined) => string | undefined {
  const type = param(request, 'encoding-type')
  if (type === undefined) return (key) => key
  if (type !== 'url') throw s3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  return (key) => (key === undefined ? undefined : uriEncode(key, true))
}

/** Returns the prefix into which a key is folded, or undefined if it is not. */
export function folded(key: string, prefix: string, delimiter: string | undefined): string | undefined {
  if (!delimiter) return undefined
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}

/** Handles ListParts, in pages, because an upload of 5 GB has more than one. */
export function listParts(request: S3Request, context: Context): Reply {
  const { bucket, key } = target(request)
  const uploadId = request.uploadId ?? ''
  const parts = context.partListing.view(uploadId, partsToList(context, bucket, key, uploadId))
  const marker = countParam(request, 'part-number-marker', 0)
  const maxParts = pageSize(request, 'max-parts', context)
  const rest = parts.filter((part) => part.partNumber > marker)
  const page = rest.sort((a, b) => a.partNumber - b.partNumber).slice(0, maxParts)
  return xmlReply('ListPartsResult', {
    Bucket: bucket,
    Key: keyWriter(request)(key),
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
      Size: Math.max(part.size + request.plan.reportedSizeOffset, 0),
    })),
  })
}

/** Returns the parts of an upload. @throws S3Error NoSuchUpload, or the dialect's error */
function partsToList(context: Context, bucket: string, key: string, uploadId: string): Iterable<StoredPart> {
  const { store, dialect } = context
  const upload = store.findUpload(bucket, key, uploadId)
  if (upload) return upload.parts.values()
  const object = completedUpload(context, bucket, key, uploadId)
  if (object) return partsOfObject(object)
  if (dialect.goneForListParts === 'NoSuchKey') throw s3Error('NoSuchKey', undefined, { Key: key })
  throw s3Error('NoSuchUpload', undefined, { UploadId: uploadId })
}

/** Handles ListMultipartUploads, sorted by key and then by age. */
export function listMultipartUploads(request: S3Request, context: Context): Reply {
  const { store } = context
  const name = bucketOf(request)
  const write = keyWriter(request)
  const prefix = param(request, 'prefix') ?? ''
  const delimiter = param(request, 'delimiter') || undefined
  const keyMarker = param(request, 'key-marker') ?? ''
  const idMarker = param(request, 'upload-id-marker') ?? ''
  const maxUploads = pageSize(request, 'max-uploads', context)
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
