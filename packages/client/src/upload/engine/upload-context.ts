import type { MimeType } from '../../limits.ts'
import type { UploadApi } from '../api/upload-api.ts'
import type { Tally } from '../progress/progress.ts'
import type { PutLimits } from '../transport/put-chunk.ts'
import type { Transport, UploadSource } from '../types.ts'
import type { Gate } from './pause-controller.ts'
import { type Persistence, persist } from './retry.ts'
import type { Slots } from './semaphore.ts'

/** What one run of an upload works with. */
export type Job = {
  source: UploadSource
  mimeType: MimeType
  api: UploadApi
  transport: Transport
  gate: Gate
  /** PUTs of all uploads together. */
  slots: Slots
  /** Parts of this upload at once. */
  concurrency: number
  /** Bytes of a part that this side would like; at least the smallest. */
  partBytes: number | undefined
  limits: PutLimits
  tally: Tally
  persistence: Persistence
  on: {
    /** The server has given a place, or an unfinished one was found. */
    place(fileId: string, kind: 'simple' | 'multipart'): Promise<void>
    /** The place is of no use any more. */
    lost(): Promise<void>
    uploading(): void
    verifying(): void
    warning(message: string): void
  }
}

/** Calls the server until it answers, fails for good, or the job ends. */
export function ask<T>(job: Job, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return persist(job.persistence, call)
}
