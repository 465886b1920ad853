import type { MimeType } from '../../limits.ts'
import type { UploadedFile } from '../types.ts'

export type FileState = 'PENDING' | 'UPLOADING' | 'READY' | 'ABORTED' | 'EXPIRED' | 'REJECTED'

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

/** A presigned PUT and the headers that must go with it. */
export type SignedUrl = { uploadUrl: string; headers: Record<string, string> }

export type NewFile = {
  filename: string
  mimeType: MimeType
  size: number
  /** The same in every attempt of one call, so that a lost answer reserves nothing twice. */
  idempotencyKey: string
}

/** Bytes. */
export type Usage = { used: number; reserved: number; quota: number }

/**
 * The server's procedures as the engine needs them. Each throws RetryableError (try again), SignedOutError, or
 * UploadError (final). Creating calls take no signal: one that was sent has to be seen through, or its
 * reservation would be nobody's.
 */
export type UploadApi = {
  /** Null: the credential may not ask, as an API key may not. */
  usage(signal: AbortSignal): Promise<Usage | null>
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
  status(fileId: string, signal: AbortSignal): Promise<UploadStatus>
  /** Stores a small picture (WebP) of a finished file. */
  setThumbnail(fileId: string, webp: Blob, signal: AbortSignal): Promise<void>
  /** Ends an unfinished upload: frees its bytes and its reservation. */
  abort(fileId: string, kind: 'simple' | 'multipart'): Promise<void>
}
