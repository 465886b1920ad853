import { s3Error } from '../errors.ts'
import { type Reply, xmlReply } from '../reply.ts'
import { param, type S3Request } from '../request.ts'
import { compareKeys } from '../store.ts'
import type { Xml } from '../xml.ts'
import { bucketOf, type Context, isoTime, OWNER } from './context.ts'
import { folded, keyWriter, pageSize } from './listing.ts'

/** Returns the index of the first key after `marker` in a sorted list. */
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

/** Returns what both versions show of a page after `marker`. `last` is the last key or prefix of the page. */
function pageAfter(request: S3Request, context: Context, marker: string | undefined, withOwner: boolean) {
  const { store } = context
  const name = bucketOf(request)
  const bucket = store.bucket(name)
  const write = keyWriter(request)
  const prefix = param(request, 'prefix') ?? ''
  const delimiter = param(request, 'delimiter') || undefined
  const maxKeys = pageSize(request, 'max-keys', context)
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
    else contents.push(entry(bucket.objects.get(key)!, request, write, withOwner))
  }
  const fields: { [name: string]: Xml } = {
    Name: name,
    Prefix: write(prefix),
    Delimiter: write(delimiter),
    MaxKeys: maxKeys,
    EncodingType: param(request, 'encoding-type'),
    IsTruncated: truncated,
    Contents: contents,
    CommonPrefixes: prefixes.map((one) => ({ Prefix: write(one) })),
  }
  return { fields, write, next: truncated ? last : undefined, count: contents.length + prefixes.length }
}

/** Handles ListObjectsV2. The continuation token is the last key or prefix of the page, in base64url. */
export function listObjectsV2(request: S3Request, context: Context): Reply {
  const token = param(request, 'continuation-token')
  if (token === '') throw s3Error('InvalidArgument', 'The continuation token provided is incorrect')
  const start = param(request, 'start-after')
  const marker = token === undefined ? start : Buffer.from(token, 'base64url').toString('utf8')
  const page = pageAfter(request, context, marker, param(request, 'fetch-owner') === 'true')
  return xmlReply('ListBucketResult', {
    ...page.fields,
    KeyCount: page.count,
    ContinuationToken: token,
    NextContinuationToken: page.next === undefined ? undefined : Buffer.from(page.next).toString('base64url'),
    StartAfter: page.write(start),
  })
}

/** Handles ListObjects, version 1, which boto3's `bucket.objects` and s3cmd still use. */
export function listObjects(request: S3Request, context: Context): Reply {
  const marker = param(request, 'marker')
  const page = pageAfter(request, context, marker, true)
  return xmlReply('ListBucketResult', {
    ...page.fields,
    Marker: page.write(marker ?? ''),
    // As on AWS, only with a delimiter. Otherwise, clients continue after the last key.
    NextMarker: page.fields.Delimiter === undefined ? undefined : page.write(page.next),
  })
}

function entry(
  object: { key: string; size: number; etag: string; modifiedAt: number },
  request: S3Request,
  write: (key: string) => string | undefined,
  withOwner: boolean,
): Xml {
  return {
    Key: write(object.key),
    LastModified: isoTime(object.modifiedAt),
    ETag: `"${object.etag}"`,
    Size: Math.max(object.size + request.plan.reportedSizeOffset, 0),
    StorageClass: 'STANDARD',
    Owner: withOwner ? OWNER : undefined,
  }
}
