import { s3Error } from './errors.ts'
import type { Operation } from './types.ts'

/**
 * Query names that select another operation or variant. Combinations missing from the tables below are rejected:
 * responding to `GET ?tagging` with the object would be worse than 501.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
const SUBRESOURCES = new Set(
  (
    'accelerate acl analytics attributes cors delete encryption events intelligent-tiering inventory ' +
    'legal-hold lifecycle list-type location logging metadataConfiguration metadataTable metrics ' +
    'notification object-lock ownershipControls partNumber policy policyStatus publicAccessBlock ' +
    'renameObject replication requestPayment restore retention select session tagging torrent ' +
    'uploadId uploads versionId versioning versions website'
  ).split(' '),
)

const SERVICE: Record<string, Operation> = { 'GET ': 'ListBuckets' }

const BUCKET: Record<string, Operation> = {
  'GET ': 'ListObjects',
  'GET list-type': 'ListObjectsV2',
  'GET uploads': 'ListMultipartUploads',
  'GET cors': 'GetBucketCors',
  'GET lifecycle': 'GetBucketLifecycleConfiguration',
  'GET location': 'GetBucketLocation',
  'GET policy': 'GetBucketPolicy',
  'HEAD ': 'HeadBucket',
  'PUT ': 'CreateBucket',
  'PUT cors': 'PutBucketCors',
  'PUT lifecycle': 'PutBucketLifecycleConfiguration',
  'PUT policy': 'PutBucketPolicy',
  'DELETE ': 'DeleteBucket',
  'DELETE cors': 'DeleteBucketCors',
  'DELETE lifecycle': 'DeleteBucketLifecycle',
  'DELETE policy': 'DeleteBucketPolicy',
  'POST delete': 'DeleteObjects',
}

const OBJECT: Record<string, Operation> = {
  'GET ': 'GetObject',
  'HEAD ': 'HeadObject',
  'PUT ': 'PutObject',
  'PUT +copy': 'CopyObject',
  'PUT acl': 'PutObjectAcl',
  'PUT partNumber uploadId': 'UploadPart',
  'PUT partNumber uploadId+copy': 'UploadPartCopy',
  'GET uploadId': 'ListParts',
  'DELETE ': 'DeleteObject',
  'DELETE uploadId': 'AbortMultipartUpload',
  'POST uploads': 'CreateMultipartUpload',
  'POST uploadId': 'CompleteMultipartUpload',
}

/** Operations whose body is a document. It is read first, so that the operation can outlive the client. */
export const WITH_DOCUMENT: ReadonlySet<Operation> = new Set<Operation>([
  'CompleteMultipartUpload',
  'CreateBucket',
  'DeleteObjects',
  'PutBucketCors',
  'PutBucketLifecycleConfiguration',
  'PutBucketPolicy',
  'PutObjectAcl',
])

/** Returns the operation, or `Unknown`. `unknownOperation` returns the reason. */
export function operationOf(request: {
  method: string
  bucket?: string
  key?: string
  queryNames: string[]
  copies: boolean
}): Operation {
  if (request.method === 'OPTIONS') return 'Preflight'
  const table = request.bucket === undefined ? SERVICE : request.key === undefined ? BUCKET : OBJECT
  const sub = request.queryNames.filter((name) => SUBRESOURCES.has(name)).sort()
  return table[`${request.method} ${sub.join(' ')}${request.copies ? '+copy' : ''}`] ?? 'Unknown'
}

/** Returns the error for an unknown operation: 501 for an unsupported sub-resource, otherwise 405. */
export function unknownOperation(method: string, queryNames: string[]): Error {
  const sub = queryNames.filter((name) => SUBRESOURCES.has(name))
  if (sub.length > 0) return s3Error('NotImplemented', undefined, { Header: sub.join(', ') })
  return s3Error('MethodNotAllowed', undefined, { Method: method, ResourceType: 'OBJECT' })
}
