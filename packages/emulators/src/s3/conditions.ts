import { S3Error, s3Error } from './errors.ts'
import type { S3Request } from './request.ts'
import type { StoredObject } from './types.ts'

/** Returns an ETag without quotes and weakness indicator. */
export function bareEtag(text: string): string {
  return text
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
}

function includesEtag(list: string, etag: string): boolean {
  return list.split(',').some((one) => one.trim() === '*' || bareEtag(one) === etag)
}

/** Returns whole seconds, because HTTP dates have no fractions. */
function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/**
 * Checks conditions of GET and HEAD in the order of RFC 9110, 13.2.2.
 * @throws S3Error PreconditionFailed (412) or NotModified (304)
 */
export function checkReadConditions(request: S3Request, object: StoredObject): void {
  const h = request.headers
  const modified = seconds(object.modifiedAt)
  if (h['if-match'] !== undefined) {
    if (!includesEtag(h['if-match'], object.etag)) throw preconditionFailed('If-Match')
  } else if (h['if-unmodified-since'] !== undefined) {
    const since = Date.parse(h['if-unmodified-since'])
    if (!Number.isNaN(since) && modified > seconds(since)) throw preconditionFailed('If-Unmodified-Since')
  }
  if (h['if-none-match'] !== undefined) {
    if (includesEtag(h['if-none-match'], object.etag)) throw notModified(object)
  } else if (h['if-modified-since'] !== undefined) {
    const since = Date.parse(h['if-modified-since'])
    if (!Number.isNaN(since) && modified <= seconds(since)) throw notModified(object)
  }
}

function notModified(object: StoredObject): S3Error {
  const headers = { etag: `"${object.etag}"`, 'last-modified': new Date(object.modifiedAt).toUTCString() }
  return new S3Error('NotModified', 304, 'Not Modified', { headers })
}

function preconditionFailed(condition: string): S3Error {
  return s3Error('PreconditionFailed', undefined, { Condition: condition })
}

/**
 * Checks conditions of PUT and of a completion against the existing object.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 * @throws S3Error PreconditionFailed (412), NoSuchKey (404, If-Match without an object), NotImplemented
 */
export function checkWriteConditions(request: S3Request, existing: StoredObject | undefined): void {
  const none = request.headers['if-none-match']
  if (none !== undefined) {
    if (none.trim() !== '*') throw s3Error('NotImplemented', undefined, { Header: 'If-None-Match' })
    if (existing) throw preconditionFailed('If-None-Match')
  }
  const match = request.headers['if-match']
  if (match === undefined) return
  if (!existing) throw s3Error('NoSuchKey', undefined, { Key: request.key ?? '' })
  if (!includesEtag(match, existing.etag)) throw preconditionFailed('If-Match')
}

/** Checks conditions of a copy on its source. All of them fail with 412. */
export function checkCopyConditions(request: S3Request, source: StoredObject, ignoreIfMatch: boolean): void {
  const h = (name: string): string | undefined => request.headers[`x-amz-copy-source-${name}`]
  const modified = seconds(source.modifiedAt)
  const match = h('if-match')
  if (match !== undefined && !ignoreIfMatch && !includesEtag(match, source.etag)) {
    throw preconditionFailed('x-amz-copy-source-If-Match')
  }
  const none = h('if-none-match')
  if (none !== undefined && includesEtag(none, source.etag))
    throw preconditionFailed('x-amz-copy-source-If-None-Match')
  const unmodified = h('if-unmodified-since')
  // According to RFC 9110 and the API reference, an If-Match that holds overrides If-Unmodified-Since.
  if (unmodified !== undefined && match === undefined && modified > seconds(Date.parse(unmodified))) {
    throw preconditionFailed('x-amz-copy-source-If-Unmodified-Since')
  }
  const since = h('if-modified-since')
  if (since !== undefined && none === undefined && modified <= seconds(Date.parse(since))) {
    throw preconditionFailed('x-amz-copy-source-If-Modified-Since')
  }
}
