import type { MimeType } from '../../limits.ts'
import type { UploadApi } from '../api/upload-api.ts'
import type { Progress } from '../progress/progress.ts'
import type { PutLimits } from '../transport/put-chunk.ts'
import type { RetryWait, Transport, UploadSource } from '../types.ts'
import type { PauseController } from './pause-controller.ts'
import { type RetryPolicy, retry } from './retry.ts'
import type { Semaphore } from './semaphore.ts'

/** A small picture (WebP) of a file; null where this platform can make none of it. */
export type MakeThumbnail = (file: Blob, mimeType: MimeType, signal: AbortSignal) => Promise<Blob | null>

/** What all uploads of an uploader share. */
export type UploadResources = {
  api: UploadApi
  /** Undefined: files get no thumbnails. */
  makeThumbnail: MakeThumbnail | undefined
  transport: Transport
  /** Bounds the PUTs of all uploads together. */
  semaphore: Semaphore
  /** Parts of one upload at once. */
  concurrency: number
  /** Preferred bytes of a part; the smallest size if undefined or less. */
  partBytes: number | undefined
  limits: PutLimits
  retry: RetryPolicy
}

export type UploadEvents = {
  /** The server has opened an upload, or an unfinished one was found. Resolves when it is stored. */
  serverUpload(fileId: string, kind: 'simple' | 'multipart'): Promise<void>
  /** An earlier run had brought so many bytes to the store. */
  resumed(bytes: number): void
  /** The server's upload cannot be used any more. */
  serverUploadLost(): Promise<void>
  uploading(): void
  verifying(): void
  warning(message: string): void
  signedOut(): void
  /** An attempt failed and will be repeated. Returns what to call when the wait is over. */
  waiting(wait: RetryWait): () => void
}

/** What one run of an upload works with. */
export type UploadContext = {
  source: UploadSource
  mimeType: MimeType
  resources: UploadResources
  pauseController: PauseController
  progress: Progress
  /** Ends the run. */
  signal: AbortSignal
  on: UploadEvents
}

/** Repeats the work by the upload's retry policy; see `retry` for what it throws. */
export function withRetries<T>(
  { resources, pauseController, progress, signal, on }: UploadContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = {
    ...{ pauseController, signal, policy: resources.retry, onSignedOut: on.signedOut, onWait: on.waiting },
    successes: () => progress.successes,
  }
  return retry(options, work)
}
