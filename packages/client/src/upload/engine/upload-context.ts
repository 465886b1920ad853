import type { UploadApi } from '../api/upload-api.ts'
import type { SignedOutError } from '../errors.ts'
import type { Progress } from '../progress/progress.ts'
import type { PutLimits } from '../transport/put-chunk.ts'
import type { RetryWait, Transport, UploadOptions, UploadSource } from '../types.ts'
import type { Attempt, PauseController } from './pause-controller.ts'
import { type RetryPolicy, retry } from './retry.ts'
import type { Semaphore } from './semaphore.ts'

/** Creates a thumbnail (WebP) of a file. Returns null if the platform cannot. */
export type MakeThumbnail = (file: Blob, mimeType: string, signal: AbortSignal) => Promise<Blob | null>

/** Resources that all uploads of an uploader share. */
export type UploadResources = {
  api: UploadApi
  /** Undefined if files get no thumbnails. */
  makeThumbnail: MakeThumbnail | undefined
  transport: Transport
  /** Limits the PUTs of all uploads together. */
  semaphore: Semaphore
  /** Maximum number of parallel parts of one upload. */
  concurrency: number
  /** Preferred part size in bytes. The smallest size applies if it is undefined or less. */
  partBytes: number | undefined
  limits: PutLimits
  retry: RetryPolicy
}

export type UploadEvents = {
  /** The server has opened an upload, or an unfinished one was found. Resolves when it is saved. */
  serverUpload(fileId: string, kind: 'simple' | 'multipart'): Promise<void>
  /** An earlier run had stored this number of bytes. */
  resumed(bytes: number): void
  /** The upload on the server can no longer be used. */
  serverUploadLost(): Promise<void>
  uploading(): void
  verifying(): void
  warning(message: string): void
  signedOut(error: SignedOutError): void
  /** An attempt failed and will be repeated. Returns a function to call after the wait. */
  waiting(wait: RetryWait): () => void
}

/** Everything that one run of an upload works with. */
export type UploadContext = {
  source: UploadSource
  mimeType: string
  options: UploadOptions
  resources: UploadResources
  pauseController: PauseController
  progress: Progress
  /** Ends the run. */
  signal: AbortSignal
  on: UploadEvents
}

/** Repeats the work according to the upload's retry policy. Throws like `retry`. */
export function withRetries<T>(
  { resources, pauseController, progress, signal, on }: UploadContext,
  work: (signal: AbortSignal, attempt: Attempt) => Promise<T>,
): Promise<T> {
  const options = {
    ...{ pauseController, signal, policy: resources.retry, onSignedOut: on.signedOut, onWait: on.waiting },
    successes: () => progress.successes,
  }
  return retry(options, work)
}
