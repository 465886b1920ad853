import type { UploadedFile, UploadOptions } from '../types.ts'

export type FileState = 'PENDING' | 'UPLOADING' | 'HELD' | 'READY' | 'ABORTED' | 'EXPIRED' | 'REJECTED'

export type UploadStatus = {
  fileId: string
  state: FileState
  /** Bytes. */
  size: number
  partSize: number | null
  totalParts: number | null
  uploadedParts: number[] | null
  expiresAt: string | null
}

/** Presigned PUT and the headers to send with it. */
export type SignedUrl = { uploadUrl: string; headers: Record<string, string> }

export type NewFile = UploadOptions & {
  filename: string
  mimeType: string
  size: number
  /** The same in every attempt of one call, so that a lost response reserves no quota twice. */
  idempotencyKey: string
}

/** Rules for the files of a policy. */
export type UploadRules = {
  /** Exact types and `type/*`. */
  mimeTypes: readonly string[]
  /** Bytes. */
  maxMultipartBytes: number
  /** Parts of this size fit the store for every allowed file. */
  partBytes: number
}

/** Bytes. */
export type Usage = { used: number; reserved: number; quota: number }

/**
 * Procedures of the server that the engine calls. Each throws RetryableError (retry), SignedOutError, or UploadError
 * (final). Calls that open an upload take no signal: if one were canceled after the server received it, the quota
 * would stay reserved.
 */
export type UploadApi = {
  /** Returns the account's usage, or null if the credential cannot read it (an API key). */
  usage(signal: AbortSignal): Promise<Usage | null>
  rules(policy: string, signal: AbortSignal): Promise<UploadRules>
  requestUploadUrl(file: NewFile): Promise<SignedUrl & { fileId: string }>
  confirmUpload(fileId: string, signal: AbortSignal): Promise<UploadedFile>
  initiateMultipart(file: NewFile & { totalParts: number }): Promise<{ fileId: string; partSize: number }>
  getPartUrls(
    fileId: string,
    partNumbers: number[],
    signal: AbortSignal,
  ): Promise<(SignedUrl & { partNumber: number })[]>
  completePart(fileId: string, partNumber: number, etag: string): Promise<void>
  completeMultipart(fileId: string, signal: AbortSignal): Promise<UploadedFile>
  status(fileId: string, signal?: AbortSignal): Promise<UploadStatus>
  /** Stores a thumbnail (WebP) of a finished file. */
  setThumbnail(fileId: string, webp: Blob, signal: AbortSignal): Promise<void>
  /** Aborts an unfinished upload: deletes its bytes and releases its quota. */
  abort(fileId: string, kind: 'simple' | 'multipart'): Promise<void>
}
