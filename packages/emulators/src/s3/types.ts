/**
 * Terms of this folder.
 *
 * - request: HTTP request, and what has been determined about it
 * - reply: response as a value; sent separately, so that faults can drop it
 * - blob: immutable file of bytes; objects and parts are lists of blobs
 * - fault: rule of the fault script: which requests are handled differently, and how
 * - request log: record of every request that got a response or was interrupted
 */

/** Operations of this store. Names are those of the S3 API reference, plus `Preflight` and `Unknown`. */
export type Operation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CopyObject'
  | 'CreateBucket'
  | 'CreateMultipartUpload'
  | 'DeleteBucket'
  | 'DeleteBucketCors'
  | 'DeleteBucketLifecycle'
  | 'DeleteBucketPolicy'
  | 'DeleteObject'
  | 'DeleteObjects'
  | 'GetBucketCors'
  | 'GetBucketLifecycleConfiguration'
  | 'GetBucketLocation'
  | 'GetBucketPolicy'
  | 'GetObject'
  | 'HeadBucket'
  | 'HeadObject'
  | 'ListBuckets'
  | 'ListMultipartUploads'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListParts'
  | 'Preflight'
  | 'PutBucketCors'
  | 'PutBucketLifecycleConfiguration'
  | 'PutBucketPolicy'
  | 'PutObject'
  | 'PutObjectAcl'
  | 'Unknown'
  | 'UploadPart'
  | 'UploadPartCopy'

export type Credential = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
  /** `write`: can put objects and parts, but cannot read, not even the source of a copy. Default: full access. */
  access?: 'write'
}

export type CorsRule = {
  id?: string
  allowedOrigins: string[]
  allowedMethods: string[]
  allowedHeaders: string[]
  exposeHeaders: string[]
  maxAgeSeconds?: number
}

export type BlobRef = { id: string; size: number }

/** Headers in lower case that S3 stores with an object and returns, including `x-amz-meta-*`. */
export type StoredHeaders = Record<string, string>

export type StoredObject = {
  key: string
  size: number
  /** Without quotes. */
  etag: string
  /** Milliseconds since 1970. */
  modifiedAt: number
  blobs: BlobRef[]
  headers: StoredHeaders
  acl?: string
  /** Parts of a completed upload in the order of `blobs`, if the dialect keeps them. */
  manifest?: { uploadId: string; parts: ManifestPart[] }
  /** Verified full-object checksums that the writer sent: base64 by algorithm. */
  checksums?: Record<string, string>
}

export type StoredPart = {
  partNumber: number
  size: number
  etag: string
  modifiedAt: number
  blob: BlobRef
  checksums?: Record<string, string>
}

/** Part of a completed upload in its current version, and the ETag with which it was completed. */
export type ManifestPart = {
  partNumber: number
  size: number
  etag: string
  modifiedAt: number
  completedEtag: string
}

export type StoredUpload = {
  uploadId: string
  key: string
  initiatedAt: number
  headers: StoredHeaders
  acl?: string
  parts: Map<number, StoredPart>
}

export type AuthKind = 'header' | 'presigned' | 'none'

/** Coverage of the payload by the signature, from `x-amz-content-sha256`. */
export type PayloadMode =
  | { kind: 'unsigned' }
  | { kind: 'hash'; sha256: string }
  | { kind: 'chunked'; signed: boolean; trailer: boolean }

/** Start of the chain of chunk signatures: the signature of the request's headers. */
export type ChunkSeed = { key: Buffer; timestamp: string; scope: string; signature: string }

export type Auth = {
  kind: AuthKind
  accessKeyId?: string
  access?: Credential['access']
  payload: PayloadMode
  seed?: ChunkSeed
}

export type LoggedRequest = {
  /** Number from 1, in the order in which the requests ended. */
  seq: number
  requestId: string
  /** Arrival, milliseconds since 1970. */
  at: number
  durationMs: number
  operation: Operation
  method: string
  bucket?: string
  key?: string
  /** Status that was sent, or would have been; 0 if there was none. */
  status: number
  /** Error code, if any. */
  code?: string
  /** Body bytes without framing. */
  bytesIn: number
  bytesOut: number
  partNumber?: number
  uploadId?: string
  auth: AuthKind
  /** True if the connection ended before the response was sent, on either side. */
  aborted: boolean
}
