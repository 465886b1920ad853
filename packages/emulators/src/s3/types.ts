/**
 * Words used in this folder.
 *
 * exchange  one HTTP request together with what has been learnt about it
 * reply     the answer as a value; sending it is somebody else's work, so that it can be lost on purpose
 * blob      an immutable file of bytes; objects and parts are lists of blobs
 * fault     a rule of the fault script: which requests behave differently, and how
 * request log  the record of every request that was answered or broken off
 */

/** The operations this store has; names as in the S3 API reference, plus `Preflight` and `Unknown`. */
export type Operation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CopyObject'
  | 'CreateBucket'
  | 'CreateMultipartUpload'
  | 'DeleteBucket'
  | 'DeleteBucketCors'
  | 'DeleteBucketLifecycle'
  | 'DeleteObject'
  | 'DeleteObjects'
  | 'GetBucketCors'
  | 'GetBucketLifecycleConfiguration'
  | 'GetBucketLocation'
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
  | 'PutObject'
  | 'PutObjectAcl'
  | 'Unknown'
  | 'UploadPart'
  | 'UploadPartCopy'

export type Credential = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

export type CorsRule = {
  id?: string
  allowedOrigins: string[]
  allowedMethods: string[]
  allowedHeaders: string[]
  exposeHeaders: string[]
  maxAgeSeconds?: number
}

export type BlobRef = { id: string; size: number }

/** Headers that S3 stores with an object and gives back, lower case, `x-amz-meta-*` among them. */
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
  /** Of a completed upload, where the dialect keeps its parts. In the order of `blobs`. */
  manifest?: { uploadId: string; parts: ManifestPart[] }
  /** Full-object checksums that the writer sent and that were verified: algorithm to base64. */
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

/** A part of a completed upload: as it is now, and the ETag that was completed. */
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

/** How the payload is covered by the signature, from `x-amz-content-sha256`. */
export type PayloadMode =
  | { kind: 'unsigned' }
  | { kind: 'hash'; sha256: string }
  | { kind: 'chunked'; signed: boolean; trailer: boolean }

/** What a signed chunk is chained to: the seed is the signature of the request's headers. */
export type ChunkSeed = { key: Buffer; timestamp: string; scope: string; signature: string }

export type Auth = { kind: AuthKind; accessKeyId?: string; payload: PayloadMode; seed?: ChunkSeed }

export type LoggedRequest = {
  /** Running number from 1, in the order the exchanges ended. */
  seq: number
  requestId: string
  /** Arrival, milliseconds since 1970. */
  at: number
  durationMs: number
  operation: Operation
  method: string
  bucket?: string
  key?: string
  /** The status that was, or would have been, sent; 0 where there was none. */
  status: number
  /** The error code, if any. */
  code?: string
  /** Body bytes, framing not counted. */
  bytesIn: number
  bytesOut: number
  partNumber?: number
  uploadId?: string
  auth: AuthKind
  /** The connection ended before the answer was out, whoever ended it. */
  aborted: boolean
}
