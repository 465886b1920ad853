import type { UploadFailure, UploadHandle, UploadSnapshot } from '@pigeonhole/client/browser'
import { freeBytes, type Usage } from '../files/use-file-queries.ts'

/** Returns true if the upload failed because the account's storage is full, not because of another limit. */
export function isStorageFull({ code, reason = 'quota' }: Pick<UploadFailure, 'code' | 'reason'>): boolean {
  return code === 'QUOTA_EXCEEDED' && reason === 'quota'
}

/** Returns the errors of the uploads that failed because the account's storage is full. */
export function storageFailures(uploads: readonly UploadHandle[]): UploadFailure[] {
  return uploads.flatMap((upload) => {
    const { error } = upload.getSnapshot()
    return error && isStorageFull(error) ? [error] : []
  })
}

/**
 * Returns true if an upload that failed can succeed when it is retried. A file larger than the account's whole storage
 * cannot, whatever the user deletes.
 */
export function canRetry(
  { error, size }: Pick<UploadSnapshot, 'error' | 'size'>,
  usage: Usage | undefined,
): boolean {
  if (!error?.retryable) return false
  const known = usage ?? error.usage
  return !isStorageFull(error) || !known || size <= known.quota
}

/**
 * Returns the failed uploads that can succeed when they are retried together. Those that need storage are included only
 * as far as it is free. `usage` is the account's current usage; undefined: as it was when each upload failed.
 */
export function retryableUploads(uploads: readonly UploadHandle[], usage: Usage | undefined): UploadHandle[] {
  let planned = 0
  return uploads.filter((upload) => {
    const { error, size } = upload.getSnapshot()
    if (!error?.retryable) return false
    const known = usage ?? error.usage
    if (!isStorageFull(error) || !known) return true
    if (planned + size > freeBytes(known)) return false
    planned += size
    return true
  })
}
