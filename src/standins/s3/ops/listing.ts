import { uriEncode } from '../encoding.ts'
import { s3Error } from '../errors.ts'
import { countParam, type Exchange, param } from '../exchange.ts'
import { type Reply, xmlReply } from '../reply.ts'
import { compareKeys } from '../store.ts'
import type { Xml } from '../xml.ts'
import { bucketOf, type Context, isoTime, OWNER, target } from './context.ts'

const PAGE_MAX = 1000

/** How keys are written: `encoding-type=url` is for keys that XML 1.0 cannot carry. */
function keyWriter(ex: Exchange): (key: string | undefined) => string | undefined {
  const type = param(ex, 'encoding-type')
  if (type === undefined) return (key) => key
  if (type !== 'url') throw s3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  return (key) => (key === undefined ? undefined : uriEncode(key, true))
}

/** Index of the first key after `marker` in a sorted list. */
function after(keys: string[], marker: string, inclusive = false): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    const order = compareKeys(keys[middle]!, marker)
    if (order < 0 || (order === 0 && !inclusive)) low = middle + 1
    else high = middle
  }
  return low
}

/** The prefix that a key is folded into, `undefined` where it stands for itself. */
function folded(key: string, prefix: string, delimiter: string | undefined): string | undefined {
  if (!delimiter) return undefined
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}

/** ListObjectsV2. Its continuation token is the last key or prefix shown, in base64url. */
export function listObjectsV2(ex: Exchange, { store }: Context): Reply {
  const name = bucketOf(ex)
  const bucket = store.bucket(name)
  const write = keyWriter(ex)
  const prefix = param(ex, 'prefix') ?? ''
  const delimiter = param(ex, 'delimiter') || undefined
  const maxKeys = Math.min(countParam(ex, 'max-keys', PAGE_MAX), PAGE_MAX)
  const token = param(ex, 'continuation-token')
  if (token === '') throw s3Error('InvalidArgument', 'The continuation token provided is incorrect')
  const marker =
    token === undefined ? param(ex, 'start-after') : Buffer.from(token, 'base64url').toString('utf8')
  const keys = store.sortedKeys(name)
  const contents: Xml[] = []
  const prefixes: string[] = []
  let last = ''
  let truncated = false
  let index = marker ? Math.max(after(keys, marker), after(keys, prefix, true)) : after(keys, prefix, true)
  for (; index < keys.length; index++) {
    const key = keys[index]!
    if (!key.startsWith(prefix)) break
    const fold = folded(key, prefix, delimiter)
    if (fold !== undefined && (fold === last || fold === marker)) continue
    if (contents.length + prefixes.length >= maxKeys) {
      truncated = maxKeys > 0
      break
    }
    last = fold ?? key
    if (fold !== undefined) prefixes.push(fold)
    else contents.push(entry(bucket.objects.get(key)!, ex, write))
  }
  return xmlReply('ListBucketResult', {
    Name: name,
    Prefix: write(prefix),
    Delimiter: write(delimiter),
    MaxKeys: maxKeys,
    EncodingType: param(ex, 'encoding-type'),
    KeyCount: contents.length + prefixes.length,
    IsTruncated: truncated,
    ContinuationToken: token,
    NextContinuationToken: truncated ? Buffer.from(last).toString('base64url') : undefined,
    StartAfter: write(param(ex, 'start-after')),
    Contents: contents,
    CommonPrefixes: prefixes.map((one) => ({ Prefix: write(one) })),
  })
}

function entry(
  object: { key: string; size: number; etag: string; modifiedAt: number },
  ex: Exchange,
  write: (key: string) => string | undefined,
): Xml {
  return {
    Key: write(object.key),
    LastModified: isoTime(object.modifiedAt),
    ETag: `"${object.etag}"`,
    Size: Math.max(object.size + ex.plan.sizeLie, 0),
    StorageClass: 'STANDARD',
    Owner: param(ex, 'fetch-owner') === 'true' ? OWNER : undefined,
  }
}

/** ListParts, at most 1,000 at a time: an upload of 5 GB has more. */
export function listParts(ex: Exchange, { store }: Context): Reply {
  const { bucket, key } = target(ex)
  const upload = store.upload(bucket, key, ex.uploadId ?? '')
  const marker = countParam(ex, 'part-number-marker', 0)
  const maxParts = Math.min(countParam(ex, 'max-parts', PAGE_MAX), PAGE_MAX)
  const rest = [...upload.parts.values()].filter((part) => part.partNumber > marker)
  const page = rest.sort((a, b) => a.partNumber - b.partNumber).slice(0, maxParts)
  return xmlReply('ListPartsResult', {
    Bucket: bucket,
    Key: keyWriter(ex)(key),
    UploadId: upload.uploadId,
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
      Size: Math.max(part.size + ex.plan.sizeLie, 0),
    })),
  })
}

/** ListMultipartUploads, by key and then by age. */
export function listMultipartUploads(ex: Exchange, { store }: Context): Reply {
  const name = bucketOf(ex)
  const write = keyWriter(ex)
  const prefix = param(ex, 'prefix') ?? ''
  const delimiter = param(ex, 'delimiter') || undefined
  const keyMarker = param(ex, 'key-marker') ?? ''
  const idMarker = param(ex, 'upload-id-marker') ?? ''
  const maxUploads = Math.min(countParam(ex, 'max-uploads', PAGE_MAX), PAGE_MAX)
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
