import { s3Error } from './errors.ts'
import { amzHeader, amzNames, type S3Request } from './request.ts'
import type { StoredHeaders, StoredObject } from './types.ts'

const KEPT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]
/**
 * Maximum size of all user metadata, as S3 counts it.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
const MAX_METADATA_BYTES = 2048

/** Supported x-amz-* names. Others are rejected, because they could change the meaning of the request. */
const SUPPORTED = new RegExp(
  `^x-amz-(${[
    'acl|algorithm|credential|date|expires|signature|signedheaders|security-token|content-sha256',
    'decoded-content-length|trailer|sdk-checksum-algorithm|checksum-.*|user-agent|meta-.*',
    'copy-source|copy-source-(if-.*|range)|metadata-directive|tagging-directive|storage-class',
    'expected-bucket-owner|request-payer|server-side-encryption|id|mp-object-size',
  ].join('|')})$`,
)

/** Rejects unsupported x-amz-* headers. @throws S3Error NotImplemented */
export function checkAmzHeaders(request: S3Request): void {
  const unsupported = amzNames(request).find((name) => !SUPPORTED.test(name))
  if (unsupported !== undefined) throw s3Error('NotImplemented', undefined, { Header: unsupported })
}

/** Returns the headers that a PUT, a copy with REPLACE, or a new multipart upload stores with the bytes. */
export function headersToStore(request: S3Request): { headers: StoredHeaders; acl?: string } {
  const headers: StoredHeaders = {}
  for (const name of KEPT) {
    const value = request.headers[name]
    if (value !== undefined && value !== '') headers[name] = value
  }
  // The framing of the upload is not a property of the object.
  const encoding = headers['content-encoding']?.split(',').filter((one) => one.trim() !== 'aws-chunked')
  if (encoding?.length) headers['content-encoding'] = encoding.join(',').trim()
  else delete headers['content-encoding']
  headers['content-type'] ??= 'binary/octet-stream'
  let metadata = 0
  for (const name of amzNames(request)) {
    if (!name.startsWith('x-amz-meta-')) continue
    headers[name] = amzHeader(request, name) ?? ''
    metadata += Buffer.byteLength(name) - 'x-amz-meta-'.length + Buffer.byteLength(headers[name])
  }
  if (metadata > MAX_METADATA_BYTES) {
    throw s3Error('InvalidArgument', 'Your metadata headers exceed the maximum allowed metadata size')
  }
  return { headers, acl: aclOf(request) }
}

const ACLS = ['private', 'public-read', 'public-read-write', 'authenticated-read', 'aws-exec-read']
const OWNER_ACLS = ['bucket-owner-read', 'bucket-owner-full-control']

/** Returns the canned ACL of a request. @throws S3Error InvalidArgument */
export function aclOf(request: S3Request): string | undefined {
  const acl = amzHeader(request, 'x-amz-acl')
  if (acl === undefined || [...ACLS, ...OWNER_ACLS].includes(acl)) return acl
  throw s3Error('InvalidArgument', undefined, { ArgumentName: 'x-amz-acl', ArgumentValue: acl })
}

/** Returns the headers of GET and HEAD, without length and range. */
export function objectHeaders(object: StoredObject): Record<string, string> {
  return {
    ...object.headers,
    'accept-ranges': 'bytes',
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.modifiedAt).toUTCString(),
  }
}
